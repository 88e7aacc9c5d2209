"""Sentences whose figures are recomputed from the raw recording, by code that shares nothing with ours."""

from __future__ import annotations

import itertools
import json
import math
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from raw_drives import sonoma_rows
from stored_facts import COMPOSED

from pitwall.analysis.compose import compose_debrief
from pitwall.analysis.drive import load_drive
from pitwall.analysis.port import Facts
from pitwall.analysis.progress import make_plan
from pitwall.analysis.report import profile_events, progress_on
from pitwall.analysis.study import left_out_laps
from pitwall.analysis.tool_kit import others_here
from pitwall.analysis.tools import Tools
from pitwall.drive.reference import remembered
from pitwall.paddock.composed import Composed
from pitwall.paddock.roster import answer_of
from pitwall.simulator.plan import Mistake
from pitwall.store.lessons import put_profile_events
from pitwall.store.queries import real_ones, session
from pitwall.track.lap import Lap
from pitwall.track.model import Track

SONOMA = "sonoma-m3-vbox.csv"


@pytest.fixture(scope="module")
def raw(drives: Path) -> list[dict[str, float]]:
    """The rows of the VBOX file: t in seconds, degrees, and its channels as they are written."""
    return sonoma_rows(drives / SONOMA)


@pytest.fixture(scope="module")
def lap_times(recordings: Path) -> dict[int, float]:
    """The M3's flying laps, by their numbers, as they were worked out independently."""
    times = json.loads((recordings / "oracles.json").read_bytes())[SONOMA]["laps_s"]
    return {number: time_s for number, time_s in enumerate(times, 1) if number > 1}


@pytest.fixture(scope="module")
def told(sonoma: Any, tools: Tools) -> Any:
    composed = Composed(tools, sonoma[1])
    return lambda agent, question="": composed(agent, question).partition("] ")[2]


def passings(raw: list[dict[str, float]], place: tuple[float, float]) -> list[float]:
    """When the car passed a place, one time a lap: its nearest fixes, between them by least distance."""
    east = math.cos(math.radians(place[0])) * 111_320.0
    xy = [((row["lon"] - place[1]) * east, (row["lat"] - place[0]) * 111_132.0) for row in raw]
    away = [math.hypot(*each) for each in xy]
    found = []
    for i in range(1, len(raw) - 1):
        if away[i] < 20.0 and away[i - 1] >= away[i] < away[i + 1]:
            dx, dy = xy[i + 1][0] - xy[i - 1][0], xy[i + 1][1] - xy[i - 1][1]
            share = -(xy[i - 1][0] * dx + xy[i - 1][1] * dy) / (dx * dx + dy * dy)
            found.append(raw[i - 1]["t"] + share * (raw[i + 1]["t"] - raw[i - 1]["t"]))
    return found


def test_temperatures_are_told_by_their_least_and_most(told: Any, raw: list[dict[str, float]]) -> None:
    said = told("WeatherAdaptationAgent")
    for name in ("coolant", "oil"):
        least, most = (f(row[name] for row in raw) for f in (min, max))
        assert f"{name} from {least:.0f} to {most:.0f} °C" in said


@pytest.mark.recordings
def test_a_peak_of_acceleration_was_held(told: Any, raw: list[dict[str, float]]) -> None:
    said = float(re.search(r": (\d\.\d\d) g", told("TelemetryAgent", "how many g did I pull"))[1])  # type: ignore[index]
    forces = [abs(row["g_lat"]) for row in raw]
    held = max(min(forces[i : i + 4]) for i in range(len(forces) - 3))
    # The stored signal is the logger's less its bias against GPS.
    assert said == pytest.approx(held, abs=0.15)
    assert said < max(forces) - 0.5


@pytest.mark.recordings
def test_the_stint_lies_within_what_its_laps_that_count_do(
    told: Any, tools: Tools, lap_times: dict[int, float]
) -> None:
    times = [lap_times[number] for number in tools.report().potential.laps]
    said = told("RacePaceAgent")
    within_s = float(re.search(r"within (\d+\.\d\d) s", said)[1])  # type: ignore[index]
    assert within_s == pytest.approx(max(times) - min(times), abs=0.05)


