"""`pitwall scripts`: what is spoken at each corner and who wrote it; checked changes, with undo."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from pitwall.api import scripts
from pitwall.api.answers import ScriptWritten, find_track
from pitwall.coach.scripts import HOME_TRACK, KEYS, OWN, UNCHECKED, check_script, own_keys
from pitwall.commands.common import (
    Column,
    add_command,
    add_json,
    minute,
    note,
    print_answer,
    print_json,
    print_table,
    say,
)
from pitwall.commands.stored_or_served import change_files, problem_line, segment, stored_sessions
from pitwall.config import Home
from pitwall.contract.problems import Refused, UserError
from pitwall.contract.scripts import (
    ScriptAuthor,
    ScriptChange,
    ScriptRow,
    TakeBack,
)
from pitwall.settings import nearest
from pitwall.store.voice_scripts import script_changes
from pitwall.track.model import Track
from pitwall.words.forms import estimate_s

WHERE = {"yours": "your own file", "shipped": "a shipped file", "plain": "no file, plain reminders"}
WHO = {"driver": "you", "model": "a model", "hand": "an editor"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, summary: str, do: Callable[..., int]) -> argparse.ArgumentParser:
        made = add_command(actions, name, summary, do)
        made.add_argument("--track", metavar="ID", help="default: the track of the last session")
        add_json(made)
        return made

    action("list", "list the corners with the origin of their phrases", _list)
    action("check", "check the script files, and say what is wrong with which phrase", _check)
    show = action("show", "show the phrases of a corner, who wrote them, and what stood there before", _show)
    show.add_argument("corner", metavar="CORNER", help="such as turn_7")
    edit = action("edit", "change one phrase of a corner", _edit)
    edit.add_argument("corner", metavar="CORNER", help="such as turn_7")
    edit.add_argument("key", metavar="KEY", help="such as brake, brake_short or brake_later")
    edit.add_argument("phrase", nargs="?", default="", metavar="PHRASE", help="nothing takes the key out")
    edit.add_argument(
        "--own-words", action="store_true", help="confirm a phrase that nothing can check: spoken as it is"
    )
    undo = action("undo", "take back the last change; of a job, all that it wrote", _undo)
    undo.add_argument("corner", nargs="?", default="", metavar="CORNER", help="default: the newest of all")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Do one action."""
    try:
        return int(arguments.do(arguments, home))
    except Refused as refused:
        raise UserError(problem_line(refused.problem)) from None


def _list(arguments: argparse.Namespace, home: Home) -> int:
    table = scripts.script_table(home, _track(arguments, home))
    for problem in table.problems:
        note(problem)
    if arguments.json:
        print_json(table)
        return 0
    columns = ("corner", Column("name", wrap=True), "from", Column("phrases", right=True), "changed", "by")
    print_table(columns, [_row(row) for row in table.corners])
    return 0


def _row(row: ScriptRow) -> tuple[str, ...]:
    change = row.change if row.origin == "yours" else None
    changed = ("", "") if change is None else (minute(change.written_utc_s), _who(change))
    return (row.corner, row.name, row.origin, str(len(row.script)), *changed)


def _check(arguments: argparse.Namespace, home: Home) -> int:
    track = _track(arguments, home)
    problems = list(scripts.script_table(home, track).problems)
    if arguments.json:
        print_json({"track": track.id, "problems": problems})
    else:
        for problem in problems:
            say(problem, hang=2)
        if not problems:
            say(f"{track.name}: every phrase passes")
    return 1 if problems else 0


def _show(arguments: argparse.Namespace, home: Home) -> int:
    track = _track(arguments, home)
    row = _corner(scripts.script_table(home, track).corners, arguments.corner, track)
    changes = script_changes(home, track, row.corner)
    if arguments.json:
        print_json({"script": row, "changes": changes})
        return 0
    say(f"{row.name} ({row.corner}): {WHERE[row.origin]}")
    width, own = max(map(len, row.script), default=0), own_keys(row.script)
    for key, text in row.script.items():
        whose = ", your own words" if key in own else ""
        if key != OWN:
            say(f"  {key.ljust(width)}  {text} (about {estimate_s(text):.1f} s{whose})", hang=width + 4)
    for change in changes:
        say(f"{minute(change.written_utc_s)}, {_who(change)}: {_difference(change)}", hang=2)
    return 0


