"""`pitwall fleet`: sessions of many phones in one lake: push, pull, verify, build, forget, ask."""

from __future__ import annotations

import argparse
import importlib.util
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from pitwall.api.token import address_of
from pitwall.commands.common import (
    SESSION_HELP,
    Column,
    add_command,
    note,
    print_answer,
    print_json,
    print_table,
)
from pitwall.commands.fleet_answers import (
    ANSWERS,
    ARGUMENTS,
    ENGINE,
    FleetAsked,
    add_answer,
    build_lake,
    run_answer,
)
from pitwall.commands.settings_file import add_config, read_settings
from pitwall.commands.stored_or_served import either, opened_store, stored_session, stored_sessions
from pitwall.config import Home
from pitwall.contract.jobs import FleetPushInput
from pitwall.contract.problems import UserError
from pitwall.contract.settings import PaddockSettings
from pitwall.settings import FleetSettings
from pitwall.store import jobs, queries
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store

if TYPE_CHECKING:
    from pitwall.fleet.storage import Storage

Run = Callable[[argparse.Namespace, Home, FleetSettings], int]
# Where a pull goes that names no other place.
PULLED = "lake"


class PushReport(msgspec.Struct, frozen=True, kw_only=True):
    """Holds a push's result. `sessions`: of each its `session`, `driver`, `bytes` sent, or the
    `error`; `there`: how many the lake already had. `job`: what is left as a job of the daemon's,
    "" for nothing; `why`: the lake can't be reached."""

    lake: str
    sessions: list[dict[str, Any]]
    there: int
    job: str = ""
    why: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, summary: str, do: Run | None = None) -> argparse.ArgumentParser:
        made = add_command(actions, name, summary, do)
        made.add_argument("--json", action="store_true", help="one JSON object")
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
    action("verify", "compare every object of the lake with its name", _verify)
    build = action("build", "analyse new sessions of the lake for what is asked of it", _build)
    build.add_argument("--again", action="store_true", help="analyse all sessions again")
    for name in ENGINE:
        word, options = ARGUMENTS[name]
        build.add_argument(word, **options)
    forget = action("forget", "take a driver out of the lake and of this home, and show the proof", _forget)
    forget.add_argument("driver", metavar="DRIVER", help="a name, or an id as `fleet drivers` lists them")
    action("drivers", "list the drivers of this home and their ids in the lake", _drivers)
    key = action("key", "show the key that makes ids of names, for another phone of the same club", _key)
    key.add_argument("--set", metavar="KEY", help="use the key of another phone")
    for name, row in ANSWERS.items():
        add_answer(action(name, row.summary), name)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code 0; 1 where something is damaged, failed or waits."""
    settings = read_settings(arguments.config, home)[0].settings.fleet
    if arguments.action in ANSWERS:
        storage = storage_of(arguments.lake or settings.lake)
        return run_answer(arguments.action, arguments, home, storage)
    return int(arguments.do(arguments, home, settings))


def storage_of(place: str) -> Storage:
    """Return the lake at a place. UserError if the extra is not installed, or there is none."""
    if importlib.util.find_spec("pyarrow") is None:
        raise UserError("the fleet needs pyarrow, which is not installed: pip install 'pitwall[fleet]'")
    from pitwall.fleet.storage import open_storage

    return open_storage(place)


def _push(arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    place = arguments.lake or settings.lake
    storage = storage_of(place)
    if not arguments.sessions and not arguments.all:
        raise UserError("name the sessions to push, or give --all")

    given = FleetPushInput(
        lake=str(storage.folder or place),
        car_class=settings.car_class,
        metered=settings.metered,
        again=arguments.again,
    )

    def own(store: Store) -> PushReport:
        return push_all(store, storage, _chosen(store, arguments.sessions), given)

    def served(address: str) -> PushReport:
        """The daemon holds the store: it pushes, in the paddock and when there is a network."""
        from pitwall.commands.paddock_access import with_paddock

        try:
            if storage.folder is not None:  # the daemon waits for a folder that is not there
                storage.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{storage.url} can't be written: {error.strerror or error}") from None
        names = [stored_session(home, each).id for each in arguments.sessions]
        wanted = msgspec.structs.replace(given, sessions=tuple(names))
        plain = msgspec.to_builtins(wanted)
        job = with_paddock(home, PaddockSettings(), lambda paddock: paddock.add_job("fleet_push", plain))
        return PushReport(lake=storage.url, sessions=[], there=0, job=job.id)

    report = either(home, own, served)
    words = home.words
    failed = [each for each in report.sessions if each["error"]]
    done = [each for each in report.sessions if not each["error"]]
    lines = [words.say("push failed", session=each["session"], why=each["error"]) for each in failed]
    if done or not report.job:
        size_mb = sum(each["bytes"] for each in done) / 1e6
        lines.append(words.say("pushed", count=len(done), size=size_mb, there=report.there, lake=report.lake))
    if report.job:
        lines.append(words.say("push waits", job=report.job, why=report.why or words.say("daemon pushes")))
    print_answer(report, lines, as_json=arguments.json)
    return 1 if report.why or failed else 0


def _chosen(store: Store, wanted: Sequence[str]) -> list[SessionRow]:
    """Return the wanted sessions; without names, all drives on a known track."""
    from pitwall.fleet.material import pushable

    if wanted:
        found = [queries.session(store, each) for each in wanted]
        for row in found:
            if not row.track:
                note(store.home.words.say("push without track", session=row.id))
        return found
    return pushable(queries.sessions(store))


def push_all(
    store: Store, storage: Storage, chosen: Sequence[SessionRow], given: FleetPushInput
) -> PushReport:
    """Push what the lake lacks; name a session that fails and go on. If the lake is away, the rest
    becomes a job. StoreError."""
    from pitwall.fleet.material import due, gather
    from pitwall.fleet.push import not_there, push_each
    from pitwall.fleet.storage import UnreachableError

    wanted = due(store, [row for row in chosen if row.closed_utc_s is not None])
    open_still = "it is still being driven; push it when it is over"
    done = [
        {"session": row.id, "driver": "", "bytes": 0, "error": open_still}
        for row in chosen
        if row.closed_utc_s is None
    ]
    lacking = wanted
    try:
        lacking = not_there(storage, store.home, wanted, again=given.again)
        material = partial(gather, store)
        for each, sent, why in push_each(
            storage, store.home, lacking, material, given.car_class, again=given.again
        ):
            done.append({"session": each.session, "driver": each.driver, "bytes": sent, "error": why})
    except UnreachableError as error:
        named = {each["session"] for each in done}
        left = tuple(each.session for each in lacking if each.session not in named)
        text = msgspec.json.encode(msgspec.structs.replace(given, sessions=left)).decode()
        job = jobs.create(store, "fleet_push", text).id
        return PushReport(lake=storage.url, sessions=done, there=0, job=job, why=str(error))
    return PushReport(lake=storage.url, sessions=done, there=len(wanted) - len(lacking))


def _pull(arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    storage = storage_of(arguments.lake or settings.lake)
    from pitwall.fleet.lake import pull
    from pitwall.fleet.storage import open_storage

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


def _verify(arguments: argparse.Namespace, home: Home, settings: FleetSettings) -> int:
    storage = storage_of(arguments.lake or settings.lake)
    from pitwall.fleet.lake import verify

    found = verify(storage)
    values = {"count": found.sessions, "size": found.bytes / 1e6, "others": found.others}
    line = home.words.say("lake verified", damaged=len(found.damaged), **values)
    print_answer(found, [*found.damaged.values(), line], as_json=arguments.json)
    return 1 if found.damaged else 0


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
    from pitwall.fleet.build import ProcessEngine
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
        done = [
            forget_in_lake(storage_of(place), driver, tracks, ProcessEngine(), names)
            for place in places
            if place
        ]
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
    counts = Counter(row.driver for row in rows)
    listed = [
        {"driver": pseudonym(key, name), "name": name, "sessions": counts[name]} for name in sorted(counts)
    ]
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