@pytest.mark.recordings
def test_the_most_lost_at_one_place_is_that_of_the_raw_fixes(
    told: Any, sonoma: Any, raw: list[dict[str, float]], lap_times: dict[int, float]
) -> None:
    _store, facts, row = sonoma
    said = told("IncidentReviewAgent")
    found = re.search(r"(Turn \w+) in lap (\d+), (\d+\.\d) s slower than in lap (\d+)", said)
    assert found is not None, said
    # The track file's corners say which places are meant; the times are the recording's.
    track = facts.track(row.track)
    corners = sorted(track.corners, key=lambda corner: corner.apex_m)
    at = next(i for i, corner in enumerate(corners) if corner.name == found[1])

    def middle(one: Any, other: Any) -> tuple[float, float]:
        far_m = (one.exit_m + ((other.entry_m - one.exit_m) % track.length_m) / 2.0) % track.length_m
        point = track.centreline[
            round(far_m / track.length_m * len(track.centreline)) % len(track.centreline)
        ]
        return point[0], point[1]

    begin = passings(raw, middle(corners[at - 1], corners[at]))
    end = passings(raw, middle(corners[at], corners[(at + 1) % len(corners)]))
    spans = [min(t for t in end if t > start) - start for start in begin[1:8]]
    # The first passing is of the lap from the pit; the numbers of laps begin at one with it.
    span = dict(zip(range(2, 9), spans, strict=True))
    assert span[int(found[2])] - span[int(found[4])] == pytest.approx(float(found[3]), abs=0.1)
    assert "went wrong" not in told("IncidentReviewAgent", "any yellow flags?")


@pytest.mark.recordings
def test_a_lap_far_off_the_best_is_no_evidence_and_named(tools: Tools) -> None:
    """Lap 7 of the M3, 6 s slower than the lap before it, is not half of what is held against the driver."""
    report = tools.report()
    assert all(7 not in each.laps + each.judged_laps for each in report.opportunities)
    assert "far off your best in lap 7: it does not count." in compose_debrief(report)


@pytest.mark.parametrize(
    ("times_s", "slow"),
    [
        ((110.0, 104.0, 100.0, 106.0, 100.5), [1, 4]),  # no attempt; in traffic
        ((104.9, 103.0, 100.0), []),  # on the way to the best lap
        ((100.0, 105.0, 105.2, 105.1), []),  # he drives like that
    ],
)
def test_which_laps_are_far_off_the_best(times_s: Sequence[float], slow: list[int]) -> None:
    laps = [Lap(at, "flying", 0.0, time_s, time_s) for at, time_s in enumerate(times_s, 1)]
    assert [lap.number for lap in left_out_laps(laps)] == slow


@pytest.mark.recordings
def test_the_usual_lap_is_that_of_the_laps_that_count(tools: Tools, lap_times: dict[int, float]) -> None:
    report = tools.report()
    counting = [time_s for number, time_s in lap_times.items() if number in report.potential.laps]
    assert report.potential.usual_s == pytest.approx(statistics.median(counting), abs=0.02)
    assert f"({len(counting)} laps count)" in compose_debrief(report)


