"""The matrix judges ledgers as it should: on drives with a known truth, and on ledgers with known faults."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import planted

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
