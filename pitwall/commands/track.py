"""`pitwall track list|build`: the known tracks, and making one from driven laps."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import msgspec

from pitwall.api import changes
from pitwall.api.answers import tracks
from pitwall.commands.common import (
    Column,
    UserError,
    add_command,
    add_gate,
    note,
    print_json,
    print_table,
    say,
)
from pitwall.commands.stored_or_served import either
from pitwall.config import Home
from pitwall.contract.changes import Match
from pitwall.drive.prepare import known_tracks, usable_gate
from pitwall.store.store import Store
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.track.build import build_track
from pitwall.track.build_laps import TrackBuildError
from pitwall.track.build_merge import merge_hand_written
from pitwall.track.build_report import format_report, write_track
from pitwall.track.library import TrackError, load_track

TRACK_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`list`, or `build RECORDING...`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = add_command(actions, "list", "list the known tracks")
    listed.add_argument("--json", action="store_true", help="a JSON list")
    build = add_command(actions, "build", "build a track from driven laps of a closed circuit")
    build.add_argument(
        "recordings", nargs="+", type=Path, metavar="RECORDING", help="a recording of any known format"
    )
    build.add_argument("--id", help="the track's id, such as road_america (default: from the file's name)")
    build.add_argument("--name", help="the track's name (default: its id)")
    build.add_argument(
        "--out", type=Path, metavar="FILE", help="the file to write (default: track_data/ in the home)"
    )
    add_gate(build)
    build.add_argument("--json", action="store_true", help="one JSON object: the report")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """List or build."""
    return _list(arguments, home) if arguments.action == "list" else _build(arguments, home)


def _list(arguments: argparse.Namespace, home: Home) -> int:
    found, problems = tracks(home)
    for problem in problems:
        note(problem)
    if arguments.json:
        print_json(found)
        return 0
    columns = (
        "id",
        Column("name", wrap=True),
        Column("length", right=True),
        "direction",
        Column("corners", right=True),
    )
    rows = [
        (each.id, each.name, f"{each.length_m:.0f} m", each.direction, str(len(each.corners)))
        for each in found
    ]
    print_table(columns, rows)
    return 0


def _build(arguments: argparse.Namespace, home: Home) -> int:
    track_id = arguments.id or _slug(arguments.recordings[0].stem)
    if not TRACK_ID.fullmatch(track_id):
        raise UserError(f"--id {track_id!r}: use small letters, digits, _ and -, at most 64")
    path = arguments.out or home.track_data / f"{track_id}.json"
    try:
        recordings = [open_recording(each) for each in arguments.recordings]
        gate = usable_gate(recordings[0], arguments.gate)
        result = build_track(recordings, track_id=track_id, name=arguments.name or track_id, gate=gate)
        existing = load_track(path) if path.exists() else known_tracks(home)[0].get(track_id)
        if existing is not None:
            merged = merge_hand_written(result.track, existing)
            result = msgspec.structs.replace(result, track=merged)
        track = result.track
        path.parent.mkdir(parents=True, exist_ok=True)
        write_track(track, path)
    except (RecordingError, TrackBuildError, TrackError) as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"{path} can't be written: {error.strerror or error}") from None
    matched = _match_sessions(home) if path.parent == home.track_data else ()
    if arguments.json:
        answer = {
            "track": track.id,
            "file": str(path),
            "length_m": track.length_m,
            "report": result.report,
            "matched": matched,
        }
        print_json(answer)
    else:
        say(format_report(result))
        say(
            f"\nwritten to {path}; add names and landmarks there: what you write is kept when you build again"
        )
        for line in matched:
            say(line)
    return 0


def _match_sessions(home: Home) -> tuple[str, ...]:
    """Measure the stored sessions that were driven there again; what came of them, in lines."""
    if not home.database.exists():
        return ()

    def own(store: Store) -> tuple[str, ...]:
        changed = changes.apply(store, Match(), tell=note)
        return changed.lines if changed.sessions else ()

    told = "the running daemon measures the sessions that were driven there again while the car stands"
    return either(home, own, lambda _: (told,), use="write")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:64] or "track"
