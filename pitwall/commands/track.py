"""`pitwall track list|search|show|edit|build`: circuits, and tracks from driven laps."""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path

import msgspec

from pitwall.api.answers import tracks
from pitwall.commands.common import (
    JSON_LIST,
    Column,
    add_command,
    add_gate,
    add_json,
    add_runs,
    given_gate,
    note,
    print_answer,
    print_json,
    print_table,
    say,
)
from pitwall.commands.stored_or_served import either
from pitwall.config import Home
from pitwall.contract.changes import Match
from pitwall.contract.problems import UserError
from pitwall.store.store import Store
from pitwall.track.circuits import layout_name
from pitwall.track.edit import (
    place_on,
    start_in_corner,
    with_corner_names,
    with_sectors,
    with_start,
)
from pitwall.track.library import find_problem, known_tracks, load_track
from pitwall.track.model import Track

# More rows than anybody reads.
MOST_FOUND = 40
TRACK_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = add_command(actions, "list", "list the known tracks", _list)
    add_json(listed, JSON_LIST)
    search = add_command(actions, "search", "find a circuit of the world by its name", _search)
    search.add_argument("words", nargs="+", metavar="WORD", help="a part of its name or of the layout's")
    add_json(search, JSON_LIST)
    show = add_command(actions, "show", "show a known track, or a circuit of the world", _show)
    show.add_argument("track", help="its id, as `list` or `search` shows it")
    add_json(show, "one JSON object, with the line")
    edit = add_command(
        actions, "edit", "move a start line, set your sectors, name a track or its corners", _edit
    )
    edit.add_argument("track", help="its id, as `list` or `search` shows it")
    edit.add_argument("--name", help="what the track is called")
    edit.add_argument(
        "--corner",
        action="append",
        default=[],
        metavar="ID=NAME",
        type=_corner_name,
        help='what a corner is called: --corner "turn_3=The Hairpin"; may be given several times',
    )
    edit.add_argument(
        "--start",
        metavar="LAT,LON|METRES",
        type=_start_place,
        help="where laps begin: a place on the track, or metres after today's start line",
    )
    edit.add_argument(
        "--sectors",
        metavar="END,END...",
        type=_sector_ends,
        help="where your sectors end: metres after the start line, or corners at whose exit: 900,turn_7",
    )
    build = add_command(actions, "build", "build a track from driven laps, or a course from runs", _build)
    build.add_argument(
        "recordings", nargs="+", type=Path, metavar="RECORDING", help="a recording of any known format"
    )
    build.add_argument("--id", help="the track's id, such as road_america (default: from the file's name)")
    build.add_argument("--name", help="the track's name (default: its id)")
    build.add_argument(
        "--out", type=Path, metavar="FILE", help="the file to write (default: track_data/ in the home)"
    )
    add_gate(build)
    add_runs(build)
    add_json(build, "one JSON object: the report")


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
        Column("layout", wrap=True),
        Column("length", right=True),
        Column("direction", spare=True),
        Column("corners", right=True),
    )
    rows = [
        (each.id, each.name, each.layout, f"{each.length_m:.0f} m", each.direction, str(len(each.corners)))
        for each in found
    ]
    print_table(columns, rows)
    return 0


def _search(arguments: argparse.Namespace, home: Home) -> int:
    from pitwall.drive.prepare import world_circuits  # here and below: a list of tracks needs no drive

    found = world_circuits().search(" ".join(arguments.words), MOST_FOUND + 1)
    if arguments.json:
        print_json(found)
        return 0
    if not found:
        raise UserError(
            f"no circuit of the world has {' '.join(arguments.words)!r} in its name; "
            "after some laps: pitwall track build RECORDING"
        )
    columns = (Column("id", wrap=True), Column("name", wrap=True), "layout", Column("length", right=True))
    rows = [(each.id, each.name, each.layout, f"{each.length_m:.0f} m") for each in found[:MOST_FOUND]]
    print_table(columns, rows)
    if len(found) > MOST_FOUND:
        note(f"there are more than {MOST_FOUND}: give more of the name")
    return 0


def _show(arguments: argparse.Namespace, home: Home) -> int:
    known, _ = known_tracks(home)
    track = known.get(arguments.track) or _circuit(arguments.track)
    if arguments.json:
        print_json(track)
        return 0
    layout = layout_name(track)
    say(f"{track.name}{layout and f', {layout}'} ({track.id}): {track.lap_m:.0f} m, {track.direction}")
    for line in (*track.sources, track.notes) if track.notes else track.sources:
        say(line)
    columns = (
        Column("corner", wrap=True),
        "",
        Column("entry", right=True),
        Column("apex", right=True),
        Column("exit", right=True),
        Column("brake", right=True),
    )
    rows = [
        (
            each.name,
            each.direction,
            f"{each.entry_m:.0f} m",
            f"{each.apex_m:.0f} m",
            f"{each.exit_m:.0f} m",
            "" if each.brake_m is None else f"{each.brake_m:.0f} m",
        )
        for each in track.corners
    ]
    print_table(columns, rows)
    if track.sectors_m:
        say(
            f"sectors end at {', '.join(f'{end_m:.0f} m' for end_m in track.sectors_m)} and at the start line"
        )
    if (corner := start_in_corner(track)) is not None:
        say(
            f"the start line lies in {corner.name}, where start lines hardly are; if laps begin elsewhere: "
            f"pitwall track edit {track.id} --start METRES"
        )
    return 0


