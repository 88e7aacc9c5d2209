"""`pitwall doctor`: look at everything the daemon needs, and say how to mend what is wrong."""

from __future__ import annotations

import argparse

from pitwall.commands.common import add_json, print_json, say
from pitwall.commands.settings_file import add_config, checked_settings, named_settings
from pitwall.config import Home
from pitwall.doctor import examine, settings_check
from pitwall.doctor_phone import examine_phone

MARKS = {"good": "ok", "note": "note", "missing": "MISSING"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument(
        "--phone", action="store_true", help="what must be green on a phone in Termux before a track day, too"
    )
    add_json(parser, "one JSON list")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code 0 if nothing that is needed is missing, else 1."""
    loaded, path, _ = checked_settings(arguments.config, home)
    settings = loaded.settings
    first = settings_check(loaded, named_settings(path, home))
    checks = [first, *examine(home, settings)]
    if arguments.phone:
        checks += examine_phone(home, settings)
    if arguments.json:
        print_json(checks)
    else:
        width = max(len(check.name) for check in checks)
        found_at = width + 9
        for check in checks:
            say(f"{MARKS[check.verdict]:<8}{check.name:<{width}} {check.found}", hang=found_at)
            if check.mend:
                say(f"{'-> ':>{found_at}}{check.mend}", hang=found_at)
    return 1 if any(check.verdict == "missing" for check in checks) else 0
