"""The `pitwall` command: what can be typed, and which file of `pitwall/commands/` answers it."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pitwall import __version__
from pitwall.commands.common import UserError, note
from pitwall.config import Home

# A command's modules are loaded only when it is asked for, so that `pitwall laps` does not pay for the voice.
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("pitwall.commands.run", "coach the drive: read the sources, speak, record, until it is stopped"),
    "config": ("pitwall.commands.config", "show or check the settings"),
    "doctor": ("pitwall.commands.doctor", "look at everything the daemon needs, and say how to mend it"),
    "audio": ("pitwall.commands.audio", "measure the delay from write to sound, or show the one in force"),
    "replay": (
        "pitwall.commands.replay",
        "drive a recording through the in-drive path and list the callouts",
    ),
    "import": ("pitwall.commands.import_", "store recordings as sessions"),
    "inspect": ("pitwall.commands.inspect", "show what a recording holds and how good its signals are"),
    "sessions": ("pitwall.commands.sessions", "list the stored sessions"),
    "export": ("pitwall.commands.export", "copy a session out, so that it may go when the disk is full"),
    "laps": ("pitwall.commands.laps", "list the laps of a session"),
    "ask": ("pitwall.commands.ask", "ask the crew chief a question"),
    "brief": ("pitwall.commands.ask", "what to do in the next run"),
    "debrief": ("pitwall.commands.ask", "what the last run showed"),
    "analyze": ("pitwall.commands.ask", "work on a hard question in stages"),
    "jobs": ("pitwall.commands.jobs", "work that waits for the paddock: list, show, add, run, cancel"),
    "lessons": ("pitwall.commands.lessons", "what was learned of the driver, with the evidence"),
    "traces": ("pitwall.commands.traces", "export what agents and jobs did, without secrets and names"),
    "track": ("pitwall.commands.track", "list the known tracks, or build one from driven laps"),
    "simulate": ("pitwall.commands.simulate", "write a simulated recording of a track"),
}


def default_home() -> Path:
    """PITWALL_HOME, else the platform's data folder."""
    named = os.environ.get("PITWALL_HOME")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("pitwall", appauthor=False)


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser; with `only`, that command's arguments alone are loaded."""
    parser = argparse.ArgumentParser(
        prog="pitwall", description="A racing coach that speaks before the corner and keeps every sample."
    )
    parser.add_argument("--version", action="version", version=f"pitwall {__version__}")
    parser.add_argument(
        "--home", type=Path, help="where everything is kept (default: $PITWALL_HOME, else the data folder)"
    )
    parser.add_argument("--verbose", "-v", action="store_true", help="show the log")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if only in (None, name):
            importlib.import_module(module).add_arguments(command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns its exit code: 0 done, 1 done in part, 2 refused with a clear line."""
    words = list(sys.argv[1:] if argv is None else argv)
    named = next((word for word in words if word in COMMANDS), None)
    arguments = make_parser(named or "").parse_args(words)
    logging.basicConfig(
        level=logging.INFO if arguments.verbose else logging.WARNING,
        format="%(name)s: %(message)s",
        stream=sys.stderr,
    )
    home = Home((arguments.home or default_home()).absolute())
    run = importlib.import_module(COMMANDS[arguments.command][0]).run
    try:
        return int(run(arguments, home))
    except UserError as error:
        note(str(error))
        return 2
    except (BrokenPipeError, ExceptionGroup) as error:
        if isinstance(error, ExceptionGroup) and error.split(BrokenPipeError)[1] is not None:
            raise
        # The reader of our output went away (`pitwall laps | head`): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
