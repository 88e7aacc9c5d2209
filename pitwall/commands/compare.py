"""`pitwall compare`: two laps corner by corner."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import msgspec

from pitwall.analysis.compare import LapComparison
from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.places import Place, places_on
from pitwall.api import judged
from pitwall.commands.common import SESSION_HELP, Column, add_json, print_bytes, print_table, say
from pitwall.commands.stored_or_served import Wanted, of_session, problem_line, read_all, segment
from pitwall.config import Home
from pitwall.contract.problems import Refused, UserError
from pitwall.store import queries
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store
from pitwall.track.library import known_tracks
from pitwall.words.language import Language


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    lap_help = "default: the last that is not the best"
    parser.add_argument("lap", nargs="?", type=int, default=0, metavar="LAP", help=lap_help)
    parser.add_argument(
        "against",
        nargs="?",
        default="",
        metavar="AGAINST",
        help="a lap of this session, SESSION:LAP, or SESSION for its best (default: the best of this)",
    )
    add_json(parser, "JSON, in SI units")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Run the command; return its exit code."""
    session, lap, against = arguments.session, arguments.lap, arguments.against

    def own(store: Store) -> bytes:
        try:
            return msgspec.json.encode(judged.compared(store, session, lap, against))
        except Refused as refused:
            raise UserError(problem_line(refused.problem)) from None

    query = {"lap": str(lap), "against": against}
    asked = Wanted(own, f"/sessions/{segment(session)}/comparison", query)
    if arguments.json:
        print_bytes(*read_all(home, asked))
        return 0
    answer, row = read_all(home, asked, of_session(session, queries.session))
    found = msgspec.json.decode(answer, type=LapComparison)
    track = known_tracks(home)[0].get(msgspec.json.decode(row, type=SessionRow).track)
    _print_comparison(found, places_on(track), home.words)
    return 0


def _print_comparison(found: LapComparison, places: Mapping[str, Place], words: Language) -> None:
    figures, speed, length = words.figures, words.figures.unit("m/s"), words.figures.unit("m")
    say(
        words.say(
            "compare head",
            lap=found.lap, against=found.against, time=found.lap_s, best=found.against_s, delta=found.delta_s,
        )
    )  # fmt: skip

    def faster(diff_mps: float) -> str:
        return format(figures.value(diff_mps, "m/s"), "+.1f")

    rows = [
        (
            corner_name(each.corner, places),
            format(each.delta_s, "+.3f"),
            faster(each.entry_speed_diff_mps),
            faster(each.min_speed_diff_mps),
            faster(each.exit_speed_diff_mps),
            "" if each.brake_shift_m is None else format(figures.value(each.brake_shift_m, "m"), "+.0f"),
        )
        for each in found.corners
    ]
    heads = [words.term("compare", name) for name in ("delta", "entry", "slowest", "exit", "brake")]
    units = ("s", speed, speed, speed, length)
    columns = [Column(words.term("view", "corner"), wrap=True)]
    columns += [
        Column(f"{head} {unit}", right=True, wrap=True) for head, unit in zip(heads, units, strict=True)
    ]
    print_table(columns, rows)
    say(words.say("compare signs"))
