"""`pitwall fleet leaderboard|corner|driver|advice|reference|track|train`: what a lake answers."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
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
    from pitwall.fleet.lake import Lake
    from pitwall.fleet.manifest import Entry
    from pitwall.fleet.session_facts import TrackShelf
    from pitwall.fleet.storage import Storage
    from pitwall.fleet.told import FleetView
    from pitwall.fleet.verdicts import RunProgress, SessionVerdict

# A line of progress at most so often.
PROGRESS_EVERY_S = 2.0


class FleetAsked(NamedTuple):
    """Who asks what of which lake."""

    arguments: argparse.Namespace
    home: Home
    lake: Lake
    tracks: TrackShelf

    def track(self) -> Track:
        """The track that is named, by its id or a part of it. UserError."""
        wanted = self.arguments.track
        known = sorted({entry.track for entry in self.lake.entries.values() if entry.track})
        found = [each for each in known if each == wanted] or [each for each in known if wanted in each]
        if len(found) != 1:
            raise UserError(f"{wanted!r} is no track of this lake; there are: {', '.join(known) or 'none'}")
        return self.tracks.get(found[0])


class FleetAnswer(NamedTuple):
    """A command: its ARGUMENTS, what it answers, its line of help, and how the answer is told (by
    `fleet.told`, which is loaded when there is one)."""

    takes: tuple[str, ...]
    answer: Callable[[FleetAsked], Any]
    summary: str
    told: Callable[[Any, FleetAsked, Any], FleetView]


def add_answer(parser: argparse.ArgumentParser, name: str) -> None:
    """The arguments of one of ANSWERS beside --json and --lake."""
    for argument in ANSWERS[name].takes:
        word, told = ARGUMENTS[argument]
        parser.add_argument(word, **told)
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the answer as one HTML file too")


def run_answer(name: str, arguments: argparse.Namespace, home: Home, storage: Storage) -> int:
    """Answer, print it, name what was left out. Exit code 1 where something was."""
    from pitwall.fleet import told
    from pitwall.fleet.lake import open_lake
    from pitwall.fleet.session_facts import TrackShelf
    from pitwall.fleet.storage import LakeError

    row = ANSWERS[name]
    asked = FleetAsked(arguments, home, open_lake(storage), TrackShelf(home.layers("track_data")))
    if not asked.lake.entries and not asked.lake.damaged:
        raise LakeError(f"{storage.url} holds no session of anybody: is it the right place?")
    answer = row.answer(asked)
    view = row.told(told, asked, answer)
    if arguments.json:
        print_json(answer)
    else:
        _show(view)
    if arguments.page is not None:
        write_new(arguments.page, told.fleet_page(view))
        note(home.words.say("fleet page", path=str(arguments.page)))
    for sentence in asked.lake.damaged.values():
        note(sentence)
    return 1 if asked.lake.damaged or getattr(arguments, "left_out", None) else 0


def _show(view: FleetView) -> None:
    say(view.title)
    for line in view.lines:
        say(line)
    for table in view.tables:
        if table.rows:
            say()
            print_table(table.head, table.rows)


# What the commands take, by name: the words of the command line, and what argparse is told of them.
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
        "--engine", {"default": "", "metavar": "NAME", "help": "duckdb (here, default) or spark://HOST:PORT"}
    ),
    "processes": (
        "--processes", {"type": int, "default": 0, "metavar": "N", "help": "default: one a core"}
    ),
    "known": (
        "--no-analysis",
        {"action": "store_true", "help": "take what is analysed already, and analyse nothing"},
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
FILTERS, ENGINE = ("class", "conditions"), ("engine", "processes", "known")


def _leaderboard(asked: FleetAsked) -> Any:
    from pitwall.fleet.answers import leaderboard

    given = asked.arguments
    return leaderboard(asked.lake, asked.track().id, given.car_class, given.conditions)


def _corner(asked: FleetAsked) -> Any:
    from pitwall.fleet.answers import corner, driven

    given, track = asked.arguments, asked.track()
    turn = _turn(track, given.turn)
    verdicts = _verdicts(asked, driven(asked.lake, track=track.id))
    return corner(asked.lake, track, turn, given.car_class, given.conditions, given.driver, verdicts)


def _turn(track: Track, wanted: str) -> Corner:
    found = [each for each in track.corners if each.id == wanted] or find_corners(track, wanted)
    if len(found) != 1:
        names = ", ".join(each.id for each in sorted(track.corners, key=lambda each: each.apex_m))
        raise UserError(f"{wanted!r} names no corner of {track.name}; there are: {names}")
    return found[0]


def _driver(asked: FleetAsked) -> Any:
    from pitwall.fleet.answers import driven, driver

    entries = driven(asked.lake, driver=asked.arguments.driver)
    return driver(asked.lake, asked.arguments.driver, _tracks(asked), _verdicts(asked, entries))


def _tracks(asked: FleetAsked) -> dict[str, Track]:
    """Those of the driver's tracks that are known here."""
    from pitwall.fleet.storage import LakeError

    found = {}
    for track in sorted({entry.track for entry in asked.lake.chosen(driver=asked.arguments.driver)}):
        try:
            found[track] = asked.tracks.get(track)
        except LakeError as error:
            if track:
                note(str(error))
    return found


