"""`pitwall laps SESSION`: list the laps of a session; `pitwall` alone: what is in the home."""

from __future__ import annotations

import argparse

import msgspec

from pitwall.api import answers
from pitwall.api.answers import LapRow
from pitwall.commands.common import JSON_LIST, SESSION_HELP, Column, add_json, print_bytes, print_table, say
from pitwall.commands.stored_or_served import of_session, read_all, stored_sessions
from pitwall.config import Home
from pitwall.store import queries
from pitwall.store.queries import SessionRow, when_driven
from pitwall.track.library import find_track
from pitwall.words.language import Language


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("session", metavar="SESSION", nargs="?", default="last", help=SESSION_HELP)
    add_json(parser, JSON_LIST)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Run the command; return its exit code."""
    listed = of_session(arguments.session, answers.laps, "/laps")
    if arguments.json:
        print_bytes(*read_all(home, listed))
        return 0
    row, lap_rows = read_all(home, of_session(arguments.session, queries.session), listed)
    session = msgspec.json.decode(row, type=SessionRow)
    laps = msgspec.json.decode(lap_rows, type=list[LapRow])
    words = home.words
    say(
        words.say(
            "session head", session=session.shown, track=_track(session, home), when=when_driven(session)
        )
    )
    sectors = max((len(lap.sectors_s) for lap in laps), default=0)
    lap, kind, time = (words.term("column", name) for name in ("lap", "kind", "time"))
    times = [Column(name, right=True) for name in (time, *(f"S{each + 1}" for each in range(sectors)))]
    columns = (Column(lap, right=True), Column(kind), *times, Column("", wrap=True))
    print_table(columns, [_row(lap, sectors, words) for lap in laps])
    return 0


def _track(session: SessionRow, home: Home) -> str:
    known = find_track(home.layers("track_data"), session.track) if session.track else None
    return session.track or home.words.say("unknown track") if known is None else known.name


def _row(lap: LapRow, sectors: int, words: Language) -> tuple[str, ...]:
    figures = words.figures
    times = [format(time_s, ".2f") if time_s is not None else "-" for time_s in lap.sectors_s]
    times += [""] * (sectors - len(times))
    kind, reason = words.term("lap", lap.kind), words.in_units(lap.reason)
    return (str(lap.lap), kind, figures.clock(lap.time_s), *times, reason)


def overview(home: Home) -> int:
    """Print where the home is, what is in it, and what to do next. UserError."""
    words = home.words
    rows = [row for row in stored_sessions(home) if row.kind != "replay"]
    say(words.say("overview home", home=str(home.root)))
    if not rows:
        say(words.say("overview empty"))
        return 0
    last = rows[-1]
    name = f"{last.name} ({last.id})" if last.name else last.id
    best = words.figures.clock(last.best_lap_s)
    say(
        words.say(
            "overview last",
            count=len(rows),
            session=name,
            track=_track(last, home),
            when=when_driven(last),
            best=best,
        )
    )
    return 0
