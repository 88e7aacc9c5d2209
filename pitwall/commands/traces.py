"""`pitwall traces export`: what agents and jobs did, as JSON lines that may be shown to others."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pitwall.analysis.traces import MOST_ROWS, export_lines
from pitwall.api.reading import known_secrets
from pitwall.commands.common import add_command, note
from pitwall.commands.stored_or_served import read
from pitwall.config import Home
from pitwall.contract.problems import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    export = add_command(actions, "export", "write what agents and jobs did as JSON lines")
    export.add_argument("--out", metavar="FILE", type=Path, help="a new file (default: standard output)")
    export.add_argument("--job", metavar="ID", default="", help="of this job only")
    export.add_argument(
        "--with-words",
        action="store_true",
        help="include what was asked and answered; names that no session knows stay",
    )


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Run the command; return its exit code."""
    job, with_words = str(arguments.job), bool(arguments.with_words)
    query = {"job": job, "with_words": "true" if with_words else "false", "most": str(MOST_ROWS)}
    content = read(
        home,
        lambda store: b"".join(export_lines(store, known_secrets(home), job=job, with_words=with_words)),
        "/traces",
        query,
    )
    if arguments.out is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return 0
    try:
        # Nothing is overwritten, and nobody else need read it before its owner has.
        fd = os.open(arguments.out, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as file:
            file.write(content)
    except FileExistsError:
        raise UserError(f"{arguments.out} is there already; name a new file") from None
    except OSError as error:
        raise UserError(f"{arguments.out} can't be written: {error.strerror or error}") from None
    note(f"{len(content.splitlines())} lines in {arguments.out}")
    return 0
