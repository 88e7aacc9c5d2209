"""The coach over a real drive: eight laps of Sonoma, each call measured against what the driver did."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from coach_world import EARLY, LATE, SLOW_APEX, SLOW_EXIT, SPOKEN, Lost, technique
from long_runs import some
from taken import Taken, check, clip_s, replay

from pitwall.coach.coach import Coach
from pitwall.coach.cue import LedgerLine
from pitwall.coach.scripts import load_scripts
from pitwall.config import shipped
from pitwall.track.lap import CornerPass
from pitwall.track.library import load_track
from pitwall.track.model import Corner, Track
from pitwall.track.reference import ReferenceBuilder, ReferenceLap
from pitwall.track.technique import Technique


@pytest.fixture(scope="module")
def sonoma() -> Track:
    return load_track(shipped("track_data") / "sonoma.json")


def new_coach(track: Track, reference: ReferenceLap | None = None) -> Coach:
    scripts = load_scripts([shipped("audio_cache")], track)
    return Coach(track, scripts, clip_s, audio_delay_s=0.06, software_s=0.02, reference=reference)


@pytest.fixture(scope="module")
def driven(drives: Path, sonoma: Track) -> Taken:
    return replay(drives / "sonoma-m3-vbox.csv", sonoma)


@pytest.fixture(scope="module")
def references(driven: Taken, sonoma: Track) -> dict[str, ReferenceLap]:
    """The driver's best and slowest flying lap, and a lap one fifth slower than his best."""
    builder, laps, made = ReferenceBuilder(sonoma), iter(driven.laps), []
    lap = next(laps)
    for frame, position, _ in driven.seen:
        builder.feed(frame, position)
        if frame.t >= lap.end_t:
            built = builder.finish(lap, f"lap {lap.number}")
            if built is not None and lap.kind == "flying":
                made.append(built)
            lap = next(laps, lap)
    made.sort(key=lambda reference: reference.lap_time_s)
    slower = msgspec.structs.replace(
        made[0],
        lap_time_s=1.2 * made[0].lap_time_s,
        t_s=tuple(1.2 * t for t in made[0].t_s),
        speed_mps=tuple(speed / 1.2 for speed in made[0].speed_mps),
    )
    return {"best": made[0], "slowest": made[-1], "a fifth slower": slower}


@pytest.mark.recordings
def test_a_real_drive_has_few_calls_in_time_and_every_cue_an_end(driven: Taken) -> None:
    check(driven.lines)
    spoken = [line for line in driven.lines if line.outcome in SPOKEN]
    assert len(driven.callouts) == len(driven.began) == len(spoken)
    assert driven.under_braking() == []
    assert {"turn_7", "turn_11"} <= {line.corner for line in spoken if line.lap <= 1}
    advice = [line for line in spoken if line.concept]
    assert len({line.corner for line in advice}) >= 3
    assert all("loses" in line.reason or "behind the own best" in line.reason for line in advice)


@pytest.mark.long
def test_with_an_imported_reference(references: dict[str, ReferenceLap], drives: Path, sonoma: Track) -> None:
    given = references["a fifth slower"]
    taken = replay(drives / "sonoma-m3-vbox.csv", sonoma, ("reference", given.label), reference=given)
    check(taken.lines)
    assert taken.under_braking() == []


LOST = (EARLY, LATE, SLOW_EXIT, SLOW_APEX)


@pytest.mark.parametrize("which", some(["best", "slowest", "a fifth slower"], 1))
def test_no_call_to_any_corner_is_late(
    which: str, references: dict[str, ReferenceLap], driven: Taken, sonoma: Track
) -> None:
    """As if he lost time everywhere: three corners at a time, each group by another mistake."""
    spoken = 0
    corners = list(sonoma.corners)
    good = {
        corner.id: technique(brake_m=(corner.brake_m or corner.entry_m) - corner.entry_m)
        for corner in corners
    }
    known = msgspec.structs.replace(references[which], techniques=good)
    for first in range(0, len(corners), 3):
        lost = LOST[first // 3 % len(LOST)]
        made, lines, lap_before = new_coach(sonoma, known), list[LedgerLine](), -1
        for frame, position, lap in driven.seen:
            made.frame(frame, position, lap)
            if lap != lap_before:
                for corner in corners[first : first + 3]:
                    made.corner_pass(*losing(corner, lap_before, lost, good[corner.id]))
                lap_before = lap
            lines += made.drain()
        made.finish(driven.seen[-1][0].t)
        lines += made.drain()
        check(lines)
        spoken += sum(line.outcome in SPOKEN and line.action_distance_m is not None for line in lines)
    assert spoken > 15


def losing(corner: Corner, lap: int, lost: Lost, good: Technique) -> tuple[CornerPass, Technique]:
    """A pass of a real corner that lost time as in the small world."""
    wrong = dict(lost.wrong)
    if "brake_m" in wrong and good.brake_m is not None:
        wrong["brake_m"] = good.brake_m + (20.0 if lost is LATE else -30.0)
    passed = CornerPass(lap, corner.id, 0.0, 5.0, 5.0, 30.0, 20.0, 0.0, 30.0, None, lost.mid_s, *lost[:3])
    return passed, msgspec.structs.replace(good, **wrong)
