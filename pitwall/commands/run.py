"""`pitwall run`: the daemon, until SIGTERM or SIGINT."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import threading

from pitwall.commands.common import UserError, note, say
from pitwall.commands.settings_file import add_config, checked_settings
from pitwall.config import Home
from pitwall.service.memory import keep_small, settle, unsettle
from pitwall.service.service import Service
from pitwall.store.errors import StoreError
from pitwall.store.store import Store

# SIGTERM to exit: 3 s. A disk that hangs must not keep Android waiting, and the journal has what came.
EXIT_WITHIN_S = 2.8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What may be given for this run alone."""
    add_config(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code 0 when it was told to end."""
    loaded, path = checked_settings(arguments.config, home)
    note(f"settings: {path or 'the defaults'}")
    if not loaded.settings.sources:
        note("no source is configured: only what is handed in over the API will be seen; see pitwall doctor")
    keep_small()
    store = Store(home)
    try:
        for line in store.open().lines:
            note(line)
        service = Service(home, loaded, store)
        asyncio.run(service.run(lambda: _ready(service), _limit_the_end))
    except StoreError as error:
        raise UserError(str(error)) from None
    finally:
        store.close()
        unsettle()
    return 0


def _ready(service: Service) -> None:
    where = f"http://{service.settings.api.host}:{service.port}" if service.port else "without the API"
    say(f"pitwall is ready: {where}, home {service.home.root}")
    sys.stdout.flush()
    settle()


def _limit_the_end() -> None:
    """Whatever hangs from now on, the process is gone in time: as after a kill, only sooner."""
    timer = threading.Timer(EXIT_WITHIN_S, os._exit, (0,))
    timer.daemon = True
    timer.start()
