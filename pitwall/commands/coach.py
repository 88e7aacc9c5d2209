"""`pitwall coach`: callouts lap by lap, what was not said and why, what was heeded; or every cue."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

import msgspec

from pitwall.analysis.highlights import FEWEST_LAPS
from pitwall.analysis.session_view import CalloutView, LapView, SessionView
from pitwall.api import answers
from pitwall.api.judged import stored_view
from pitwall.coach.cue import SPOKEN, LedgerLine
from pitwall.commands.common import SESSION_HELP, add_json, print_bytes, say
from pitwall.commands.stored_or_served import of_session, read_all, stored_sessions, tell
from pitwall.config import Home
from pitwall.contract.status import CoachChange, CoachLevel, CoachMode, CoachStatus
from pitwall.store import queries
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
    add_json(parser, "every cue as a JSON list")
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
    if arguments.json:
        print_bytes(*read_all(home, ledger))
        return 0
    seen = of_session(session, lambda store, of: stored_view(store, queries.session(store, of)), "/view")
    raw, *others = read_all(home, ledger, *(() if every else (seen,)))
    lines = msgspec.json.decode(raw, type=list[LedgerLine])
    view = msgspec.json.decode(others[0], type=SessionView) if others else None
    laps = [] if view is None else [lap for lap in view.laps if lap.start_t is not None]
    if every and lines:
        _print_ledger(lines, home.words)
    elif not any(line.outcome in SPOKEN for line in lines):
        say(home.words.say("nothing said"))
        if laps and sum(lap.flying for lap in laps) < FEWEST_LAPS:
            say(f"    {home.words.say('too few laps')}", hang=4)
        # Such as words that were not rendered in time: no lap's own line would show it.
        reasons = Counter(line.why.partition("; ")[0] for line in lines if line.reason)
        for reason, _ in reasons.most_common(1):
            say(f"    {home.words.reason(reason)}", hang=4)
    if view is not None and lines:
        cues = list(zip(lines, view.callouts, strict=True))
        for lap in laps:
            _print_lap(lap, [each for each in cues if each[0].lap == lap.lap], home.words)
    return 0


def _print_ledger(found: Sequence[LedgerLine], words: Language) -> None:
    width = max(len(each) for each in words.terms("outcome").values())
    for line in found:
        text = words.term("lap", line.text) if line.phase == "mark" else line.text
        clock, outcome = words.figures.clock(line.t), words.term("outcome", line.outcome)
        say(f"{line.lap:>3}  {clock:>9}  {outcome:<{width}}  {text}", hang=18 + width)
        if line.reason:
            say(f"{'':16}{words.reason(line.reason)}")


def _print_lap(lap: LapView, cues: Iterable[tuple[LedgerLine, CalloutView]], words: Language) -> None:
    """What was said and marked, then what was kept back, each as it came."""
    say(f"{words.say('lap', lap=lap.lap)}  {lap.kind}  {lap.time}  {lap.reason}".rstrip())
    said, kept = f"    {words.say('said')}  ", f"    {words.say('kept')}  "

    def place(cue: tuple[LedgerLine, CalloutView]) -> tuple[bool, float]:
        line, shown = cue
        return not shown.said and line.phase != "mark", line.t

    for line, shown in sorted(cues, key=place):
        if shown.said:
            say(f"{said}{line.text}" + (f"  ({shown.followed})" if shown.followed else ""), hang=10)
        elif line.phase == "mark":
            clock, mark = words.figures.clock(line.t), words.term("lap", line.text)
            say(f"    {words.say('marked', mark=mark, clock=clock)}", hang=10)
        elif line.phase == "off_pace":
            say(f"{kept}{words.say('lap left out', lap=line.lap)}  ({shown.reason})", hang=10)
        elif line.concept:
            say(f"{kept}{line.text}  ({shown.outcome}: {shown.reason})", hang=10)
