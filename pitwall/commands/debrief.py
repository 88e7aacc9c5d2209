"""`pitwall debrief [SESSION]`: what the last run showed."""

from __future__ import annotations

import argparse

from pitwall.commands.ask import LATER_HELP, SESSION_HELP, add_shown, show
from pitwall.config import Home
from pitwall.contract.questions import Asked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Of which session."""
    parser.add_argument("session", nargs="?", default="last", help=SESSION_HELP)
    parser.add_argument("--later", action="store_true", help=LATER_HELP)
    add_shown(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code as for `ask`."""
    asked = Asked(kind="debrief", question="", session=arguments.session, later=arguments.later)
    return show(arguments, home, asked)
