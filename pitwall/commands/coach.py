"""`pitwall coach SESSION`: what was said lap by lap, what was kept back and why, and what was heeded."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import get_args

import msgspec

from pitwall.analysis.heeded import SPOKEN, Told, at_pace, explained
from pitwall.api import answers
from pitwall.api.types import LapRow
from pitwall.coach.cue import LedgerLine
from pitwall.commands.common import SESSION_HELP, print_json, say
from pitwall.commands.stored_or_served import of_session, read_all, tell
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.contract.status import CoachChange, CoachLevel, CoachMode, CoachStatus
from pitwall.track.lap import CornerPass
from pitwall.words.language import Language


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", nargs="?", help=SESSION_HELP)
    parser.add_argument("--json", action="store_true", help="a JSON list of advice")
    parser.add_argument(
        "--mode", choices=get_args(CoachMode), help="how the running coach speaks from now on"
    )
    parser.add_argument("--level", choices=get_args(CoachLevel), help="to whom it speaks")


def run(arguments: argparse.Namespace, home: Home) -> int:
    if arguments.mode or arguments.level:
        answer = tell(home, "/coach", CoachChange(mode=arguments.mode, level=arguments.level))
        now = msgspec.json.decode(answer, type=CoachStatus)
        say(home.words.say("coach speaks", mode=now.mode, level=now.level))
        return 0
    if not arguments.session:
        raise UserError("name a session, or --mode or --level; `pitwall sessions` lists the sessions")
    laps, passes, lines = _read(home, arguments.session)
    told = explained(lines, passes, at_pace((lap.lap, lap.kind, lap.time_s) for lap in laps))
    if arguments.json:
        print_json(told)
        return 0
    if not lines:
        say(home.words.say("nothing said"))
        return 0
    for lap in laps:
        said = [line for line in lines if line.lap == lap.lap]
        _print_lap(lap, said, [each for each in told if each.lap == lap.lap], home.words)
    return 0


def _print_lap(lap: LapRow, lines: Sequence[LedgerLine], told: Sequence[Told], words: Language) -> None:
    number, kind, time = (
        words.say("lap", lap=lap.lap),
        words.term("lap", lap.kind),
        words.figures.clock(lap.time_s),
    )
    say(f"{number}  {kind}  {time}  {words.retold(lap.reason)}".rstrip())
    said, kept = f"    {words.say('said')}  ", f"    {words.say('kept')}  "
    for line in lines:
        if not line.concept and line.outcome in SPOKEN:
            say(f"{said}{line.text}", hang=10)
        elif line.phase == "mark":
            clock, mark = words.figures.clock(line.t), words.term("lap", line.text)
            say(f"    {words.say('marked', mark=mark, clock=clock)}", hang=10)
    for each in told:
        if each.spoken:
            followed = each.followed(words)
            say(f"{said}{each.text}" + (f"  ({followed})" if followed else ""), hang=10)
    for line in lines:
        if line.phase == "off_pace":
            say(f"{kept}{line.text}  ({words.reason(line.reason)})", hang=10)
    for each in told:
        if not each.spoken:
            outcome = words.term("outcome", each.outcome)
            say(f"{kept}{each.text}  ({outcome}: {words.reason(each.why)})", hang=10)


def _read(home: Home, wanted: str) -> tuple[list[LapRow], list[CornerPass], list[LedgerLine]]:
    laps, passes, lines = read_all(
        home,
        of_session(wanted, answers.laps, "/laps"),
        of_session(wanted, answers.corners, "/corners"),
        of_session(wanted, answers.ledger, "/ledger"),
    )
    return (
        msgspec.json.decode(laps, type=list[LapRow]),
        msgspec.json.decode(passes, type=list[CornerPass]),
        msgspec.json.decode(lines, type=list[LedgerLine]),
    )