def _edit(arguments: argparse.Namespace, home: Home) -> int:
    if arguments.key not in KEYS:
        raise UserError(f"{arguments.key!r} is no key of a script{nearest(arguments.key, KEYS)}")
    track = _track(arguments, home)
    corner = arguments.corner
    author = ScriptAuthor("driver", "pitwall scripts edit")

    def put(own: bool) -> ScriptWritten:
        script = scripts.edit_script(home, track, corner, arguments.key, arguments.phrase, own=own)
        if not script:
            raise UserError(f"{corner}: a script has one phrase at least; undo takes changes back")
        # First, so that own words are marked before anything is asked of a daemon.
        problems = check_script(corner, script, track)
        if problems and not own and not check_script(corner, {**script, OWN: arguments.key}, track):
            _confirm_own(arguments.phrase, problems)
            return put(True)
        return change_files(
            home,
            lambda: scripts.put_script(home, track, corner, script, author),
            "PUT",
            f"/tracks/{segment(track.id)}/scripts/{segment(corner)}",
            script,
            ScriptWritten,
        )

    done = put(arguments.own_words)
    line = f"{corner}: {arguments.key} is {_quoted(arguments.phrase or None)} now"
    print_answer(done, [line], as_json=arguments.json)
    return 0


def _confirm_own(phrase: str, problems: Sequence[str]) -> None:
    """Show own words back, and ask once. UserError if the answer is no, or nobody can be asked."""
    if not sys.stdin.isatty():
        raise UserError(f"{'; '.join(problems)}. Say that, or --own-words: {UNCHECKED}")
    for problem in problems:
        say(problem, hang=2)
    if input(f'"{phrase}": {UNCHECKED}. Save it as your own words? [y/N] ').strip().lower() not in (
        "y",
        "yes",
    ):
        raise UserError("nothing was written")


def _undo(arguments: argparse.Namespace, home: Home) -> int:
    track = _track(arguments, home)
    undone = change_files(
        home,
        lambda: scripts.undo_scripts(home, track, arguments.corner),
        "POST",
        f"/tracks/{segment(track.id)}/script-changes/undo",
        TakeBack(arguments.corner),
        list[ScriptChange],
    )
    if arguments.json:
        print_json(undone)
        return 0
    for change in undone:
        when = minute(change.written_utc_s)
        say(f"{change.corner}: undone, {when}, {_who(change)}: {_difference(change)}", hang=2)
    return 0


def _track(arguments: argparse.Namespace, home: Home) -> Track:
    """Return the named track, else that of the last session, else the shipped one."""
    wanted = arguments.track
    if not wanted and home.database.exists():
        driven = [row.track for row in stored_sessions(home) if row.track]
        wanted = driven[-1] if driven else None
    return find_track(home, wanted or HOME_TRACK)


def _corner(rows: tuple[ScriptRow, ...], wanted: str, track: Track) -> ScriptRow:
    for row in rows:
        if row.corner == wanted:
            return row
    have = [row.corner for row in rows]
    raise UserError(f"{wanted!r} is no corner of {track.name}{nearest(wanted, have)}: {', '.join(have)}")


def _who(change: ScriptChange) -> str:
    return f"{WHO[change.author.by]}, through {change.author.through}"


def _difference(change: ScriptChange) -> str:
    """The keys that were changed, with what stood there and what came."""
    before, after = change.before, change.after or {}
    shown = []
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if old != new:
            shown.append(
                f"{key} {_quoted(new)}" if old is None else f"{key} {_quoted(old)} -> {_quoted(new)}"
            )
    return "; ".join(shown) or "nothing"


def _quoted(phrase: str | None) -> str:
    return "nothing" if phrase is None else f'"{phrase}"'
