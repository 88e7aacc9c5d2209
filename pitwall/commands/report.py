"""`pitwall report`, `share`, `show`: a session as one HTML file, or the daemon's page."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import webbrowser
from pathlib import Path
from urllib.parse import quote

import msgspec

from pitwall.api.answers import PageLink
from pitwall.api.judged import Share, report_html, shared_lap
from pitwall.api.token import address_of
from pitwall.commands.common import SESSION_HELP, must_be_new, say, uncollected, write_new
from pitwall.commands.stored_or_served import read, segment, tell
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.store.files import free_name

# Termux has a browser outside of itself; a file goes there by a command of its own.
TERMUX_ADDRESS, TERMUX_FILE = "termux-open-url", "termux-open"
OPENED_WITHIN_S = 10.0
REPORT = "shown.html"


class _Nothing(msgspec.Struct, frozen=True):
    """A question without a body."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command that the parser is for; its name is the parser's last word."""
    if parser.prog.endswith(" show"):
        parser.add_argument("session", metavar="SESSION", nargs="?", default="", help=SESSION_HELP)
        parser.add_argument("--print", action="store_true", help="open no browser, print the link alone")
        return
    parser.add_argument("session", metavar="SESSION", nargs="?", default="last", help=SESSION_HELP)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the file to write (default: a new one in this folder)"
    )
    if parser.prog.endswith(" share"):
        parser.add_argument(
            "--nameless",
            action="store_true",
            help="leave out the names of driver, car and session, and the day",
        )
        parser.add_argument(
            "--lap",
            type=int,
            metavar="N",
            help="this lap alone, as a file that a friend's pitwall import takes",
        )


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Run the command; return its exit code."""
    return _show(arguments, home) if arguments.command == "show" else _write(arguments, home)


def _write(arguments: argparse.Namespace, home: Home) -> int:
    wanted, given = arguments.session, vars(arguments)
    if arguments.out is not None:
        must_be_new(arguments.out)
    if (lap := given.get("lap")) is not None:
        path = arguments.out or free_name(Path.cwd(), f"lap{lap}.pitlap")
        where = f"/sessions/{segment(wanted)}/laps/{lap}/reference"
        write_new(path, read(home, lambda store: shared_lap(store, wanted, lap), where))
        say(home.words.say("lap written", path=str(path)))
        return 0
    nameless = given.get("nameless")
    share: Share = "" if nameless is None else "nameless" if nameless else "named"
    content = _report(home, wanted, share)
    # What is given away does not name the session by its file either.
    plain = "shared" if share else "".join(c if c.isalnum() or c in "._-" else "_" for c in wanted)
    path = arguments.out or free_name(Path.cwd(), f"{plain or 'session'}.html")
    write_new(path, content)
    say(home.words.say("report written", path=str(path), size=len(content) / 1e6))
    return 0


def _report(home: Home, wanted: str, share: Share = "") -> bytes:
    # A session's columns are a million numbers without a cycle among them.
    with uncollected():
        path, query = f"/sessions/{segment(wanted)}/report", {"share": share} if share else None
        return read(home, lambda store: report_html(store, wanted, share=share), path, query)


def _show(arguments: argparse.Namespace, home: Home) -> int:
    wanted: str = arguments.session
    address = address_of(home)
    if address:
        link = msgspec.json.decode(tell(home, "/links", _Nothing()), type=PageLink)
        shown = address + link.path + (f"#laps/{quote(wanted, safe='')}" if wanted else "")
        sentence = home.words.say("page shown", link=shown, minutes=round(link.valid_s / 60.0))
    else:
        shown = _shown_file(home, wanted or "last")
        sentence = home.words.say("page report", path=shown)
    say(shown if arguments.print else sentence)
    if not arguments.print and sys.stdout.isatty():
        _open(shown)
    return 0


def _shown_file(home: Home, wanted: str) -> str:
    """The path of a file with this session; the next one takes its place. UserError."""
    content, path = _report(home, wanted), home.root / REPORT
    fresh = path.with_name(f".{REPORT}.{os.getpid()}")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        what = f"{path} can't be written: {error.strerror or error}"
        raise UserError(f"{what}; pitwall report {wanted} --out FILE writes elsewhere") from None
    return str(path)


def _open(shown: str) -> None:
    is_file = shown.startswith("/")
    termux = shutil.which(TERMUX_FILE if is_file else TERMUX_ADDRESS)
    if termux is not None:
        subprocess.run([termux, shown], check=False, timeout=OPENED_WITHIN_S)  # noqa: S603 - Termux's own
        return
    webbrowser.open(f"file://{quote(shown)}" if is_file else shown)
