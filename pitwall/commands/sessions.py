"""`pitwall sessions`: list the stored sessions, and change them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import msgspec

from pitwall.analysis.port import track_in
from pitwall.commands.common import (
    JSON_LIST,
    SESSION_HELP,
    Column,
    add_command,
    add_json,
    note,
    print_answer,
    print_json,
    print_table,
    say,
)
from pitwall.commands.stored_or_served import (
    daemon_client,
    either,
    events_of,
    stored_session,
    stored_sessions,
    tell,
    wait_for,
)
from pitwall.config import Home
from pitwall.contract.changes import (
    Aim,
    Change,
    Changed,
    ChangeEvent,
    Conditions,
    Delete,
    Describe,
    EmptyTrash,
    LapWord,
    MarkLaps,
    Match,
    NotChanged,
    Redate,
    Rename,
    Restore,
    SetAim,
    Tag,
    Working,
)
from pitwall.contract.problems import UserError
from pitwall.contract.status import Marked, MarkNow
from pitwall.store.queries import SessionRow, when_driven
from pitwall.telemetry.recordings.journal import SUFFIX
from pitwall.track.lap import MARKS
from pitwall.words.language import Language
from pitwall.words.units import Filler

# What `note` takes, "" takes it back.
NOTED = (
    ("car", "TEXT", "in place of the recording's"),
    ("tyres", "TEXT", "their make and age"),
    ("pressures", "FL,FR,RL,RR", "cold, all four, in your units"),
    ("weather", "dry|damp|wet", "of the track"),
    ("air", "DEGREES", "its temperature"),
    ("track", "DEGREES", "its temperature"),
    ("fuel", "LITRES", "at the start"),
    ("setup", "TEXT", "what was changed on the car"),
    ("notes", "TEXT", "anything else"),
)
NAME_RULE = "a name has 1 to 60 characters, none of them / \\ or :, and does not begin with - or ."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--replays", action="store_true", help="list replays too")
    add_json(parser, JSON_LIST)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")

    def action(name: str, summary: str) -> argparse.ArgumentParser:
        made = add_command(actions, name, summary)
        add_json(made)
        return made

    match = action("match", "measure sessions again with the tracks as they are now")
    match.add_argument(
        "sessions", nargs="*", metavar="SESSION", help="default: all that were measured with other tracks"
    )
    match.add_argument(
        "--track", metavar="ID|none|auto", help="use this track whatever is found there; auto takes that back"
    )
    rename = action("rename", "give a session a name, which is accepted wherever an id is")
    rename.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    rename.add_argument("name", nargs="?", metavar="NAME", help="without one the name is removed")
    tag = action("tag", "add tags to a session")
    tag.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    tag.add_argument("tags", nargs="*", metavar="TAG")
    tag.add_argument("--remove", nargs="+", default=[], metavar="TAG", help="remove these tags")
    date = action("date", "say when a session was driven")
    date.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    date.add_argument(
        "when",
        nargs="*",
        metavar="WHEN",
        help="2025-05-17, or 2025-05-17 14:03 in UTC; nothing takes it back",
    )
    mark = action("mark", "say that laps were driven in traffic or under yellow: they do not count")
    mark.add_argument(
        "words",
        nargs="*",
        metavar="SESSION LAP... MARK",
        help=f"MARK: {', '.join(get_args(LapWord))}. MARK alone is said of the lap that is driven now; "
        "nothing notes the moment",
    )
    note_ = action("note", "note the tyres, pressures, weather, fuel and set-up of a session or a stint")
    note_.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    note_.add_argument(
        "--from-lap", type=int, default=0, metavar="N", help="of the stint that begins with this lap"
    )
    for name, metavar, what in NOTED:
        note_.add_argument(f"--{name}", metavar=metavar, help=what)
    goal = action("goal", "set the lap time that you want to reach on a track")
    goal.add_argument("track", metavar="TRACK", help="its id: pitwall track list")
    goal.add_argument("time", metavar="TIME", nargs="?", help="1:45.2; nothing takes the goal back")
    goal.add_argument("--by", default="", metavar="DAY", help="2027-05 or 2027-05-17")
    delete = action("delete", "move sessions to the trash")
    delete.add_argument("sessions", nargs="+", metavar="SESSION", help=SESSION_HELP)
    delete.add_argument("--yes", action="store_true", help="don't ask")
    action("trash", "list what is in the trash")
    restore = action("restore", "take sessions out of the trash")
    restore.add_argument("sessions", nargs="+", metavar="SESSION", help="an id, or its beginning")
    empty = action("empty", "delete for good what is in the trash")
    empty.add_argument("--yes", action="store_true", help="don't ask")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """List the sessions in the order in which they were driven, or change some."""
    if arguments.action is None:
        return _list(arguments, home)
    if arguments.action == "trash":
        return _list_trash(home, as_json=arguments.json)
    if arguments.action == "mark" and len(arguments.words) < 2:
        return _mark_now(arguments, home)
    return _change(arguments, home)


def _list(arguments: argparse.Namespace, home: Home) -> int:
    every = stored_sessions(home)
    rows = [row for row in every if arguments.replays or row.kind != "replay"]
    if arguments.json:
        print_json(rows)
        return 0
    if not rows:
        say(home.words.say("only replays" if every else "no sessions"))
        return 0
    names = {row.id: row.name or row.id for row in rows}
    undated = any(row.driven_utc_s is None for row in rows)
    words = home.words
    heads = ("session", "kind", "driven", "track", "laps", "best", "tags", "same drive", "from")
    session, kind, driven, track, laps, best, tags, same, source = (
        words.term("column", each) for each in heads
    )
    cells = [_row(row, names, home) for row in rows]
    # In 80 columns an id can still be copied: a kind that all have tells nothing.
    alike = len({each[1] for each in cells}) == 1
    columns = [
        Column(session), Column(kind, wrap=True, spare=alike), Column(driven, wrap=undated),
        Column(track, wrap=True), Column(laps, right=True), Column(best, right=True),
        Column(tags, wrap=True, spare=True), Column(same, spare=True), Column(source, spare=True),
    ]  # fmt: skip
    # What no session has is no column.
    shown = [index for index in range(len(columns)) if any(each[index] for each in cells)]
    print_table([columns[index] for index in shown], [[each[index] for index in shown] for each in cells])
    return 0


def _row(row: SessionRow, names: dict[str, str], home: Home) -> tuple[str, ...]:
    words = home.words
    return (
        names[row.id],
        _state(row, words),
        when_driven(row),
        track.name if (track := track_in(home, row.track)) else row.track or words.say("unknown"),
        str(row.laps),
        words.figures.clock(row.best_lap_s),
        ", ".join(row.tags),
        names.get(row.same_as, row.same_as),
        row.source_name,
    )


def _state(row: SessionRow, words: Language) -> str:
    kind = words.term("session kind", row.kind)
    if row.closed_utc_s is None:
        return words.say("session going on", kind=kind)
    if not row.complete:
        return words.say("session broken off", kind=kind)
    return words.say("session second file", kind=kind) if row.same_as else kind


def _change(arguments: argparse.Namespace, home: Home) -> int:
    from pitwall.api import changes  # with the whole in-drive path, which a list of sessions need not load

    asked = _noted(arguments, home) if arguments.action == "note" else ASKED[arguments.action](arguments)
    try:
        change = msgspec.convert(msgspec.to_builtins(asked), Change)
    except msgspec.ValidationError as error:
        wrong = NAME_RULE if isinstance(asked, Rename) else str(error)
        raise UserError(f"sessions {arguments.action}: {wrong}") from None
    if isinstance(change, Delete | EmptyTrash) and not arguments.yes:
        _confirm(home, change)
    changed = either(
        home,
        lambda store: changes.apply(store, change, tell=note),
        lambda address: wait_for(_served(home, address, change)),
        use="write",
    )
    print_answer(changed, changed.lines, as_json=arguments.json)
    return 0


def _mark_now(arguments: argparse.Namespace, home: Home) -> int:
    said = "".join(arguments.words) or "mark"
    if said not in MARKS:
        raise UserError(f"{said!r} is none of {', '.join(MARKS)}; of a stored lap: SESSION LAP... MARK")
    answer = tell(home, "/mark", MarkNow(mark=MARKS[said]))
    marked, words = msgspec.json.decode(answer, type=Marked), home.words
    mark, clock = words.term("lap", marked.mark), words.figures.clock(marked.t)
    line = words.say("mark set", mark=mark, lap=marked.lap, clock=clock)
    print_answer(marked, [line], as_json=arguments.json)
    return 0


def _marked(given: argparse.Namespace) -> Change:
    session, *laps, mark = given.words
    if mark not in get_args(LapWord) or not laps or not all(map(str.isdecimal, laps)):
        raise UserError(f"give a session, its laps, and one of {', '.join(get_args(LapWord))}")
    return MarkLaps(session=session, laps=tuple(map(int, laps)), mark=mark)


def _noted(given: argparse.Namespace, home: Home) -> Change:
    """Note what is given; what is not stays as it was."""
    row, words = stored_session(home, given.session), home.words.figures
    stint = next((each for each in row.conditions.stints if each.from_lap == given.from_lap), None)
    now = row.conditions if not given.from_lap else stint.conditions if stint is not None else Conditions()
    changes: dict[str, object] = {}
    for name, _, _ in NOTED:
        text = vars(given)[name]
        if text is None:
            continue
        try:
            match name:
                case "pressures":
                    four = [_stored(words, each, "bar") for each in text.replace(" ", "").split(",") if each]
                    changes["pressures_bar"] = tuple(four) or None
                case "air" | "track":
                    changes[f"{name}_c"] = _stored(words, text, "degC") if text else None
                case "fuel":
                    changes["fuel_l"] = float(text) if text else None
                case _:
                    changes[name] = text
        except ValueError:
            raise UserError(f"--{name} {text}: write numbers, such as --{name} 1.9") from None
    if not changes:
        raise UserError(f"say what to note: {', '.join(f'--{name}' for name, _, _ in NOTED)}")
    noted = msgspec.structs.replace(now, **changes)
    return Describe(session=row.id, conditions=noted, from_lap=given.from_lap)


def _stored(words: Filler, text: str, unit: str) -> float:
    """Return what a person wrote in his unit, in ours. ValueError."""
    measure = words.measure(unit)
    return (float(text) - measure.offset) / measure.factor


def _goal(given: argparse.Namespace) -> Change:
    if given.time is None:
        return SetAim(track=given.track, aim=None)
    minutes, _, seconds = given.time.rpartition(":")
    try:
        return SetAim(track=given.track, aim=Aim(60.0 * int(minutes or 0) + float(seconds), given.by))
    except ValueError:
        raise UserError(f"{given.time!r} is no lap time: write it as 1:45.2") from None


# What an action asks for, from its arguments.
ASKED: dict[str, Callable[[argparse.Namespace], Change]] = {
    "match": lambda given: Match(
        sessions=tuple(given.sessions), track="" if given.track == "none" else given.track
    ),
    "rename": lambda given: Rename(session=given.session, name=given.name),
    "tag": lambda given: Tag(session=given.session, add=tuple(given.tags), remove=tuple(given.remove)),
    "date": lambda given: Redate(session=given.session, driven=" ".join(given.when)),
    "mark": _marked,
    "goal": _goal,
    "delete": lambda given: Delete(sessions=tuple(given.sessions)),
    "restore": lambda given: Restore(sessions=tuple(given.sessions)),
    "empty": lambda given: EmptyTrash(),
}


def _confirm(home: Home, change: Delete | EmptyTrash) -> None:
    if isinstance(change, EmptyTrash):
        if not (count := len(_in_trash(home))):
            raise UserError("the trash is empty")
        what = f"delete {count} sessions in the trash for good"
    else:
        rows = [stored_session(home, each) for each in change.sessions]
        shown = "; ".join(f"{row.name or row.id}, {when_driven(row)}, {row.laps} laps" for row in rows)
        what = f"move to the trash: {shown}"
    if not sys.stdin.isatty():
        raise UserError(f"say --yes to {what}")
    if input(f"{what}? [y/N] ").strip().lower() not in ("y", "yes"):
        raise UserError("nothing was deleted")


def _in_trash(home: Home) -> list[Path]:
    return sorted(home.trash.glob(f"*{SUFFIX}"))


def _list_trash(home: Home, *, as_json: bool) -> int:
    found = [(path.stem, path.stat().st_size) for path in _in_trash(home)]
    if as_json:
        print_json([{"session": session, "bytes": size} for session, size in found])
    elif not found:
        say("the trash is empty")
    else:
        print_table(("session", "MB"), [(session, f"{size / 1e6:.1f}") for session, size in found])
    return 0


async def _served(home: Home, address: str, change: Change) -> Changed:
    content, kind = msgspec.json.encode(change), {"Content-Type": "application/json"}
    async with (
        daemon_client(home, address) as client,
        client.post("/changes", data=content, headers=kind) as response,
    ):
        async for event in events_of(response, ChangeEvent):
            match event:
                case Working(text):
                    note(text)
                case NotChanged(text):
                    raise UserError(text)
                case Changed() as changed:
                    return changed
    raise UserError(f"the daemon at {address} ended before this was done; it goes on at its next start")
