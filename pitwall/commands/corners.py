"""`pitwall corners`, `compare`: one figure of each corner lap by lap; two laps corner by corner."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from statistics import median

import msgspec

from pitwall.analysis.compare import LapComparison
from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.places import Place, places_on
from pitwall.analysis.session_view import SessionView
from pitwall.api import answers, judged
from pitwall.api.answers import LapRow
from pitwall.api.judged import stored_view
from pitwall.commands.common import SESSION_HELP, Column, add_json, print_bytes, print_table, say
from pitwall.commands.stored_or_served import Wanted, of_session, problem_line, read_all, segment
from pitwall.config import Home
from pitwall.contract.problems import Refused, UserError
from pitwall.store import queries
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store
from pitwall.track.lap import CornerPass
from pitwall.track.library import known_tracks
from pitwall.track.model import Track
from pitwall.words.language import Language

# What each figure is, its unit, and how many digits of it mean something.
Measure = Callable[[CornerPass, float, float | None], float | None]
FIGURES: dict[str, tuple[str, str, Measure]] = {
    "slowest": ("m/s", ".0f", lambda each, apex_m, lost_s: each.min_speed_mps),
    "exit": ("m/s", ".0f", lambda each, apex_m, lost_s: each.exit_speed_mps),
    "entry": ("m/s", ".0f", lambda each, apex_m, lost_s: each.entry_speed_mps),
    "time": ("s", ".2f", lambda each, apex_m, lost_s: each.time_s),
    "loss": ("s", ".2f", lambda each, apex_m, lost_s: lost_s),
    "brake": (
        "m",
        ".0f",
        lambda each, apex_m, lost_s: None if each.brake_m is None else apex_m - each.brake_m,
    ),
}
# The laps that fit next to each other into 80 columns; the median stands before them.
MOST_LAPS = 9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command that the parser is for; its name is the parser's last word."""
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    if parser.prog.endswith("compare"):
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
        return
    parser.add_argument(
        "--figure",
        choices=FIGURES,
        default="slowest",
        help="speed at the slowest point (default), at the entry or exit, time from entry to exit, loss "
        "against the best lap up to the next corner, or how far before the apex the brake point was",
    )
    add_json(parser, "a JSON list of all drives through corners")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Run the command; return its exit code."""
    return _compare(arguments, home) if arguments.command == "compare" else _corners(arguments, home)


def _corners(arguments: argparse.Namespace, home: Home) -> int:
    wanted = arguments.session
    passed = of_session(wanted, answers.corners, "/corners")
    if arguments.json:
        print_bytes(*read_all(home, passed))
        return 0
    found, timed = of_session(wanted, queries.session), of_session(wanted, answers.laps, "/laps")
    judged = [view_of(wanted)] if arguments.figure == "loss" else []
    row, lap_rows, pass_rows, *views = read_all(home, found, timed, passed, *judged)
    session = msgspec.json.decode(row, type=SessionRow)
    laps = msgspec.json.decode(lap_rows, type=list[LapRow])
    passes = msgspec.json.decode(pass_rows, type=list[CornerPass])
    lost_s = losses_of(views[0]) if views else {}
    words, track = home.words, known_tracks(home)[0].get(session.track)
    if not passes or track is None:
        say(words.say("no corners driven"))
        return 0
    unit = FIGURES[arguments.figure][0]
    figure = words.term("corner figure", arguments.figure)
    say(words.say("corners head", track=track.name, figure=figure, unit=words.figures.unit(unit)))
    driven = [lap for lap in laps if any(each.lap == lap.lap for each in passes)]
    for first in range(0, len(driven), MOST_LAPS):
        if first:
            say()
        _print_block(
            track, driven, driven[first : first + MOST_LAPS], passes, lost_s, arguments.figure, words
        )
    return 0


def view_of(wanted: str) -> Wanted:
    """Want a session's view, which knows what each pass lost."""
    return of_session(wanted, lambda store, of: stored_view(store, queries.session(store, of)), "/view")


def losses_of(view: bytes) -> dict[tuple[int, str], float | None]:
    """Return what each pass of a session's view lost to the best one, s, by lap and corner."""
    passes = msgspec.json.decode(view, type=SessionView).passes
    return {(each.lap, each.corner): each.loss_s for each in passes}


def _print_block(
    track: Track,
    driven: Sequence[LapRow],
    laps: Sequence[LapRow],
    passes: Sequence[CornerPass],
    lost_s: Mapping[tuple[int, str], float | None],
    figure: str,
    words: Language,
) -> None:
    unit, digits, measure = FIGURES[figure]
    flying = {lap.lap for lap in driven if lap.kind == "flying"}
    rows = []
    for corner in sorted(track.corners, key=lambda each: each.apex_m):
        values = {
            each.lap: words.figures.value(value, unit)
            for each in passes
            if each.corner == corner.id
            and (value := measure(each, corner.apex_m, lost_s.get((each.lap, corner.id)))) is not None
        }
        if figure == "brake":  # a brake point before the start line belongs to the apex behind it
            length = words.figures.value(track.length_m, unit)
            values = {lap: value % length for lap, value in values.items()}
        usual = [value for lap, value in values.items() if lap in flying]
        cells = [format(values[lap.lap], digits) if lap.lap in values else "" for lap in laps]
        middle = format(median(usual), digits) if usual else ""
        rows.append((corner.name, middle, *cells))
    named = [str(lap.lap) if lap.lap in flying else f"{lap.lap}*" for lap in laps]
    columns = [Column(words.term("view", "corner"), wrap=True)]
    columns += [Column(name, right=True) for name in (words.term("view", "median"), *named)]
    print_table(columns, rows)
    if any(name.endswith("*") for name in named):
        say(words.say("not flying"))


def _compare(arguments: argparse.Namespace, home: Home) -> int:
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
            corner_name(each.corner, places, words),
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