@pytest.mark.recordings
def test_what_a_corner_costs_is_there_in_the_raw_fixes(
    tools: Tools, sonoma: Any, raw: list[dict[str, float]]
) -> None:
    """Between the ends of its segment, by when the fixes pass those places; and the theoretical best gains no
    more than all of them do."""
    report, study = tools.report(), load_drive(sonoma[1], sonoma[2]).study
    track = sonoma[1].track(sonoma[2].track)
    assert study is not None
    assert report.opportunities
    for each in report.opportunities[:3]:
        segment = study.segment_of(each.corner)
        assert segment is not None
        ends = []
        for far_m in (segment.begin_m, segment.end_m):
            at = round(far_m / track.length_m * len(track.centreline)) % len(track.centreline)
            ends.append(passings(raw, track.centreline[at][:2]))
        spans = {}
        for own in study.passes[segment.index]:
            start = min(ends[0], key=lambda t, own=own: abs(t - own.begin_t))
            spans[own.lap] = min(t for t in ends[1] if t > start) - start
        costs = statistics.median(spans[lap] for lap in each.laps) - min(spans.values())
        assert costs == pytest.approx(each.losing_s, abs=0.12), each.corner
    gains = [piece.gain_s for piece in report.potential.pieces]
    assert report.potential.gain_s == pytest.approx(sum(gains), abs=0.02)
    said = re.search(r"joined make 1:(\d+\.\d+)", compose_debrief(report))
    assert said is not None
    assert 60.0 + float(said[1]) == pytest.approx(report.potential.theory_s, abs=0.001)


@pytest.mark.long
def test_with_another_session_stored_it_is_not_said_that_there_is_none(store: Any, drive: Any) -> None:
    slow = drive(*(Mistake(f"turn_{n}", "overslow", 2.0, 1, 3) for n in (1, 2)), laps=3, seed=2)
    tools = Tools(Facts(store))

    def gold(row: Any) -> str:
        name = "reference_lap_comparison"
        return answer_of("GoldLapAgent", {name: tools.about(row).table()[name]()})

    assert gold(slow).startswith("No other session is stored on this track.")
    quick = drive(laps=3, seed=3)
    tools = Tools(Facts(store))
    assert gold(quick).startswith("No lap of another session here is faster than your best one.")
    behind = gold(slow)
    assert re.search(r"s behind lap \d of another session, driven on \d{4}-\d\d-\d\d\.", behind), behind
    assert quick.id not in behind


@pytest.mark.long
def test_simulated_laps_count_beside_simulated_ones_only(store: Any, drive: Any, club: Track) -> None:
    slow = drive(*(Mistake(f"turn_{n}", "overslow", 2.0, 1, 3) for n in (1, 2)), laps=3, seed=2)
    quick, facts = drive(laps=3, seed=3), Facts(store)
    for each in (slow, quick):
        put_profile_events(store, each.id, profile_events(facts, each))
    store.flush()
    assert progress_on(facts, "club").personal_best_s == quick.best_lap_s
    assert {each.session for each in facts.events("")} == {slow.id, quick.id}
    assert remembered(store, club, "", "").reference.label.startswith(quick.id)
    # The slow one was driven by somebody.
    store.put("UPDATE sessions SET venue = '' WHERE id = ?", [slow.id])
    store.flush()
    assert progress_on(facts, "club").personal_best_s == slow.best_lap_s
    assert {each.session for each in facts.events("")} == {slow.id}
    assert remembered(store, club, "", "").reference.label.startswith(slow.id)
    assert [row.id for row in real_ones(facts.sessions())] == [slow.id]
    own = load_drive(facts, session(store, slow.id))
    assert others_here(Tools(facts).kit, own) == []


def test_a_plan_is_no_longer_than_what_is_driven(tools: Tools) -> None:
    fault = tools.report().opportunities[:1]
    for laps, faults in itertools.product([0, 3, 4, 5, 7, 9, 10, 12, 17, 40], [0, 1, 3]):
        plan = make_plan(laps, fault * faults, ())
        assert plan.total_laps <= max(laps, 4), (laps, faults)
        assert all(block.laps >= 1 for block in plan.blocks), (laps, faults)
        assert sum(block.laps for block in plan.blocks) == plan.total_laps, (laps, faults)


def test_no_sentence_has_an_id_or_a_channel_in_it(sonoma: Any, told: Any) -> None:
    _store, _facts, row = sonoma
    for agent in ("DebriefPipeline", "BriefPipeline", *COMPOSED):
        said = told(agent)
        assert row.id not in said
        assert not re.search(r"\b(?:coolant_c|degC|\w+_(?:deg|dps|mps|c))\b", said), said
