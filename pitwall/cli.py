"""The `pitwall` command: its subcommands, and which file of `pitwall/commands/` runs each."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pitwall import __version__
from pitwall.commands.common import LogLines, add_command, flush, note, uncollected
from pitwall.commands.settings_file import home_with_settings
from pitwall.contract.problems import UserError
from pitwall.settings import nearest

# A command's module is loaded only when the command is given.
FIRST: dict[str, tuple[str, str]] = {
    "import": ("import_", "store recordings as sessions"),
    "laps": ("laps", "list the laps of a session"),
    "debrief": ("ask", "say what the last run showed, what to do in the next, or what all days show"),
    "ask": ("ask", "ask a question about your driving"),
    "report": ("report", "write a session as one HTML file to look at"),
    "show": ("report", "open the page of the running daemon, or a session without one"),
    "run": ("run", "start the daemon: read the sources, coach and record until stopped"),
    "doctor": ("doctor", "check everything that the daemon needs, and say how to mend it"),
}
MORE: dict[str, tuple[str, str]] = {
    "share": ("report", "write a session as one HTML file to give away, without places off the track"),
    "overlay": ("overlay", "copy a film of a lap with speed, delta, map and callouts in it"),
    "sessions": ("sessions", "list the stored sessions, name, tag, mark or delete them"),
    "coach": ("coach", "explain what the coach said and kept back, or change how it speaks"),
    "replay": ("replay", "drive a recording again, with the coach, and list the callouts"),
    "wall": ("wall", "let a laptop or a phone of the pits look at the drive, or speak to the driver"),
    "inspect": ("inspect", "show what a recording holds and how good its signals are"),
    "export": ("export", "copy a session to another folder, as a backup or for other programs"),
    "track": ("track", "find, list, edit and build tracks"),
    "simulate": ("simulate", "write a simulated recording of a track"),
    "audio": ("audio", "measure the delay from the phone to your ear, or hear the voices"),
    "jobs": ("jobs", "list, show, add, run or cancel work that waits for a connection"),
    "mcp": ("mcp", "let an assistant that speaks MCP read your drives"),
    "fleet": ("fleet", "bring the sessions of many phones together, and ask all of them"),
}
COMMANDS = FIRST | MORE


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all others are."""

    def error(self, message: str) -> NoReturn:
        """Print the error in one line and exit."""
        if found := re.fullmatch(r"argument (.+?): invalid choice: '(.*)' \(choose from (.*)\)", message):
            name, given, known = found[1], found[2], found[3].replace("'", "").split(", ")
            none = "unknown" if name == "COMMAND" else f"none of {', '.join(known)}"
            message = f"{name} {given!r} is {none}{nearest(given, known)}"
        note(f"{message}; see {self.prog} --help")
        sys.exit(2)


def default_home() -> Path:
    """PITWALL_HOME, else the platform's data folder."""
    named = os.environ.get("PITWALL_HOME")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("pitwall", appauthor=False)


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Make the parser, with the arguments of all commands or of `only` one."""
    parser = Parser(
        prog="pitwall", description="A racing coach that speaks before the corner and keeps every sample."
    )
    parser.add_argument("--version", action="version", version=f"pitwall {__version__}")
    parser.add_argument(
        "--home",
        type=Path,
        metavar="FOLDER",
        help="where everything is kept (default: $PITWALL_HOME, else the user's data folder)",
    )
    parser.add_argument("--verbose", "-v", action="store_true", help="show the log on standard error")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, (module, summary) in COMMANDS.items():
        command = add_command(commands, name, summary, listed=name in FIRST)
        if only in (None, name):
            importlib.import_module(f"pitwall.commands.{module}").add_arguments(command)
    more = add_command(commands, "more", f"list the other commands: {', '.join([*MORE][:4])} and so on")
    if only in (None, "more"):
        others = more.add_subparsers(metavar="COMMAND", title="commands, typed without `more` too")
        for name, (_, summary) in MORE.items():
            add_command(others, name, summary)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns its exit code: 0 done, 1 done in part, 2 refused, 130 stopped."""
    try:
        return _command(list(sys.argv[1:] if argv is None else argv))
    finally:
        flush()


def _command(words: list[str]) -> int:
    words = _without_more(words)
    named = next((word for word in words if word in COMMANDS or word == "more"), "")
    # What is imported stays: without the garbage collector that takes a sixth less time.
    with uncollected():
        parser = make_parser(named)
    arguments = parser.parse_args(words)
    logging.basicConfig(
        level=logging.INFO if arguments.verbose else logging.WARNING,
        format="%(name)s: %(message)s" if arguments.verbose else "pitwall: %(message)s",
        handlers=[LogLines()],
    )
    try:
        home = home_with_settings((arguments.home or default_home()).absolute(), arguments)
        if arguments.command is None:
            return int(importlib.import_module("pitwall.commands.laps").overview(home))
        module = importlib.import_module(f"pitwall.commands.{COMMANDS[arguments.command][0]}")
        # Where there are actions, each has its function.
        return int(getattr(module, "run", arguments.do)(arguments, home))
    except UserError as error:
        note(str(error))
        return 2
    except KeyboardInterrupt:
        return 130


def _without_more(words: list[str]) -> list[str]:
    """Return the words without a `more` before a command; `more` alone lists the commands."""
    at = next((at for at, word in enumerate(words) if word in COMMANDS or word == "more"), len(words))
    if words[at : at + 1] != ["more"]:
        return words
    rest = words[at + 1 :]
    return [*words[:at], *rest] if rest and rest[0] in COMMANDS else [*words, "--help"]
