"""`pitwall fleet leaderboard|corner|driver|advice|reference|track|train`: what a lake answers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pitwall.analysis.places import find_corners
from pitwall.commands.common import note, print_json, print_table, say, write_new
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.store.files import free_name, replace_file
from pitwall.track.build_report import format_track
from pitwall.track.model import Corner, Track

if TYPE_CHECKING:
    from pitwall.fleet.build import BuildProgress, Built
    from pitwall.fleet.push import TrackShelf
    from pitwall.fleet.storage import Storage
    from pitwall.fleet.views import FleetView

Row = dict[str, Any]
# A line of progress at most so often.
PROGRESS_EVERY_S = 2.0


class FleetAsked(NamedTuple):
    """Who asks what of which lake."""

    given: argparse.Namespace
    home: Home
    storage: Storage
    tracks: TrackShelf

    def track(self) -> Track:
        """Return the track that is named, by its id or a part of it. UserError."""
        from pitwall.fleet.answers import tracks_of

        wanted, known = self.given.track, tracks_of(self.storage)
        found = [each for each in known if each == wanted] or [each for each in known if wanted in each]
        if len(found) != 1:
            raise UserError(f"{wanted!r} is no track of this lake; there are: {', '.join(known) or 'none'}")
        return self.tracks.get(found[0])

    def filters(self) -> tuple[str, str]:
        """Return the class and the conditions that are asked for, "" for any."""
        return self.given.car_class, self.given.conditions


class FleetAnswer(NamedTuple):
    """A command: its ARGUMENTS, its line of help, and the function that answers."""

    takes: tuple[str, ...]
    summary: str
    answer: Callable[[FleetAsked], tuple[Row, FleetView]]


def add_answer(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the arguments of one of ANSWERS."""
    for argument in (*ANSWERS[name].takes, *ENGINE):
        word, options = ARGUMENTS[argument]
        parser.add_argument(word, **options)
    parser.add_argument(
        "--as-built", action="store_true", help="take what was built already, and build nothing"
    )


def run_answer(name: str, arguments: argparse.Namespace, home: Home, storage: Storage) -> int:
    """Build what lacks, answer, name what was left out. Exit code 1 where something was."""
    from pitwall.fleet.push import TrackShelf

    asked = FleetAsked(arguments, home, storage, TrackShelf(home.layers("track_data")))
    failed = {} if arguments.as_built else build_lake(asked).failed
    answer, view = ANSWERS[name].answer(asked)
    if arguments.json:
        print_json(answer)
    else:
        _show(view)
    return 1 if failed else 0


def build_lake(asked: FleetAsked, *, again: bool = False, retry: bool = False) -> Built:
    """Bring `derived/` up to date; say what was done and what failed."""
    from pitwall.fleet.build import build
    from pitwall.fleet.spark import engine_of

    given, words = asked.given, asked.home.words
    engine = engine_of(given.engine, given.processes)
    shown = [0.0]

    def progress(seen: BuildProgress) -> None:
        if seen.elapsed_s - shown[0] >= PROGRESS_EVERY_S and sys.stderr.isatty():
            shown[0] = seen.elapsed_s
            rate = seen.done / seen.elapsed_s
            values = {
                "done": seen.done,
                "total": seen.total,
                "rate": rate,
                "left": (seen.total - seen.done) / rate,
            }
            note(words.say("fleet progress", **values))

    built = build(asked.storage, asked.tracks, engine, again=again, retry=retry, progress=progress)
    for driver, session, why in built.failed:
        note(words.say("fleet left out", session=session, driver=driver, why=why))
    if built.analysed:
        values = {"count": built.analysed, "seconds": built.seconds, "known": built.known}
        note(words.say("fleet analysed all", **values))
    return built


def _show(view: FleetView) -> None:
    for line in (view.title, *view.lines):
        say(line)
    for table in view.tables:
        if table.rows:
            say()
            print_table(table.head, table.rows)


# What the commands take, by name: the words of the command line, and the options of argparse.
ARGUMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "track": ("track", {"metavar": "TRACK", "help": "the id of a track of the lake, or a part of it"}),
    "turn": ("turn", {"metavar": "TURN", "help": "a corner by name, number or id"}),
    "driver": ("driver", {"metavar": "ID", "help": "a driver's id in the lake: fleet drivers"}),
    "one track": ("--track", {"default": "", "metavar": "ID", "help": "of this track alone"}),
    "standing": ("--driver", {"default": "", "metavar": "ID", "help": "where this driver stands"}),
    "class": (
        "--class", {"dest": "car_class", "default": "", "metavar": "CLASS", "help": "of this class alone"}
    ),
    "conditions": (
        "--conditions",
        {"default": "", "choices": ("dry", "wet"), "metavar": "HOW", "help": "dry or wet alone"},
    ),
    "engine": (
        "--engine", {"default": "", "metavar": "NAME", "help": "spark://HOST:PORT (default: this machine)"}
    ),
    "processes": (
        "--processes", {"type": int, "default": 0, "metavar": "N", "help": "default: one a core"}
    ),
    "save": ("--save", {"action": "store_true", "help": "the coach here ranks its advice by it from now on"}),
    "ride along": (
        "--save",
        {"action": "store_true", "help": "keep it here: it rides along where it is faster than your own"},
    ),
    "lap file": ("--out", {"type": Path, "metavar": "FILE", "help": "default: TRACK-CLASS.pitlap here"}),
    "track file": ("--out", {"type": Path, "metavar": "FILE", "help": "default: TRACK.json here"}),
    "folder": (
        "--out", {"type": Path, "required": True, "metavar": "FOLDER", "help": "where the data set goes"}
    ),
}  # fmt: skip
FILTERS, ENGINE = ("class", "conditions"), ("engine", "processes")


