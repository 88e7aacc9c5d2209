"""`pitwall show [SESSION]`: the page of the running daemon in a browser, else a session's report."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import webbrowser
from urllib.parse import quote

import msgspec

from pitwall.api.report_file import report_html
from pitwall.api.token import address_of
from pitwall.api.types import PageLink
from pitwall.commands.common import SESSION_HELP, say
from pitwall.commands.stored_or_served import read, segment, tell
from pitwall.config import Home
from pitwall.contract.problems import UserError

# Termux has a browser outside of itself; a file goes there by a command of its own.
TERMUX_ADDRESS, TERMUX_FILE = "termux-open-url", "termux-open"
OPENED_WITHIN_S = 10.0
REPORT = "shown.html"


class _Nothing(msgspec.Struct, frozen=True):
    """A question without a body."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", nargs="?", default="", help=SESSION_HELP)
    parser.add_argument("--print", action="store_true", help="open no browser, print the link alone")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Print where to look, and open it where a person sits at the terminal."""
    wanted: str = arguments.session
    address = address_of(home)
    if address:
        link = msgspec.json.decode(tell(home, "/links", _Nothing()), type=PageLink)
        shown = address + link.path + (f"#laps/{quote(wanted, safe='')}" if wanted else "")
        say(home.words.say("page shown", link=shown, minutes=round(link.valid_s / 60.0)))
    else:
        shown = _report(home, wanted or "last")
        say(home.words.say("page report", path=shown))
    if not arguments.print and sys.stdout.isatty():
        _open(shown)
    return 0


def _report(home: Home, wanted: str) -> str:
    """The path of a file with this session; the next one takes its place. UserError."""
    content = read(home, lambda store: report_html(store, wanted), f"/sessions/{segment(wanted)}/report")
    path = home.root / REPORT
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
    """Open an address or a file in a browser, where there is one. What is printed stays true without."""
    is_file = shown.startswith("/")
    termux = shutil.which(TERMUX_FILE if is_file else TERMUX_ADDRESS)
    if termux is not None:
        subprocess.run([termux, shown], check=False, timeout=OPENED_WITHIN_S)  # noqa: S603 - Termux's own
        return
    webbrowser.open(f"file://{quote(shown)}" if is_file else shown)
