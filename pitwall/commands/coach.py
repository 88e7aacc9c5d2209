"""`pitwall coach`: callouts lap by lap, what was not said and why, what was heeded; or every cue."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import get_args

import msgspec

from pitwall.analysis.highlights import FEWEST_LAPS, AdviceResult, at_pace, explained
from pitwall.analysis.session_view import SessionView
from pitwall.api import answers
from pitwall.api.answers import LapRow
from pitwall.api.judged import stored_view
from pitwall.coach.cue import SPOKEN, LedgerLine
from pitwall.commands.common import SESSION_HELP, add_json, print_bytes, print_json, say
from pitwall.commands.stored_or_served import of_session, read_all, stored_sessions, tell
from pitwall.config import Home
from pitwall.contract.status import CoachChange, CoachLevel, CoachMode, CoachStatus
from pitwall.store import queries
from pitwall.track.lap import CornerPass
from pitwall.words.language import Language


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "session",
        metavar="SESSION",
        nargs="?",
        default="last",
        help=f"{SESSION_HELP}, which is the default; a replay that was just driven is the last",
    )
    parser.add_argument("--all", action="store_true", help="list every cue and what became of it")
    add_json(parser, "JSON, in SI units")
    parser.add_argument(
        "--mode", choices=get_args(CoachMode), help="how the running coach speaks from now on"
    )
    parser.add_argument("--level", choices=get_args(CoachLevel), help="to whom it speaks")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Run the command; return its exit code."""
    if arguments.mode or arguments.level:
        answer = tell(home, "/coach", CoachChange(mode=arguments.mode, level=arguments.level))
        now = msgspec.json.decode(answer, type=CoachStatus)
        say(home.words.say("coach speaks", mode=now.mode, level=now.level))
        return 0
    session, every = arguments.session, arguments.all
    if session == "last":
        session = queries.last_heard(stored_sessions(home)) or session
    ledger = of_session(session, answers.ledger, "/ledger")
    if every and arguments.json:
        print_bytes(*read_all(home, ledger))
        return 0
    driven = (
        of_session(session, answers.laps, "/laps"),
        of_session(session, answers.corners, "/corners"),
        of_session(session, lambda store, of: stored_view(store, queries.session(store, of)), "/view"),
    )
    raw, *others = read_all(home, ledger, *(() if every else driven))
    lines = msgspec.json.decode(raw, type=list[LedgerLine])
    laps, passes, lost_s = [], [], {}
    if others:
        laps = msgspec.json.decode(others[0], type=list[LapRow])
        passes = msgspec.json.decode(others[1], type=list[CornerPass])
        view = msgspec.json.decode(others[2], type=SessionView)
        lost_s = {(each.lap, each.corner): each.loss_s for each in view.passes}
    quick = at_pace((lap.lap, lap.kind, lap.time_s) for lap in laps)
    explained_lines = explained(lines, passes, lost_s, quick)
    if arguments.json:
        print_json(explained_lines)
    elif every and lines:
        _print_ledger(lines, home.words)
    elif not any(line.outcome in SPOKEN for line in lines):
        say(home.words.say("nothing said"))
        if laps and sum(lap.kind == "flying" for lap in laps) < FEWEST_LAPS:
            say(f"    {home.words.say('too few laps')}", hang=4)
        # Such as words that were not rendered in time: no lap's own line would show it.
        reasons = Counter(line.reason.partition("; ")[0] for line in lines if line.reason)
        for reason, _ in reasons.most_common(1):
            say(f"    {home.words.reason(reason)}", hang=4)
    for lap in () if arguments.json or not lines else laps:
        said = [line for line in lines if line.lap == lap.lap]
        _print_lap(lap, said, [each for each in explained_lines if each.lap == lap.lap], home.words)
    return 0


def _print_ledger(found: Sequence[LedgerLine], words: Language) -> None:
    width = max(len(each) for each in words.terms("outcome").values())
    for line in found:
        text = words.term("lap", line.text) if line.phase == "mark" else line.text
        clock, outcome = words.figures.clock(line.t), words.term("outcome", line.outcome)
        say(f"{line.lap:>3}  {clock:>9}  {outcome:<{width}}  {text}", hang=18 + width)
        if line.reason:
            say(f"{'':16}{words.reason(line.reason)}")


def _print_lap(
    lap: LapRow, lines: Sequence[LedgerLine], calls: Sequence[AdviceResult], words: Language
) -> None:
    number, kind, time = (
        words.say("lap", lap=lap.lap),
        words.term("lap", lap.kind),
        words.figures.clock(lap.time_s),
    )
    say(f"{number}  {kind}  {time}  {words.in_units(lap.reason)}".rstrip())
    said, kept = f"    {words.say('said')}  ", f"    {words.say('kept')}  "
    for line in lines:
        if not line.concept and line.outcome in SPOKEN:
            say(f"{said}{line.text}", hang=10)
        elif line.phase == "mark":
            clock, mark = words.figures.clock(line.t), words.term("lap", line.text)
            say(f"    {words.say('marked', mark=mark, clock=clock)}", hang=10)
    for each in calls:
        if each.spoken:
            followed = each.followed(words)
            say(f"{said}{each.text}" + (f"  ({followed})" if followed else ""), hang=10)
    for line in lines:
        if line.phase == "off_pace":
            say(f"{kept}{line.text}  ({words.reason(line.reason)})", hang=10)
    for each in calls:
        if not each.spoken:
            outcome = words.term("outcome", each.outcome)
            say(f"{kept}{each.text}  ({outcome}: {words.reason(each.why)})", hang=10)
