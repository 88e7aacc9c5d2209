"""What the passes of a drive lost, by the paddock's own diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pitwall.analysis.study import Study, make_study
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Lap, Position
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceBuilder, ReferenceLap

COLUMNS = ("t", "status", "distance_m", "speed_mps", "throttle_pct", "brake_bar", "brake_pct")


class Seen:
    """A drive's moments as columns."""

    def __init__(self, seen: Iterable[tuple[Frame, Position]]) -> None:
        rows = [
            (frame.t, at.status, at.distance_m, *(getattr(frame, name) for name in COLUMNS[3:]))
            for frame, at in seen
        ]
        for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True):
            setattr(self, name, column)


def study_of(track: Track, laps: Sequence[Lap], seen: Sequence[tuple[Frame, Position]]) -> Study | None:
    """What the paddock makes of a drive."""
    builder, curves, waiting = ReferenceBuilder(track), dict[int, ReferenceLap](), list(laps)
    for frame, position in seen:
        builder.feed(frame, position)
        while waiting and frame.t > waiting[0].end_t:
            lap = waiting.pop(0)
            curve = builder.finish(lap)
            if curve is not None:
                curves[lap.number] = curve
    return make_study("s", track, laps, curves, Seen(seen))


def losses(
    track: Track, laps: Sequence[Lap], seen: Sequence[tuple[Frame, Position]]
) -> dict[tuple[int, str], float]:
    """Seconds that each flying pass lost to the best one, by lap and corner."""
    study = study_of(track, laps, seen)
    keys = [(lap.number, corner.id) for lap in laps for corner in track.corners]
    found = {} if study is None else {key: study.loss_of(*key) for key in keys}
    return {key: each.loss_s for key, each in found.items() if each is not None}
