"""`pitwall report SESSION`: one HTML file to look at and to send."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pitwall.api.report_file import report_html
from pitwall.commands.common import SESSION_HELP, UserError, say
from pitwall.commands.stored_or_served import read, segment
from pitwall.config import Home
from pitwall.store.files import free_name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SESSION and the file to write."""
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the file to write (default: SESSION.html here)"
    )


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Write the report; a file that is there already stays."""
    wanted = arguments.session
    content = read(home, lambda store: report_html(store, wanted), f"/sessions/{segment(wanted)}/report")
    plain = "".join(c if c.isalnum() or c in "._-" else "_" for c in wanted) or "session"
    path: Path = arguments.out or free_name(Path.cwd(), f"{plain}.html")
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise UserError(f"{path} is there already; move it away or name another file with --out") from None
    except OSError as error:
        raise UserError(
            f"{path} can't be written: {error.strerror or error}; name another with --out"
        ) from None
    say(home.words.say("report written", path=str(path), size=len(content) / 1e6))
    return 0
