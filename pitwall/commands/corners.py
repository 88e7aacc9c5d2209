"""`pitwall corners`: one figure of each corner lap by lap."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from statistics import median

import msgspec
from msgspec.structs import replace

from pitwall.analysis.session_view import SessionView
from pitwall.api import answers
from pitwall.api.answers import LapRow
from pitwall.api.judged import stored_view
from pitwall.commands.common import SESSION_HELP, Column, print_bytes, print_table, say
from pitwall.commands.stored_or_served import of_session, read_all
from pitwall.config import Home
from pitwall.store import queries
from pitwall.store.queries import SessionRow
from pitwall.track.lap import CornerPass
from pitwall.track.library import known_tracks
from pitwall.track.model import Track
from pitwall.words.language import Language

# What each figure is, its unit, and how many digits of it mean something.
Measure = Callable[[CornerPass, float], float | None]
FIGURES: dict[str, tuple[str, str, Measure]] = {
    "slowest": ("m/s", ".0f", lambda each, _: each.min_speed_mps),
    "exit": ("m/s", ".0f", lambda each, _: each.exit_speed_mps),
    "entry": ("m/s", ".0f", lambda each, _: each.entry_speed_mps),
    "time": ("s", ".2f", lambda each, _: each.time_s),
    "loss": ("s", ".2f", lambda each, _: each.loss_s),
    "brake": ("m", ".0f", lambda each, apex_m: None if each.brake_m is None else apex_m - each.brake_m),
}
# The laps that fit next to each other into 80 columns; the median stands before them.
MOST_LAPS = 9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument(
        "--figure",
        choices=FIGURES,
        default="slowest",
        help="speed at the slowest point (default), at the entry or exit, time from entry to exit, loss "
        "against the best lap up to the next corner, or how far before the apex the brake point was",
    )
    parser.add_argument("--json", action="store_true", help="a JSON list of all drives through corners")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Run the command; return its exit code."""
    wanted = arguments.session
    passed = of_session(wanted, answers.corners, "/corners")
    if arguments.json:
        print_bytes(*read_all(home, passed))
        return 0
    found, timed = of_session(wanted, queries.session), of_session(wanted, answers.laps, "/laps")
    judged = [of_session(wanted, stored_view, "/view")] if arguments.figure == "loss" else []
    row, lap_rows, pass_rows, *views = read_all(home, found, timed, passed, *judged)
    session = msgspec.json.decode(row, type=SessionRow)
    laps = msgspec.json.decode(lap_rows, type=list[LapRow])
    passes = msgspec.json.decode(pass_rows, type=list[CornerPass])
    for raw in views:
        # What is stored of a pass was lost against the best lap until then; the debrief knows them
        # all.
        view = msgspec.json.decode(raw, type=SessionView)
        lost = {(each.lap, each.corner): each.loss_s for each in view.passes}
        passes = [replace(each, loss_s=lost.get((each.lap, each.corner))) for each in passes]
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
        _print_block(track, driven, driven[first : first + MOST_LAPS], passes, arguments.figure, words)
    return 0


def _print_block(
    track: Track,
    driven: Sequence[LapRow],
    laps: Sequence[LapRow],
    passes: Sequence[CornerPass],
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
            if each.corner == corner.id and (value := measure(each, corner.apex_m)) is not None
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
