"""`pitwall fleet`: sessions of many phones in one lake: push, pull, build, forget, ask."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pitwall.analysis.places import find_corners
from pitwall.api.token import address_of
from pitwall.commands.common import (
    SESSION_HELP,
    Column,
    add_command,
    add_json,
    note,
    print_answer,
    print_json,
    print_table,
    say,
    write_new,
)
from pitwall.commands.settings_file import add_config, read_settings
from pitwall.commands.stored_or_served import opened_store, stored_session, stored_sessions
from pitwall.config import Home
from pitwall.contract.jobs import FleetPushInput
from pitwall.contract.problems import UserError
from pitwall.contract.settings import PaddockSettings
from pitwall.settings import FleetSettings
from pitwall.store import queries
from pitwall.store.files import free_name, replace_file
from pitwall.track.model import Corner, Track

if TYPE_CHECKING:
    from pitwall.fleet.build import BuildProgress, Built
    from pitwall.fleet.lake import Storage
    from pitwall.fleet.push import TrackShelf
    from pitwall.fleet.views import FleetView

Row = dict[str, Any]
Run = Callable[[argparse.Namespace, Home, FleetSettings], int]
Answer = Callable[["FleetAsked"], tuple[Row, "FleetView"]]
# Where a pull goes that names no other place.
PULLED = "lake"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, summary: str, do: Run) -> argparse.ArgumentParser:
        made = add_command(actions, name, summary, do)
        add_json(made)
        add_config(made)
        if name not in ("drivers", "key"):
            made.add_argument(
                "--lake",
                metavar="PLACE",
                help="a folder, or s3://BUCKET/PREFIX?endpoint=ADDRESS&region=NAME (default: fleet.lake)",
            )
        return made

    push = action("push", "copy closed sessions into the lake; what is there already is left", _push)
    push.add_argument("sessions", nargs="*", metavar="SESSION", help=SESSION_HELP)
    push.add_argument("--all", action="store_true", help="every drive on a known track")
    push.add_argument(
        "--again",
        action="store_true",
        help="also what is there (to mend a damaged file), and of a driver who was forgotten",
    )
    pull = action("pull", "copy sessions out of the lake into a folder that is a lake of its own", _pull)
    pull.add_argument("sessions", nargs="*", metavar="SESSION", help="ids; default: all")
    pull.add_argument("--to", metavar="FOLDER", help=f"default: {PULLED} in the home")
    pull.add_argument("--track", default="", metavar="ID", help="of this track alone")
    pull.add_argument("--driver", default="", metavar="ID", help="of this driver alone")
    build = action("build", "analyse new sessions of the lake for what is asked of it", _build)
    build.add_argument("--again", action="store_true", help="analyse all sessions again")
    forget = action("forget", "take a driver out of the lake and of this home, and show the proof", _forget)
    forget.add_argument("driver", metavar="DRIVER", help="a name, or an id as `fleet drivers` lists them")
    action("drivers", "list the drivers of this home and their ids in the lake", _drivers)
    key = action("key", "show the key that makes ids of names, for another phone of the same club", _key)
    key.add_argument("--set", metavar="KEY", help="use the key of another phone")

    def question(name: str, summary: str, answer: Answer) -> argparse.ArgumentParser:
        return action(name, summary, partial(_answer, answer))

    def of_class(made: argparse.ArgumentParser) -> None:
        what = "of this class alone"
        made.add_argument("--class", dest="car_class", default="", metavar="CLASS", help=what)

    def on_track(name: str, summary: str, answer: Answer) -> argparse.ArgumentParser:
        made = question(name, summary, answer)
        made.add_argument("track", metavar="TRACK", help="the id of a track of the lake, or a part of it")
        of_class(made)
        how = "dry or wet alone"
        made.add_argument("--conditions", default="", choices=("dry", "wet"), metavar="HOW", help=how)
        return made

    on_track("leaderboard", "list the best laps of a track by class", _leaderboard)
    how = "show how a corner is driven, and what the fast do otherwise"
    corner = on_track("corner", how, _corner)
    corner.add_argument("turn", metavar="TURN", help="a corner by name, number or id")
    corner.add_argument("--driver", default="", metavar="ID", help="where this driver stands")
    driver = question("driver", "show a driver's trend, weakest corners and next target", _driver)
    driver.add_argument("driver", metavar="ID", help="a driver's id in the lake: fleet drivers")
    advice = question("advice", "list which advice is heeded, and its gain", _advice)
    advice.add_argument("--track", default="", metavar="ID", help="of this track alone")
    of_class(advice)
    ranks = "the coach here ranks its advice by it from now on"
    advice.add_argument("--save", action="store_true", help=ranks)
    lap = on_track("reference", "compose a lap of the best pieces to drive against", _reference)
    lap.add_argument("--out", type=Path, metavar="FILE", help="default: TRACK-CLASS.pitlap here")
    along = "keep it here: it rides along where it is faster than your own"
    lap.add_argument("--save", action="store_true", help=along)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code 0; 1 where something is damaged, failed or waits."""
    return int(arguments.do(arguments, home, read_settings(arguments.config, home)[0].settings.fleet))


def storage_of(place: str) -> Storage:
    """Return the lake at a place. UserError if the extra is not installed, or there is none."""
    if importlib.util.find_spec("pyarrow") is None:
        raise UserError("the fleet needs pyarrow, which is not installed: pip install 'pitwall[fleet]'")
    from pitwall.fleet.lake import open_storage

    return open_storage(place)


