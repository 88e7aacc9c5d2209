"""`pitwall run`: the daemon, until SIGTERM or SIGINT."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from pitwall.api.guard import LINK_S
from pitwall.commands.common import flush, note, say
from pitwall.commands.run_console import RunConsole
from pitwall.commands.settings_file import add_config, checked_settings
from pitwall.config import Home
from pitwall.contract.status import Check
from pitwall.daemon.app import Daemon
from pitwall.daemon.watch import freeze_gc, limit_arenas, unfreeze_gc
from pitwall.drive.prepare import known_tracks
from pitwall.drive.reference import refuse_unknown_lap, rides_along
from pitwall.settings import Loaded
from pitwall.store.errors import StoreError
from pitwall.store.lock import fallback_home, unusable
from pitwall.store.store import Store

log = logging.getLogger("pitwall")

# SIGTERM to exit: 3 s. A hung disk must not keep Android waiting; the journal has all.
EXIT_WITHIN_S, LAST_WORDS_S = 2.8, 0.1
# sysexits' EX_TEMPFAIL: the settings are right, and the next start repairs what was not closed.
CUT_OFF = 75


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument(
        "--reference",
        metavar="SESSION[:LAP]",
        default="",
        help="drive against this stored lap (without LAP: the fastest one) in place of the best of all days",
    )


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Return exit code 0; `CUT_OFF` if something hung and was left unclosed."""
    limit_arenas()
    ending = RunEnding()
    loaded, path, absent = checked_settings(arguments.config, home)
    note(f"settings: {path or 'the defaults'}")
    for line in loaded.wrong:
        note(f"{line}; meanwhile the default counts")
    for line in absent:
        note(f"{line}; the rest runs without it")
    if not loaded.settings.sources:
        note("no source is configured: only what is handed in over the API will be seen; see pitwall doctor")
    wanted, home = home, _usable(home)
    store, console = Store(home), RunConsole(home.words)
    try:
        for line in store.open(to_drive=True).lines:
            note(line)
        if arguments.reference:
            kept = store.kept and home is wanted
            loaded = _driven_against(arguments.reference, loaded, home, store, kept)
        note(_riding(loaded, home, store))
        asyncio.run(_run(home, loaded, store, console, ending))
    finally:
        store.close()
        console.close()
        unfreeze_gc()
    return 0


def _usable(home: Home) -> Home:
    """Return the home, or another if it can't keep anything: the driver still gets a coach."""
    if not (why := unusable(home)):
        for folder in (home.track_data, home.audio_cache):
            if folder.exists() and not os.access(folder, os.R_OK | os.X_OK):
                note(f"{folder} can't be read: what is shipped is used in its place")
        return home
    try:
        other = fallback_home(home)
    except OSError as error:
        raise StoreError(f"{why}; nor can {error.filename}: {error.strerror}") from error
    note(
        f"{why}. This drive is kept in {other.root}, without what is known of earlier ones: mend that, then "
        f"pitwall import {other.journals}/*.pwj"
    )
    return other


def _riding(loaded: Loaded, home: Home, store: Store) -> str:
    """Which lap the next drive is compared with, as far as that is known before it."""
    coach = loaded.settings.coach
    if coach.reference:
        return f"the lap that rides along: {coach.reference}, as you chose"
    if not coach.remember:
        return "no lap of earlier days rides along: coach.remember is false in pitwall.toml"
    try:
        return rides_along(
            store, home.references, known_tracks(home)[0], loaded.settings.driver, loaded.settings.vehicle
        )
    except StoreError as error:
        return f"no lap of earlier days rides along: {error}"


def _driven_against(wanted: str, loaded: Loaded, home: Home, store: Store, kept: bool) -> Loaded:
    """Return the settings with this reference lap. StoreError if none, but where `kept` is lost."""
    try:
        refuse_unknown_lap(store, wanted, known_tracks(home)[0])
    except StoreError as error:
        if kept:
            raise
        note(f"{error}; the drive goes on without it")
        return loaded
    coach = msgspec.structs.replace(loaded.settings.coach, reference=wanted)
    settings = msgspec.structs.replace(loaded.settings, coach=coach)
    return msgspec.structs.replace(loaded, settings=settings)


async def _run(home: Home, loaded: Loaded, store: Store, console: RunConsole, ending: RunEnding) -> None:
    if ending.begun:
        return
    daemon = await Daemon.build(home, loaded, store, console)
    console.tracks = daemon.known.tracks
    daemon.examine = lambda: _examined(home, loaded, daemon.phone_reports.report is not None)
    with ending.of(daemon):
        await daemon.run(lambda: _ready(daemon))


def _examined(home: Home, loaded: Loaded, on_phone: bool) -> list[Check]:
    from pitwall.doctor import examine, settings_check  # few ask, and it brings all that it looks at
    from pitwall.doctor_phone import examine_phone

    wrong = [settings_check(loaded, "")] if loaded.wrong else []
    found = [*wrong, *examine(home, loaded.settings)]
    return [*found, *examine_phone(home, loaded.settings)] if on_phone else found


class RunEnding:
    """Handles SIGTERM and SIGINT from the first moment on: the process ends in time."""

    def __init__(self) -> None:
        self.begun = False
        self._daemon: Daemon | None = None
        self._reported = threading.Event()
        # Begun now: a handler may interrupt the very thread that is starting another one.
        threading.Thread(target=self._limit, name="end", daemon=True).start()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._begin())
        # The terminal it was started from may go: the daemon stays.
        signal.signal(signal.SIGHUP, lambda *_: None)

    @contextmanager
    def of(self, daemon: Daemon) -> Iterator[None]:
        """End this daemon on request. DuckDB's objects must be gone before the interpreter is."""
        self._daemon = daemon
        if self.begun:
            daemon.stop()
        try:
            yield
        finally:
            self._daemon = None

    def _begin(self) -> None:
        if not self.begun:
            self.begun = True
            self._reported.set()
        if self._daemon is not None:
            self._daemon.stop()

    def _limit(self) -> None:
        self._reported.wait()
        time.sleep(EXIT_WITHIN_S)
        _cut_off()


def _ready(daemon: Daemon) -> None:
    api = f"http://{daemon.settings.api.host}:{daemon.port}"
    where = api if daemon.port else daemon.home.words.say("without the API")
    say(daemon.home.words.say("ready", where=where, home=daemon.home.root))
    if daemon.pages is not None and daemon.port:
        link = api + daemon.pages.link()
        say(daemon.home.words.say("page link", link=link, minutes=round(LINK_S / 60.0)))
    flush()
    freeze_gc()


def _cut_off() -> None:
    text = (
        f"something hung for {EXIT_WITHIN_S} s at the end: cut off; the next start mends what was left open"
    )
    # In a thread: a terminal that takes nothing may be the very thing that hangs.
    words = threading.Thread(target=log.error, args=(text,), daemon=True)
    words.start()
    words.join(LAST_WORDS_S)
    os._exit(CUT_OFF)
