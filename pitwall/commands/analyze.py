"""`pitwall analyze "..."`: a hard question, worked on in stages, each claim with its queries."""

from __future__ import annotations

import argparse

from pitwall.commands.ask import SESSION_HELP, add_shown, show
from pitwall.config import Home
from pitwall.contract.questions import Asked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The question and its session."""
    parser.add_argument("question", nargs="+", help="in your own words")
    parser.add_argument("--session", default="last", help=SESSION_HELP)
    add_shown(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code as for `ask`."""
    asked = Asked(kind="analyze", question=" ".join(arguments.question), session=arguments.session)
    return show(arguments, home, asked)
