"""`pitwall ask "..."`: a question to the crew chief."""

from __future__ import annotations

import argparse

from pitwall.commands.paddock_access import with_paddock
from pitwall.commands.paddock_screen import answered
from pitwall.commands.settings_file import add_config, checked_settings
from pitwall.config import Home
from pitwall.contract.agents import AGENTS
from pitwall.contract.questions import Asked

LATER_HELP = "where no model can be asked now: let a job give the better answer later"
SESSION_HELP = "a session's id, the beginning of it, or last (default)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The question, and who shall answer."""
    parser.add_argument("question", nargs="+", help="in your own words")
    parser.add_argument("--session", default="last", help=SESSION_HELP)
    parser.add_argument("--intent", metavar="AGENT", help=f"who shall answer: {', '.join(AGENTS)}")
    parser.add_argument("--later", action="store_true", help=LATER_HELP)
    add_shown(parser)


def add_shown(parser: argparse.ArgumentParser) -> None:
    """The options that all who answer have."""
    parser.add_argument("--json", action="store_true", help="every event as a line of JSON")
    add_config(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code 0 with an answer, 1 where it was broken off, 2 where it could not be asked."""
    return show(
        arguments,
        home,
        Asked(
            kind="ask",
            question=" ".join(arguments.question),
            intent=arguments.intent,
            session=arguments.session,
            later=arguments.later,
        ),
    )


def show(arguments: argparse.Namespace, home: Home, asked: Asked) -> int:
    """Ask whichever paddock there is, and show what comes."""
    settings = checked_settings(arguments.config, home)[0].settings.paddock
    return with_paddock(home, settings, lambda paddock: answered(paddock, asked, as_json=arguments.json))
