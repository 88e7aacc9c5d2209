"""`pitwall coach SESSION`: what was said lap by lap, what was kept back and why, and what was heeded."""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import get_args

import msgspec

from pitwall.api import answers
from pitwall.api.types import LapRow
from pitwall.coach.concepts import TIME_LOST
from pitwall.coach.cue import LedgerLine
from pitwall.coach.diagnosis import OFF_PACE
from pitwall.coach.faults import NOISE_S
from pitwall.commands.common import SESSION_HELP, UserError, print_json, say
from pitwall.commands.stored_or_served import Wanted, read_all, segment, tell
from pitwall.config import Home
from pitwall.contract.status import CoachChange, CoachLevel, CoachMode, CoachStatus
from pitwall.track.lap import CornerPass
from pitwall.words.language import Language

SPOKEN = ("spoken", "held then spoken")
# A corner that gained this share of what it lost, in the first pass after the words, heeded them; one that
# gained less than the other did not.
HEEDED, PARTLY = 0.5, 0.2
LOSES = re.compile(r"loses (\d+\.\d+) s in laps")


class Told(msgspec.Struct, frozen=True):
    """One piece of advice and what followed: the corner's loss when it was seen and in the next pass, seconds
    (None: not known)."""

    lap: int
    corner: str
    concept: str
    text: str
    spoken: bool
    why: str
    loss_s: float | None
    next_loss_s: float | None

    def followed(self, words: Language) -> str:
        """What the next pass says of it, "" where it says nothing."""
        if not self.spoken or self.loss_s is None or self.next_loss_s is None or self.loss_s < NOISE_S:
            return ""
        gained_s = self.loss_s - self.next_loss_s
        if self.concept == TIME_LOST:
            key = "passed again"  # he was told what it costs, and nothing to do
        elif gained_s >= HEEDED * self.loss_s:
            key = "heeded"
        else:
            key = "partly heeded" if gained_s >= PARTLY * self.loss_s else "not heeded"
        return words.say(key, loss=self.next_loss_s, before=self.loss_s)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SESSION to explain, or how the running coach is to speak."""
    parser.add_argument("session", metavar="SESSION", nargs="?", help=SESSION_HELP)
    parser.add_argument("--json", action="store_true", help="a JSON list of advice")
    parser.add_argument(
        "--mode", choices=get_args(CoachMode), help="how the running coach speaks from now on"
    )
    parser.add_argument("--level", choices=get_args(CoachLevel), help="to whom it speaks")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Explain a session, or change how the coach speaks."""
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


def at_pace(laps: Iterable[tuple[int, str, float | None]]) -> frozenset[int]:
    """The flying laps (number, kind, seconds) that are near enough to the best to show what was heeded."""
    timed = {number: time_s for number, kind, time_s in laps if kind == "flying" and time_s is not None}
    best_s = min(timed.values(), default=0.0)
    return frozenset(number for number, time_s in timed.items() if time_s <= OFF_PACE * best_s)


def explained(lines: Sequence[LedgerLine], passes: Iterable[CornerPass], laps: Collection[int]) -> list[Told]:
    """All advice of a ledger in order, with the losses around it. Passes of `laps` alone tell of it."""
    losses: dict[str, dict[int, float]] = defaultdict(dict)
    for each in passes:
        parts = [part for part in (each.brake_loss_s, each.mid_loss_s, each.exit_loss_s) if part is not None]
        if parts:
            losses[each.corner][each.lap] = sum(parts)
    return [_told(line, losses[line.corner], laps) for line in lines if line.concept]


def _told(line: LedgerLine, losses: Mapping[int, float], laps: Collection[int]) -> Told:
    # Words before a corner are about the laps before, and the pass that follows is of the same lap.
    before = line.action_distance_m is not None
    # What the advice says that the corner loses is against the same lap as the next pass; an older pass of
    # the ledger may be against an older one.
    stated = LOSES.search(line.reason)
    seen = max((lap for lap in losses if lap in laps and lap < line.lap + (not before)), default=None)
    after = min((lap for lap in losses if lap >= line.lap + (not before)), default=None)
    return Told(
        lap=line.lap,
        corner=line.corner,
        concept=line.concept,
        text=line.text,
        spoken=line.outcome in SPOKEN,
        why="" if line.outcome in SPOKEN else f"{line.outcome}: {line.reason}",
        loss_s=float(stated[1]) if stated else None if seen is None else losses[seen],
        next_loss_s=losses[after] if after is not None and after in laps else None,
    )


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
            say(f"{kept}{line.text}  ({line.reason})", hang=10)
    for each in told:
        if not each.spoken:
            say(f"{kept}{each.text}  ({each.why})", hang=10)


def _read(home: Home, wanted: str) -> tuple[list[LapRow], list[CornerPass], list[LedgerLine]]:
    under = f"/sessions/{segment(wanted)}"
    laps, passes, lines = read_all(
        home,
        Wanted(lambda store: msgspec.json.encode(answers.laps(store, wanted)), f"{under}/laps"),
        Wanted(lambda store: msgspec.json.encode(answers.corners(store, wanted)), f"{under}/corners"),
        Wanted(lambda store: msgspec.json.encode(answers.ledger(store, wanted)), f"{under}/ledger"),
    )
    return (
        msgspec.json.decode(laps, type=list[LapRow]),
        msgspec.json.decode(passes, type=list[CornerPass]),
        msgspec.json.decode(lines, type=list[LedgerLine]),
    )