def _push(arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    """Push here and now, or have the running daemon push: it holds the store."""
    place = arguments.lake or settings.lake
    storage = storage_of(place)
    if not arguments.sessions and not arguments.all:
        raise UserError("name the sessions to push, or give --all")
    rows = [stored_session(home, each) for each in arguments.sessions]
    for row in rows:
        if row.closed_utc_s is None:
            raise UserError(f"session {row.id} is still being driven; push it when it is over")
        if not row.track:
            note(home.words.say("push without track", session=row.id))
    try:
        if storage.folder is not None:  # a job waits for a folder that is not there
            storage.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{storage.url} can't be written: {error.strerror or error}") from None
    given = FleetPushInput(
        lake=str(storage.folder or place),
        sessions=tuple(row.id for row in rows),
        car_class=settings.car_class,
        metered=settings.metered,
        again=arguments.again,
    )
    from pitwall.commands.jobs import run_waiting, show_job
    from pitwall.commands.paddock_access import Own, Paddock, with_paddock

    async def work(paddock: Paddock) -> int:
        job = await paddock.add_job("fleet_push", msgspec.to_builtins(given))
        if isinstance(paddock, Own):
            return await run_waiting(paddock, home.words, as_json=arguments.json)
        show_job(job, home.words, as_json=arguments.json)
        note(home.words.say("daemon pushes"))
        return 0

    return with_paddock(home, PaddockSettings(), work)


def _pull(arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    storage = storage_of(arguments.lake or settings.lake)
    from pitwall.fleet.lake import open_storage, pull

    target = str(arguments.to or home.root / PULLED)
    pulled = pull(
        storage,
        open_storage(target),
        track=arguments.track,
        driver=arguments.driver,
        sessions=arguments.sessions,
    )
    values = {"there": pulled.there, "size": pulled.bytes / 1e6, "lake": target}
    line = home.words.say("pulled", count=pulled.sessions, **values)
    print_answer(pulled, [*pulled.damaged, line], as_json=arguments.json)
    return 1 if pulled.damaged else 0


def _build(arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    storage = storage_of(arguments.lake or settings.lake)
    from pitwall.fleet.lake import clear_leavings
    from pitwall.fleet.push import TrackShelf

    asked = FleetAsked(arguments, home, storage, TrackShelf(home.layers("track_data")))
    clear_leavings(storage)
    built = build_lake(asked, again=arguments.again, retry=True)
    line = home.words.say("lake built", count=built.analysed + built.known, failed=len(built.failed))
    print_answer(built, [line], as_json=arguments.json)
    return 1 if built.failed else 0


def _forget(arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    """The lakes first: a push meanwhile is refused. The home last, with what was pulled into it."""
    from pitwall.fleet.forget import forget_at_home, forget_in_lake
    from pitwall.fleet.material import is_pseudonym, key_of, pseudonym
    from pitwall.fleet.push import TrackShelf

    if address_of(home):
        raise UserError("a daemon runs in this home: stop it, then forget; it holds the database")
    wanted, key = arguments.driver, key_of(home)
    driver = wanted if is_pseudonym(wanted) else pseudonym(key, wanted)
    pulled = str(home.root / PULLED)
    places = [arguments.lake or settings.lake, pulled if (home.root / PULLED).is_dir() else ""]
    with opened_store(home) as store:
        known = {row.driver for row in queries.sessions(store) if pseudonym(key, row.driver) == driver}
        names = sorted({*known, *(() if is_pseudonym(wanted) else (wanted,))})
        tracks = TrackShelf(home.layers("track_data"))
        done = [forget_in_lake(storage_of(place), driver, tracks, names) for place in places if place]
        done.append(forget_at_home(home, store, driver, names))
    gone = {session for each in done for session in each.sessions}
    if not gone:
        raise UserError(f"nobody knows a driver {wanted!r}; `pitwall fleet drivers` lists those of this home")
    lines = [home.words.say("driver forgotten", driver=driver, count=len(gone))]
    for each in done:
        values = {"place": each.where, "files": each.files, "size": each.bytes / 1e6}
        lines.append(home.words.say("searched", words=", ".join(each.looked_for), **values))
        lines += [*(home.words.say("still found", place=path) for path in each.found), *each.unread]
    answer = {"driver": driver, "sessions": sorted(gone), "searched": done}
    print_answer(answer, lines, as_json=arguments.json)
    return 1 if any(each.found or each.unread for each in done) else 0


def _drivers(arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    from pitwall.fleet.material import key_of, pseudonym

    key = key_of(home)
    rows = stored_sessions(home)
    counts = Counter(row.driver for row in rows if row.kind != "replay")
    names = sorted({row.driver for row in rows})
    listed = [{"driver": pseudonym(key, name), "name": name, "sessions": counts[name]} for name in names]
    if arguments.json:
        print_json(listed)
    else:
        head = ("driver", "name", Column("sessions", right=True))
        print_table(head, [tuple(map(str, row.values())) for row in listed])
    return 0


def _key(arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    from pitwall.fleet.material import key_of, set_key

    if arguments.set:
        set_key(home, arguments.set)
    key = key_of(home)
    print_answer({"key": key}, [key], as_json=arguments.json)
    return 0


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


def _answer(answering: Answer, arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    """Build what lacks, answer, name what was left out. Exit code 1 where something was."""
    storage = storage_of(arguments.lake or settings.lake)
    from pitwall.fleet.push import TrackShelf

    asked = FleetAsked(arguments, home, storage, TrackShelf(home.layers("track_data")))
    failed = build_lake(asked).failed
    answer, view = answering(asked)
    if arguments.json:
        print_json(answer)
    else:
        _show(view)
    return 1 if failed else 0


def build_lake(asked: FleetAsked, *, again: bool = False, retry: bool = False) -> Built:
    """Bring `derived/` up to date; say what was done and what failed."""
    from pitwall.fleet.build import build

    words = asked.home.words
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

    built = build(asked.storage, asked.tracks, again=again, retry=retry, progress=progress)
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
