"""`pitwall brief`: what to do in the next run."""

from __future__ import annotations

import argparse

from pitwall.commands.ask import LATER_HELP, SESSION_HELP, add_shown, show
from pitwall.config import Home
from pitwall.contract.questions import Asked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """From which session, or for which track."""
    parser.add_argument("--session", default="last", help=SESSION_HELP)
    parser.add_argument("--track", default="", help="from the last session on this track")
    parser.add_argument("--later", action="store_true", help=LATER_HELP)
    add_shown(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code as for `ask`."""
    asked = Asked(
        kind="brief",
        question="",
        session=arguments.session,
        track=arguments.track,
        later=arguments.later,
    )
    return show(arguments, home, asked)