def _edit(arguments: argparse.Namespace, home: Home) -> int:
    known, _ = known_tracks(home)
    track = before = known.get(arguments.track) or _circuit(arguments.track)
    if arguments.name is not None:
        track = msgspec.structs.replace(track, name=arguments.name)
    track = with_corner_names(track, dict(arguments.corner))
    if arguments.start is not None:
        start = arguments.start
        track = with_start(track, place_on(track, *start) if isinstance(start, tuple) else start)
    if arguments.sectors is not None:
        track = with_sectors(track, arguments.sectors)
    if track == before:
        raise UserError("nothing to change: give --name, --corner, --start or --sectors")
    path = home.track_data / f"{track.id}.json"
    if (problem := find_problem(track)) is not None:
        raise UserError(f"{problem[0]}: {problem[1]} ({problem[2]})")
    from pitwall.track.build_report import write_track

    try:
        write_track(track, path)
    except OSError as error:
        raise UserError(f"{path} can't be written: {error.strerror or error}") from None
    say(f"{track.name} is changed: {path}")
    if (corner := start_in_corner(track)) is not None and arguments.start is not None:
        note(f"the start line lies in {corner.name} now; start lines are mostly on a straight")
    for line in _match_sessions(home):
        say(line)
    return 0


def _corner_name(text: str) -> tuple[str, str]:
    corner, _, name = text.partition("=")
    if not corner or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r}: give a corner's id and its name, as turn_3=The Hairpin")
    return corner, name.strip()


def _start_place(text: str) -> tuple[float, float] | float:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    match numbers:
        case [metres] if math.isfinite(metres):
            return metres
        case [lat_deg, lon_deg] if abs(lat_deg) <= 90.0 and abs(lon_deg) <= 180.0:
            return lat_deg, lon_deg
    raise argparse.ArgumentTypeError(f"{text!r}: give LAT,LON in degrees, or metres after the start line")


def _sector_ends(text: str) -> list[float | str]:
    ends: list[float | str] = []
    for part in text.split(","):
        try:
            ends.append(float(part))
        except ValueError:
            ends.append(part.strip())
    return ends


def _circuit(circuit: str) -> Track:
    from pitwall.drive.prepare import world_circuits

    circuits = world_circuits()
    found = circuits.get(circuit)
    if found is None:
        raise UserError(
            f"there is no track and no circuit {circuit!r}; look for it: pitwall track search NAME"
        )
    return circuits.track(found)


def _build(arguments: argparse.Namespace, home: Home) -> int:
    track_id = arguments.id or _slug(arguments.recordings[0].stem)
    if not TRACK_ID.fullmatch(track_id):
        raise UserError(f"--id {track_id!r}: use small letters, digits, _ and -, at most 64")
    from pitwall.drive.prepare import opened, usable_gate
    from pitwall.track.build import build_track
    from pitwall.track.build_merge import merge_hand_written
    from pitwall.track.build_report import format_report, write_track

    path = arguments.out or home.track_data / f"{track_id}.json"
    try:
        recordings = [opened(each, home) for each in arguments.recordings]
        gate = usable_gate(recordings[0], given_gate(arguments))
        result = build_track(recordings, track_id=track_id, name=arguments.name or track_id, gate=gate)
        existing = load_track(path) if path.exists() else known_tracks(home)[0].get(track_id)
        if existing is not None:
            merged = merge_hand_written(result.track, existing)
            result = msgspec.structs.replace(result, track=merged)
        track = result.track
        path.parent.mkdir(parents=True, exist_ok=True)
        write_track(track, path)
    except OSError as error:
        raise UserError(f"{path} can't be written: {error.strerror or error}") from None
    matched = _match_sessions(home) if path.parent == home.track_data else ()
    answer = {
        "track": track.id,
        "file": str(path),
        "length_m": track.lap_m,
        "report": result.report,
        "matched": matched,
    }
    kept = "add names and landmarks there: what you write is kept when you build again"
    lines = [format_report(result), f"\nwritten to {path}; {kept}", *matched]
    print_answer(answer, lines, as_json=arguments.json)
    return 0


def _match_sessions(home: Home) -> tuple[str, ...]:
    if not home.database.exists():
        return ()
    from pitwall.api import changes

    def own(store: Store) -> tuple[str, ...]:
        changed = changes.apply(store, Match(), tell=note)
        return changed.lines if changed.sessions else ()

    promise = "the running daemon measures the sessions that were driven there again while the car stands"
    return either(home, own, lambda _: (promise,), use="write")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:64] or "track"
