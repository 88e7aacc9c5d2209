"""What the passes of a drive lost, by the paddock's own diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pitwall.analysis.study import make_study
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


def losses(
    track: Track, laps: Sequence[Lap], seen: Sequence[tuple[Frame, Position]]
) -> dict[tuple[int, str], float]:
    """Seconds that each flying pass lost to the best one, by lap and corner."""
    builder, curves, waiting = ReferenceBuilder(track), dict[int, ReferenceLap](), list(laps)
    for frame, position in seen:
        builder.feed(frame, position)
        while waiting and frame.t > waiting[0].end_t:
            lap = waiting.pop(0)
            curve = builder.finish(lap)
            if curve is not None:
                curves[lap.number] = curve
    study = make_study("s", track, laps, curves, Seen(seen))
    corners = [] if study is None else [corner.id for corner in track.corners]
    found = {(lap, corner): study.loss_of(lap, corner) for lap in curves for corner in corners if study}
    return {key: each.loss_s for key, each in found.items() if each is not None}