def _advice(asked: FleetAsked) -> Any:
    from pitwall.fleet.answers import advice

    track = asked.track().id if asked.arguments.track else ""
    answer = advice(asked.lake, track, asked.arguments.car_class)
    if asked.arguments.save:
        from pitwall.drive.prepare import save_weights

        save_weights(asked.home.advice_weights, {row.concept: row.weight for row in answer.rows})
    return answer


def _reference(asked: FleetAsked) -> Any:
    from pitwall.fleet.composed import compose

    given, track = asked.arguments, asked.track()
    composed = compose(asked.lake, asked.tracks, track, given.car_class, given.conditions)
    name, encoded = f"{track.id}-{given.car_class or 'all'}.pitlap", msgspec.json.encode(composed.lap)
    if given.save:
        given.out = asked.home.references / name
        given.out.parent.mkdir(parents=True, exist_ok=True)
        replace_file(given.out, encoded)  # the lake knows more by now
        return composed
    given.out = given.out or free_name(Path.cwd(), name)
    write_new(given.out, encoded)
    return composed


def _refined(asked: FleetAsked) -> Any:
    from pitwall.fleet.composed import refine

    given, track = asked.arguments, asked.track()
    refined = refine(asked.lake, track)
    given.out = given.out or free_name(Path.cwd(), f"{track.id}.json")
    write_new(given.out, format_track(refined.track).encode())
    return refined


def _train(asked: FleetAsked) -> Any:
    from pitwall.fleet.composed import training_set

    return training_set(asked.lake, asked.arguments.out)


def _verdicts(asked: FleetAsked, entries: Sequence[Entry]) -> Iterable[SessionVerdict]:
    """The verdicts on these sessions; those that there are none of yet are made first."""
    from pitwall.fleet.session_facts import works_of
    from pitwall.fleet.spark import engine_of
    from pitwall.fleet.verdicts import Verdicts, analyse

    arguments, home = asked.arguments, asked.home
    verdicts = Verdicts(home.root / "fleet" / "verdicts.sqlite")
    works = works_of(asked.lake, [entry for entry in entries if entry.track and entry.flying_laps])
    if arguments.no_analysis:
        return verdicts.get(works)
    todo = verdicts.missing(works)
    if todo:
        begun_s = time.monotonic()
        layers = [str(layer) for layer in asked.tracks.layers]
        engine = engine_of(arguments.engine, arguments.processes)
        url = str(asked.lake.storage.folder or asked.lake.storage.url)
        failed = analyse(engine, url, layers, works, verdicts, _Progress(home).show)
        for (driver, session), why in sorted(failed.items()):
            note(home.words.say("fleet left out", session=session, driver=driver, why=why))
        arguments.left_out = failed
        seconds, known = time.monotonic() - begun_s, len(works) - len(todo)
        note(
            home.words.say("fleet analysed all", count=len(todo) - len(failed), seconds=seconds, known=known)
        )
    return verdicts.get(works)


class _Progress:
    """A line now and then on a terminal."""

    def __init__(self, home: Home) -> None:
        self._words = home.words
        self._last_s = 0.0

    def show(self, seen: RunProgress) -> None:
        if seen.elapsed_s - self._last_s >= PROGRESS_EVERY_S and sys.stderr.isatty():
            self._last_s = seen.elapsed_s
            values = {"done": seen.done, "total": seen.total, "rate": seen.rate, "left": seen.left_s or 0.0}
            note(self._words.say("fleet progress", **values))


ANSWERS: dict[str, FleetAnswer] = {
    "leaderboard": FleetAnswer(
        ("track", *FILTERS), _leaderboard, "list the best laps of a track by class",
        lambda told, asked, found: told.leaderboard_view(found, asked.track().name, asked.home.words),
    ),
    "corner": FleetAnswer(
        ("track", "turn", *FILTERS, "standing", *ENGINE), _corner,
        "show how a corner is driven, and what the fast do otherwise",
        lambda told, asked, found: told.corner_view(found, asked.track(), asked.home.words),
    ),
    "driver": FleetAnswer(
        ("driver", *ENGINE), _driver, "show a driver's trend, weakest corners and next target",
        lambda told, asked, found: told.driver_view(found, _tracks(asked), asked.home.words),
    ),
    "advice": FleetAnswer(
        ("one track", "class", "save"), _advice, "list which advice is heeded, and its gain",
        lambda told, asked, found: told.advice_view(
            found, str(asked.home.advice_weights) if asked.arguments.save else "", asked.home.words
        ),
    ),
    "reference": FleetAnswer(
        ("track", *FILTERS, "lap file", "ride along"), _reference,
        "compose a lap of the best pieces to drive against",
        lambda told, asked, found: told.reference_view(
            found, asked.track(), str(asked.arguments.out), asked.home.words
        ),
    ),
    "track": FleetAnswer(
        ("track", "track file"), _refined, "refine a track's line and corners from all drives",
        lambda told, asked, found: told.track_view(found, str(asked.arguments.out), asked.home.words),
    ),
    "train": FleetAnswer(
        ("folder",), _train, "write the data set for the network, split by driver and track",
        lambda told, asked, found: told.training_view(found, str(asked.arguments.out), asked.home.words),
    ),
}  # fmt: skip
