"""The matrix judges ledgers as it should: on drives with a known truth, and on ledgers with known faults."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import extremes
import planted

from pitwall.coach.cue import LedgerLine
from pitwall.diagnosis.advice import PHASE_OF
from pitwall.simulator.plan import MistakeKind


def test_every_mistake_can_be_named_and_nothing_is_both_right_and_wrong():
    assert set(planted.EXPECTED) == set(get_args(MistakeKind))
    for kind, row in planted.EXPECTED.items():
        assert row.exact <= set(PHASE_OF), kind
        assert not row.opposite & (row.exact | row.also), kind


@pytest.mark.long
def test_a_planted_mistake_is_named_and_a_clean_driver_is_left_alone(tmp_path):
    cells = [
        planted.Cell("sonoma", 1, "brake_early", "turn_11", 40.0, laps=6),
        planted.Cell("sonoma", 1, laps=4),
    ]
    out = tmp_path / "verdicts"
    mistaken, clean = planted.driven(cells, out, 1)
    # Broken off in the middle of a line, a campaign goes on, and drives nothing twice.
    out.write_bytes(out.read_bytes() + b'{"cell":{"track":"son')
    assert list(planted.driven(cells, out, 1)) == [mistaken, clean]
    assert mistaken.named
    assert mistaken.phase
    assert mistaken.fit == mistaken.spoken > 0
    assert mistaken.opposite == mistaken.late == mistaken.braking == 0
    assert clean.spoken == 0
    rows = planted.table([mistaken, clean])
    assert [row["kind"] for row in rows] == ["brake_early", "all", "clean 0.08 s"]
    assert (rows[0]["named"], rows[2]["false"]) == (1, 0)


@pytest.mark.long
def test_what_can_be_planted_is_worth_naming_and_not_more_often_than_asked():
    track = planted.track_of("valley")
    places = planted.plantable(track, "lift", 2)
    assert len(places) == 2
    assert {corner for corner, _ in places} <= {corner.id for corner in track.corners}


@pytest.mark.long
def test_an_extreme_drive_is_made_of_its_number_alone_and_ends_every_cue():
    assert extremes.session(7) == extremes.session(7) != extremes.session(8)
    reports = [extremes.run(seed) for seed in range(1, 5)]
    assert sum(report.spoken for report in reports) > 4
    assert not [
        wrong for report in reports for wrong in report.wrongs if "ended" in wrong or "sounded" in wrong
    ]


LINE = LedgerLine(
    cue=1,
    t=100.0,
    lap=3,
    corner="turn_1",
    phase="brake",
    text="Turn one: brake a car length later",
    tier="rule",
    priority=2,
    outcome="spoken",
    reason="",
    action_distance_m=120.0,
    clip_s=2.0,
    time_in_hand_s=1.0,
    concept="brake_later",
)


def ledger(*changes: dict[str, object], mps: float = 40.0, braking: bool = False) -> planted.Ledger:
    """A ledger of LINE, changed: one line for each."""
    heard = planted.Ledger()
    for cue, change in enumerate(changes, 1):
        line = msgspec.structs.replace(LINE, **{"cue": cue, "lap": 2 + 2 * cue, "t": 100.0 * cue, **change})
        heard.lines.append(line)
        heard.began[line.cue] = mps
        if braking:
            heard.under_braking.add(line.cue)
    return heard


@pytest.mark.parametrize(
    ("heard", "says"),
    [
        (ledger({}, {}), []),
        (ledger({"text": "Full throttle"}), ["never say"]),
        (ledger({}, {"cue": 1}), ["ended 2 times"]),
        (ledger({}, {"cue": 3}), ["never ended"]),
        (ledger({"outcome": "expired"}), ["sounded and not in the ledger"]),
        (ledger({}, braking=True), ["began under braking"]),
        (ledger({}, mps=1.0), ["told a standing car"]),
        (ledger({"time_in_hand_s": -0.4}), ["late by 0.4 s"]),
        (ledger({}, {"t": 104.0, "lap": 4, "concept": "brake_earlier", "text": "Sooner"}), ["contradiction"]),
        (ledger({}, {"t": 104.0, "lap": 4, "corner": "turn_2", "concept": "brake_earlier"}), []),
        (ledger({}, {"lap": 5}), ["again in lap 5 after 4"]),
        (ledger(*({"lap": 4, "text": f"Turn {n}", "corner": f"turn_{n}"} for n in range(9))), ["9 callouts"]),
    ],
)
def test_what_may_not_be_in_a_ledger_is_found(heard, says):
    found = list(extremes.wrongs(heard))
    assert [wrong.partition(":")[0] for wrong in found] == says or all(
        any(wrong.startswith(each) for each in says) for wrong in found
    )
    assert bool(found) == bool(says)
