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
from pitwall.commands.common import LogLines, add_command, note, uncollected
from pitwall.commands.settings_file import home_with_settings
from pitwall.contract.problems import UserError
from pitwall.settings import nearest

# A command's module is loaded only when the command is given, so that `pitwall laps` does not load the voice.
COMMANDS: dict[str, tuple[str, str]] = {
    "inspect": ("pitwall.commands.inspect", "show what a recording holds and how good its signals are"),
    "import": ("pitwall.commands.import_", "store recordings as sessions"),
    "replay": ("pitwall.commands.replay", "drive a recording again, with the coach, and list the callouts"),
    "sessions": ("pitwall.commands.sessions", "list the stored sessions"),
    "laps": ("pitwall.commands.laps", "list the laps of a session"),
    "coach": ("pitwall.commands.coach", "explain what the coach said and kept back, or change how it speaks"),
    "export": ("pitwall.commands.export", "copy a session to another folder, as a backup"),
    "mark": ("pitwall.commands.mark", "say of the lap that is driven now: traffic, yellow, or just a mark"),
    "debrief": ("pitwall.commands.ask", "say what the last run showed"),
    "brief": ("pitwall.commands.ask", "say what to do in the next run"),
    "ask": ("pitwall.commands.ask", "ask a question about your driving"),
    "analyze": ("pitwall.commands.ask", "work on a hard question in stages"),
    "lessons": ("pitwall.commands.lessons", "list what was learned about you, with the evidence"),
    "corners": ("pitwall.commands.corners", "show each corner of a session, lap by lap"),
    "compare": ("pitwall.commands.judged", "compare two laps corner by corner"),
    "opportunities": ("pitwall.commands.judged", "list where a session loses time lap after lap"),
    "profile": ("pitwall.commands.judged", "show what the judged sessions tell of a driver"),
    "ledger": ("pitwall.commands.judged", "list every cue of a session and what became of it"),
    "fleet": ("pitwall.commands.fleet", "bring the sessions of many phones together, and ask all of them"),
    "show": ("pitwall.commands.show", "open the page of the running daemon, or a session without one"),
    "report": ("pitwall.commands.report", "write a session as one HTML file to look at"),
    "track": ("pitwall.commands.track", "find, keep, list and build tracks"),
    "scripts": ("pitwall.commands.scripts", "list, check, change or share what is spoken at the corners"),
    "simulate": ("pitwall.commands.simulate", "write a simulated recording of a track"),
    "run": ("pitwall.commands.run", "start the daemon: read the sources, coach and record until stopped"),
    "doctor": ("pitwall.commands.doctor", "check everything that the daemon needs, and say how to mend it"),
    "config": ("pitwall.commands.config", "show or check the settings"),
    "audio": ("pitwall.commands.audio", "measure or show the delay from the phone to your ear"),
    "jobs": ("pitwall.commands.jobs", "list, show, add, run or cancel work that waits for a connection"),
    "traces": ("pitwall.commands.traces", "export what agents and jobs did, without secrets and names"),
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all others are."""

    def error(self, message: str) -> NoReturn:
        if found := re.fullmatch(r"argument (.+?): invalid choice: '(.*)' \(choose from (.*)\)", message):
            name, given, known = found[1], found[2], found[3].replace("'", "").split(", ")
            message = f"{name} {given!r} is none of {', '.join(known)}{nearest(given, known)}"
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
    """Make the parser. With `only`, the arguments of that command alone are loaded."""
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
        command = add_command(commands, name, summary)
        if only in (None, name):
            importlib.import_module(module).add_arguments(command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns its exit code: 0 done, 1 done in part, 2 refused, 130 stopped."""
    try:
        try:
            return _command(list(sys.argv[1:] if argv is None else argv))
        finally:
            sys.stdout.flush()
    except (BrokenPipeError, ExceptionGroup) as error:
        if isinstance(error, ExceptionGroup) and error.split(BrokenPipeError)[1] is not None:
            raise
        # The reader of our output went away (`pitwall laps | head`): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _command(words: list[str]) -> int:
    named = next((word for word in words if word in COMMANDS), None)
    # What is imported stays: without the garbage collector that takes a sixth less time.
    with uncollected():
        parser = make_parser(named or "")
    arguments = parser.parse_args(words)
    if arguments.command is None:
        parser.print_help()
        return 2
    logging.basicConfig(
        level=logging.INFO if arguments.verbose else logging.WARNING,
        format="%(name)s: %(message)s",
        handlers=[LogLines()],
    )
    home = home_with_settings((arguments.home or default_home()).absolute(), arguments)
    run = importlib.import_module(COMMANDS[arguments.command][0]).run
    try:
        return int(run(arguments, home))
    except UserError as error:
        note(str(error))
        return 2
    except KeyboardInterrupt:
        return 130
