#!/usr/bin/env python3
"""How track_data/sonoma.json was made: the line from driven laps, the names and landmarks by hand.

scripts/build_sonoma.py sonoma-m3-vbox.csv [more recordings] [--out track_data/sonoma.json]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__" and {"-h", "--help"} & set(sys.argv):  # before what only an environment has
    sys.exit(print(__doc__))

import msgspec

from pitwall.config import shipped
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.base import Recording
from pitwall.track.build import build_track
from pitwall.track.build_merge import merge_hand_written
from pitwall.track.build_report import BuildResult, format_report, write_track
from pitwall.track.model import Corner, Gate, Landmark, Track

# 50 m across the start/finish line, square to the way the cars cross it.
GATE = Gate(38.16172177, -122.45450565, 38.16136783, -122.45485735, 308.0)
# Distance boards count feet down to the turn-in.
BOARD_300_M = 300 * 0.3048

# id, number, name, direction, nicknames, about where its apex lies (m from the gate), landmarks (kind, name).
CORNERS: tuple[
    tuple[str, str, str, str, tuple[str, ...], float, tuple[tuple[str, str], ...]], ...
] = (
    ("turn_1", "1", "Turn 1", "left", (), 270, (("wall", "the bend in the K-wall"),)),
    ("turn_2", "2", "Turn 2", "right", (), 425, (("bridge", "the bridge"),)),
    ("turn_3", "3", "Turn 3", "left", (), 720, ()),
    ("turn_3a", "3a", "Turn 3a", "right", (), 790, ()),
    ("turn_4", "4", "Turn 4", "right", (), 995, (("wall", "the step up in the wall"),)),
    ("turn_5", "5", "Turn 5", "right", (), 1210, ()),
    (
        "carousel", "6", "Turn 6, the Carousel", "left", ("carousel",), 1525,
        (("crest", "the crest"), ("tyres", "the tyre stacks")),
    ),
    ("turn_7", "7", "Turn 7", "right", (), 2155, (("board", "the 300 board"),)),
    ("turn_8", "8", "Turn 8", "left", ("esses",), 2535, ()),
    ("turn_8a", "8a", "Turn 8a", "right", ("esses",), 2630, ()),
    ("turn_9", "9", "Turn 9", "left", (), 2890, ()),
    ("turn_10", "10", "Turn 10", "right", (), 3148, (("sign", "the sign letters"),)),
    (
        "turn_11", "11", "Turn 11", "right", (), 3568,
        (("bump", "the bump"), ("tyres", "the third tyre stack")),
    ),
)  # fmt: skip

NOTES = (
    "Long course, with the Carousel, Turns 7 to 9 and the Turn 11 hairpin. Turn 5 is the fast right on the "
    "way down from 4 to the Carousel: the laps bend right there, and nowhere to the left. The left-right "
    "wiggle between 7 and 8 and the long left from 11 to the start line carry no number and are left out. "
    "The 300 board is set 300 ft before the turn-in of 7, the crest where the line is highest before the "
    "Carousel; the other landmarks have no distance because no recording shows them. The pit lane is drawn "
    "straight between where the recording ends and begins in the paddock."
)


def build_sonoma(recordings: Sequence[Recording]) -> BuildResult:
    """The shipped track, from laps of the long course."""
    built = build_track(recordings, track_id="sonoma", name="Sonoma Raceway", gate=GATE)
    by_hand = msgspec.structs.replace(
        built.track,
        name="Sonoma Raceway, long course",
        country="USA",
        corners=tuple(_by_hand()),
        notes=NOTES,
    )
    named = merge_hand_written(built.track, by_hand)
    missing = [corner.name for corner in named.corners if corner.sureness == 0.0]
    if missing:
        raise SystemExit(f"these laps do not show {', '.join(missing)}: give flying laps of the long course")
    track = msgspec.structs.replace(
        named,
        corners=tuple(_with_places(corner, named) for corner in named.corners),
        sources=(*built.track.sources, "names, numbers and landmarks written by hand"),
    )
    return BuildResult(track, built.report)


def _by_hand() -> list[Corner]:
    """The table as corners. Sureness 0: their places are only to find them by, the laps have better ones."""
    return [
        Corner(
            id=corner_id,
            name=name,
            number=number,
            nicknames=nicknames,
            direction=direction,  # type: ignore[arg-type]
            entry_m=apex_m - 1.0,
            apex_m=apex_m,
            exit_m=apex_m + 1.0,
            landmarks=tuple(Landmark(kind, mark) for kind, mark in marks),
            sureness=0.0,
        )
        for corner_id, number, name, direction, nicknames, apex_m, marks in CORNERS
    ]


def _with_places(corner: Corner, track: Track) -> Corner:
    """The corner with a distance for those landmarks whose place the data gives."""
    places = {"the crest": _crest_m(track), "the 300 board": corner.entry_m - BOARD_300_M}
    marks = tuple(
        msgspec.structs.replace(mark, distance_m=round(places[mark.name], 0)) if mark.name in places else mark
        for mark in corner.landmarks
    )
    return msgspec.structs.replace(corner, landmarks=marks)


def _crest_m(track: Track) -> float:
    """The highest point between the exit of 5 and the apex of the Carousel."""
    by_id = {corner.id: corner for corner in track.corners}
    step_m = track.length_m / len(track.centreline)
    first, last = int(by_id["turn_5"].exit_m / step_m), int(by_id["carousel"].apex_m / step_m)
    return max(range(first, last), key=lambda i: track.centreline[i][2]) * step_m


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recordings", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=shipped("track_data") / "sonoma.json")
    options = parser.parse_args(arguments)
    result = build_sonoma([open_recording(path) for path in options.recordings])
    write_track(result.track, options.out)
    print(format_report(result))
    print(f"written: {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
