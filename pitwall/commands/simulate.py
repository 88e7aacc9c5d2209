"""`pitwall simulate TRACK`: write a simulated recording, which names itself as simulated."""

from __future__ import annotations

import argparse
from pathlib import Path

from pitwall.commands.common import add_json, print_json, say
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.drive.prepare import known_tracks
from pitwall.simulator.mistakes import ROWS, parse_mistake
from pitwall.simulator.plan import Sensors, SimulationError, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.telemetry.recordings.written import WRITTEN
from pitwall.track.library import load_track
from pitwall.track.model import Track

# Options of one value: flag, type, default, metavar, help.
OPTIONS: tuple[tuple[str, type, object, str, str], ...] = (
    ("--laps", int, 3, "N", "flying laps; an out lap and an in lap are added (default: 3)"),
    ("--rate", float, 10.0, "HZ", "rows per second (default: 10)"),
    ("--seed", int, 1, "N", "the same seed drives the same laps (default: 1)"),
    ("--gps-latency", float, 0.0, "S", "how old a position is at its time stamp (default: 0)"),
    ("--out", Path, None, "FILE", "the file to write (default: TRACK-simulated in this folder)"),
)
MISTAKES = (
    "CORNER:KIND=AMOUNT[@LAPS][~LAPS to unlearn it], such as turn_7:brake_early=15@2-4; may be repeated. "
    + "KIND: "
    + "; ".join(f"{kind} ({row.what}; {row.unit})" for kind, row in ROWS.items())
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("track", metavar="TRACK", help="a track's id (pitwall track list) or a track file")
    known = ", ".join(sorted(WRITTEN))
    parser.add_argument(
        "--format", default="vbo", choices=WRITTEN, metavar="FORMAT", help=f"{known} (default: vbo)"
    )
    for flag, kind, default, metavar, text in OPTIONS:
        parser.add_argument(flag, type=kind, default=default, metavar=metavar, help=text)
    parser.add_argument("--mistake", action="append", default=[], metavar="MISTAKE", help=MISTAKES)
    parser.add_argument("--force", action="store_true", help="overwrite the file if the file exists")
    add_json(parser, "one JSON object with what was really driven")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Run the command; return its exit code."""
    track = _track(arguments.track, home)
    path = arguments.out or Path(f"{track.id}-simulated{WRITTEN[arguments.format].suffix}")
    if path.exists() and not arguments.force:
        raise UserError(f"{path} exists already; name another file with --out, or overwrite it with --force")
    try:
        plan = SimulationPlan(
            laps=arguments.laps,
            rate_hz=arguments.rate,
            seed=arguments.seed,
            mistakes=tuple(parse_mistake(text, track) for text in arguments.mistake),
            sensors=Sensors(gps_latency_s=arguments.gps_latency),
        )
        summary = simulate_to_file(track, plan, arguments.format, path)
    except SimulationError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"{path} can't be written: {error.strerror or error}") from None
    if arguments.json:
        print_json(summary)
        return 0
    say(f"{summary.path}: {summary.samples} rows of {summary.duration_s:.0f} s, simulated at {track.name}")
    for lap in summary.truth.laps:
        say(f"  lap {lap.number} {lap.kind:<6} {home.words.figures.clock(lap.time_s):>9}")
    return 0


def _track(wanted: str, home: Home) -> Track:
    tracks, _ = known_tracks(home)
    if wanted in tracks:
        return tracks[wanted]
    if Path(wanted).is_file():
        return load_track(Path(wanted))
    known = ", ".join(sorted(tracks)) or "none"
    raise UserError(f"there is no track {wanted!r}; there are {known}, or name a track file")
