"""`pitwall doctor`: everything the daemon needs, one line each, with a line on how to mend it."""

from __future__ import annotations

import argparse

from pitwall.commands.common import UserError, print_json, say
from pitwall.commands.settings_file import add_config, checked_settings
from pitwall.config import Home
from pitwall.doctor import Check, examine
from pitwall.doctor_paddock import examine_paddock
from pitwall.settings import Settings

MARKS = {"good": "ok     ", "note": "note   ", "missing": "MISSING"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which settings, and how to print."""
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="one JSON list")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code 0 where nothing that is needed is missing, else 1."""
    try:
        loaded, path, _ = checked_settings(arguments.config, home)
        where = str(path) if path is not None else "the defaults"
        checks = [Check(name="settings", verdict="good", found=where)]
        settings = loaded.settings
    except UserError as error:
        settings = Settings()
        checks = [
            Check(
                name="settings",
                verdict="missing",
                found=str(error),
                mend="mend this line; the rest is looked at with the defaults",
            )
        ]
    checks += examine(home, settings) + examine_paddock(settings.paddock)
    if arguments.json:
        print_json(checks)
    else:
        for check in checks:
            say(f"{MARKS[check.verdict]} {check.name:<22} {check.found}")
            if check.mend:
                say(f"{'':<31}-> {check.mend}")
    return 1 if any(check.verdict == "missing" for check in checks) else 0
