"""`pitwall compare`, `opportunities`, `profile`, `ledger`: what a session shows, as tables, JSON or CSV."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from pitwall.analysis.compare import LapComparison
from pitwall.analysis.compose_words import corner_name, lost_where
from pitwall.analysis.opportunities import Opportunity
from pitwall.analysis.places import Place, place_of
from pitwall.analysis.profile import DriverProfile
from pitwall.api import answers, judged
from pitwall.coach.cue import LedgerLine
from pitwall.commands.common import SESSION_HELP, Column, print_bytes, print_csv, print_table, say
from pitwall.commands.stored_or_served import Wanted, of_session, read_all, segment, told
from pitwall.config import Home
from pitwall.contract.problems import Refused, UserError
from pitwall.drive.prepare import known_tracks
from pitwall.store import queries
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store
from pitwall.words.language import Language

# The corners of a track by its id, "" for the session's own.
Places = Callable[[str], Mapping[str, Place]]


class View(NamedTuple):
    """One command: what it asks for, the type of the answer, the rows of its CSV, and how it is shown."""

    wanted: Callable[[argparse.Namespace], Wanted]
    answer: Any
    rows: Callable[[Any], Sequence[msgspec.Struct]]
    show: Callable[[Any, Places, Language], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command that the parser is for; its name is the parser's last word."""
    kind = parser.prog.rpartition(" ")[2]
    if kind == "profile":
        parser.add_argument("session", nargs="?", metavar="SESSION", help="only who drove this session")
    else:
        parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    if kind == "compare":
        parser.add_argument(
            "lap",
            nargs="?",
            type=int,
            default=0,
            metavar="LAP",
            help="default: the last that is not the best",
        )
        parser.add_argument(
            "against",
            nargs="?",
            default="",
            metavar="AGAINST",
            help="a lap of this session, SESSION:LAP, or SESSION for its best (default: the best of this)",
        )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="JSON, in SI units")
    form.add_argument("--csv", action="store_true", help="a CSV table, in SI units")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Read it, and print it in the form that is asked for."""
    view = VIEWS[arguments.command]
    wanted, session = view.wanted(arguments), arguments.session or "last"
    row = of_session(session, queries.session)
    plain = arguments.json or arguments.csv
    answer, *found = read_all(home, wanted, *(() if plain or arguments.command == "profile" else (row,)))
    if arguments.json:
        print_bytes(answer)
        return 0
    decoded = msgspec.json.decode(answer, type=view.answer)
    if arguments.csv:
        print_csv(view.rows(decoded))
        return 0
    here = msgspec.json.decode(found[0], type=SessionRow).track if found else ""
    tracks, _ = known_tracks(home)

    def places(track: str) -> Mapping[str, Place]:
        known = tracks.get(track or here)
        return {} if known is None else {each.id: place_of(each, known) for each in known.corners}

    view.show(decoded, places, home.words)
    return 0


def _compared(arguments: argparse.Namespace) -> Wanted:
    session, lap, against = arguments.session, arguments.lap, arguments.against
    path = f"/sessions/{segment(session)}/comparison"

    def own(store: Store) -> bytes:
        try:
            return msgspec.json.encode(judged.compared(store, session, lap, against))
        except Refused as refused:
            raise UserError(told(refused.problem)) from None

    return Wanted(own, path, {"lap": str(lap), "against": against})


def _profile(arguments: argparse.Namespace) -> Wanted:
    session = arguments.session or ""
    return Wanted(
        lambda store: msgspec.json.encode(judged.profile(store, session)), "/profile", {"session": session}
    )


def _show_comparison(found: LapComparison, places: Places, words: Language) -> None:
    figures, speed, length = words.figures, words.figures.unit("m/s"), words.figures.unit("m")
    say(
        words.say(
            "compare head",
            lap=found.lap, against=found.against, time=found.lap_s, best=found.against_s, delta=found.delta_s,
        )
    )  # fmt: skip

    def faster(diff_mps: float) -> str:
        return figures.number(figures.value(diff_mps, "m/s"), "+.1f")

    rows = [
        (
            corner_name(each.corner, places(""), words),
            figures.number(each.delta_s, "+.3f"),
            faster(each.entry_speed_diff_mps),
            faster(each.apex_speed_diff_mps),
            faster(each.exit_speed_diff_mps),
            ""
            if each.brake_shift_m is None
            else figures.number(figures.value(each.brake_shift_m, "m"), "+.0f"),
        )
        for each in found.corners
    ]
    heads = [words.term("compare", name) for name in ("delta", "entry", "apex", "exit", "brake")]
    units = ("s", speed, speed, speed, length)
    columns = [Column(words.term("view", "corner"), wrap=True)]
    columns += [
        Column(f"{head} {unit}", right=True, wrap=True) for head, unit in zip(heads, units, strict=True)
    ]
    print_table(columns, rows)
    say(words.say("compare signs"))


def _show_opportunities(found: Sequence[Opportunity], places: Places, words: Language) -> None:
    if not found:
        say(words.say("no opportunities"))
        return
    heads = [words.term("opportunity", name) for name in ("where", "cause", "loss", "laps", "against")]
    rows = [
        (
            corner_name(each.corner, places(""), words),
            lost_where(each, words),
            words.term("cause", each.cause),
            words.figures.number(each.loss_s, ".2f"),
            ", ".join(map(str, each.laps)),
            str(each.against_lap),
        )
        for each in found
    ]
    where, cause, loss, laps, against = heads
    columns = [Column(words.term("view", "corner"), wrap=True), Column(where, wrap=True)]
    columns += [Column(cause, wrap=True), Column(f"{loss} s", right=True), Column(laps, wrap=True)]
    print_table([*columns, Column(against, right=True, wrap=True)], rows)


def _show_profile(found: DriverProfile, places: Places, words: Language) -> None:
    if not found.tracks:
        say(words.say("no profile"))
        return
    term, figures = words.term, words.figures
    heads = [term("column", "track"), term("profile", "sessions"), term("column", "laps")]
    heads += [term("column", "best"), term("profile", "since the first"), term("column", "session")]
    print_table(
        [Column(name, right=1 <= at <= 4, spare=at == 5) for at, name in enumerate(heads)],
        [
            (
                each.track,
                str(len(each.sessions)),
                str(each.laps),
                figures.clock(each.best_s),
                figures.number(each.best_s - each.first_best_s, "+.3f"),
                each.best_session,
            )
            for each in found.tracks
        ],
    )
    if found.open_faults:
        say()
        heads = [term("column", "track"), term("view", "corner"), term("opportunity", "cause")]
        heads += [f"{term('opportunity', 'loss')} s", term("profile", "sessions")]
        print_table(
            [Column(name, right=at > 2, wrap=0 < at < 3) for at, name in enumerate(heads)],
            [
                (
                    each.track,
                    corner_name(each.corner, places(each.track), words),
                    term("cause", each.cause),
                    figures.number(each.loss_s, ".2f"),
                    str(len(each.sessions)),
                )
                for each in found.open_faults
            ],
        )
    for habit in found.habits:
        named = [corner_name(corner, places(habit.track), words) for corner in habit.corners]
        say(words.say("profile habit", habit=term("habit", habit.cause), corners=named))
    if found.cured:
        named = [corner_name(corner, places(track), words) for track, corner in found.cured]
        say(words.say("profile cured", corners=named))
    if found.incidents:
        counted = [f"{count} {term('incident kind', kind)}" for kind, count in found.incidents.items()]
        say(words.say("profile incidents", incidents=counted))


def _show_ledger(found: Sequence[LedgerLine], places: Places, words: Language) -> None:
    """A line for each cue, and under it why it came to that: the reasons are too long for a table."""
    if not found:
        say(words.say("nothing said"))
        return
    width = max(len(each) for each in words.terms("outcome").values())
    for line in found:
        text = words.term("lap", line.text) if line.phase == "mark" else line.text
        clock, outcome = words.figures.clock(line.t), words.term("outcome", line.outcome)
        say(f"{line.lap:>3}  {clock:>9}  {outcome:<{width}}  {text}", hang=18 + width)
        if line.reason:
            say(f"{'':16}{words.reason(line.reason)}")


VIEWS = {
    "compare": View(_compared, LapComparison, lambda found: found.corners, _show_comparison),
    "opportunities": View(
        lambda given: of_session(given.session, judged.opportunities, "/opportunities"),
        list[Opportunity], lambda found: found, _show_opportunities,
    ),
    "profile": View(_profile, DriverProfile, lambda found: found.open_faults, _show_profile),
    "ledger": View(
        lambda given: of_session(given.session, answers.ledger, "/ledger"),
        list[LedgerLine], lambda found: found, _show_ledger,
    ),
}  # fmt: skip
