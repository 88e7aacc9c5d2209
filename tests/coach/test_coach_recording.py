"""The coach over a real drive: eight laps of Sonoma, each call measured against what the driver did."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from coach_world import SPOKEN
from long_runs import some
from taken import Taken, check, clip_s, replay

from pitwall.coach.coach import Coach
from pitwall.coach.cue import LedgerLine
from pitwall.coach.lead import REACTION_S
from pitwall.coach.scripts import load_scripts
from pitwall.config import shipped
from pitwall.track.library import load_track
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceBuilder, ReferenceLap


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
    assert advice
    assert all("loses" in line.reason for line in advice)
    assert max(Counter(line.lap for line in advice).values()) <= 2
    flying = [lap for lap in driven.laps if lap.kind == "flying"]
    for line in (line for line in spoken if line.phase == "lap_time"):
        assert any(0.0 <= line.t - lap.end_t <= 5.0 for lap in flying), line


@pytest.mark.long
def test_with_an_imported_reference(references: dict[str, ReferenceLap], drives: Path, sonoma: Track) -> None:
    given = references["a fifth slower"]
    taken = replay(drives / "sonoma-m3-vbox.csv", sonoma, ("reference", given.label), reference=given)
    check(taken.lines)
    assert taken.under_braking() == []


@pytest.mark.parametrize("which", some(["best", "slowest", "a fifth slower"], 1))
def test_no_call_to_any_corner_is_late(
    which: str, references: dict[str, ReferenceLap], driven: Taken, sonoma: Track
) -> None:
    """As if he lost time everywhere: all corners, three of them at a time."""
    spoken = 0
    corners = [corner.id for corner in sonoma.corners]
    for first in range(0, len(corners), 3):
        made, lines, lap_before = new_coach(sonoma, references[which]), list[LedgerLine](), -1
        for frame, position, lap in driven.seen:
            if lap != lap_before:  # nothing of the drive itself is evidence
                made = new_coach(sonoma, references[which])
                made.recall((corner, "brake_later") for corner in corners[first : first + 3])
                lap_before = lap
            made.frame(frame, position, lap)
            lines += made.drain()
        said = [line for line in lines if line.outcome in SPOKEN and line.action_distance_m is not None]
        assert all(line.time_in_hand_s >= REACTION_S for line in said)
        spoken += len(said)
    assert spoken > 15