def _leaderboard(asked: FleetAsked) -> tuple[Row, FleetView]:
    from pitwall.fleet import answers, views

    track = asked.track()
    found = answers.leaderboard(asked.storage, track.id, *asked.filters())
    return found, views.leaderboard_view(found, track.name, asked.home.words)


def _corner(asked: FleetAsked) -> tuple[Row, FleetView]:
    from pitwall.fleet import answers, views

    track = asked.track()
    turn = _turn(track, asked.given.turn)
    found = answers.corner(asked.storage, track, turn, *asked.filters(), asked.given.driver)
    return found, views.corner_view(found, track, asked.home.words)


def _turn(track: Track, wanted: str) -> Corner:
    found = [each for each in track.corners if each.id == wanted] or find_corners(track, wanted)
    if len(found) != 1:
        names = ", ".join(each.id for each in sorted(track.corners, key=lambda each: each.apex_m))
        raise UserError(f"{wanted!r} names no corner of {track.name}; there are: {names}")
    return found[0]


def _driver(asked: FleetAsked) -> tuple[Row, FleetView]:
    from pitwall.fleet import answers, views

    tracks: dict[str, Track] = {}
    for track in answers.tracks_of(asked.storage):
        try:
            tracks[track] = asked.tracks.get(track)
        except UserError as error:
            note(str(error))
    found = answers.driver(asked.storage, asked.given.driver, tracks)
    return found, views.driver_view(found, tracks, asked.home.words)


def _advice(asked: FleetAsked) -> tuple[Row, FleetView]:
    from pitwall.drive.prepare import save_weights
    from pitwall.fleet import answers, views

    given, saved = asked.given, ""
    found = answers.advice(asked.storage, asked.track().id if given.track else "", given.car_class)
    if given.save:
        saved = str(asked.home.advice_weights)
        save_weights(asked.home.advice_weights, {row["concept"]: row["weight"] for row in found["rows"]})
    return found, views.advice_view(found, saved, asked.home.words)


def _reference(asked: FleetAsked) -> tuple[Row, FleetView]:
    from pitwall.fleet import composed, views

    given, track = asked.given, asked.track()
    lap, found = composed.compose(asked.storage, asked.tracks, track, *asked.filters())
    name, encoded = f"{track.id}-{given.car_class or 'all'}.pitlap", msgspec.json.encode(lap)
    if given.save:
        out = asked.home.references / name
        out.parent.mkdir(parents=True, exist_ok=True)
        replace_file(out, encoded)  # the lake knows more by now
    else:
        out = given.out or free_name(Path.cwd(), name)
        write_new(out, encoded)
    return found | {"file": str(out)}, views.reference_view(found, track, str(out), asked.home.words)


def _refined(asked: FleetAsked) -> tuple[Row, FleetView]:
    from pitwall.fleet import composed, views

    track = asked.track()
    refined, found = composed.refine(asked.storage, track)
    out = asked.given.out or free_name(Path.cwd(), f"{track.id}.json")
    write_new(out, format_track(refined).encode())
    return found | {"file": str(out)}, views.track_view(found, track, str(out), asked.home.words)


def _train(asked: FleetAsked) -> tuple[Row, FleetView]:
    from pitwall.fleet import composed, views

    found = composed.training_set(asked.storage, asked.given.out)
    return found, views.training_view(found, str(asked.given.out), asked.home.words)


ANSWERS: dict[str, FleetAnswer] = {
    "leaderboard": FleetAnswer(("track", *FILTERS), "list the best laps of a track by class", _leaderboard),
    "corner": FleetAnswer(
        ("track", "turn", *FILTERS, "standing"),
        "show how a corner is driven, and what the fast do otherwise",
        _corner,
    ),
    "driver": FleetAnswer(("driver",), "show a driver's trend, weakest corners and next target", _driver),
    "advice": FleetAnswer(
        ("one track", "class", "save"), "list which advice is heeded, and its gain", _advice
    ),
    "reference": FleetAnswer(
        ("track", *FILTERS, "lap file", "ride along"),
        "compose a lap of the best pieces to drive against",
        _reference,
    ),
    "track": FleetAnswer(
        ("track", "track file"), "refine a track's line and corners from all drives", _refined
    ),
    "train": FleetAnswer(
        ("folder",), "write the data set for the network, split by driver and track", _train
    ),
}
