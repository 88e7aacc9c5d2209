"""`pitwall export SESSION`: copy a session out of the home, also to make room."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from pitwall.api.exchange import FORMATS, FileFormat, make_file, suffix_of
from pitwall.api.token import address_of
from pitwall.commands.common import SESSION_HELP, add_json, note, print_answer
from pitwall.commands.stored_or_served import post, read, save, segment, stored_session
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.store import queries
from pitwall.store.export import copy_journal, place_whole
from pitwall.store.lock import read_only
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument(
        "--out",
        metavar="PATH",
        type=Path,
        default=Path(),
        help="a folder that is there (default: this one); with --format also a file's name",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)}: a file for other programs instead; bundle is for another phone: "
        "pitwall import takes it whole",
    )
    add_json(parser, 'one line {"session": ...}')


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Copy it, then mark it: a copy that failed leaves it as it was."""
    if arguments.format is not None:
        return _write(arguments, home)
    folder = arguments.out.absolute()
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}: is its disk mounted? make the folder first")
    row = stored_session(home, arguments.session)
    if row.closed_utc_s is None:
        raise UserError(f"session {row.shown} is still being driven; export it when it is over")
    journal = copy_journal(home, row.id, folder)
    if (why := read_only(home)) and not address_of(home):
        note(f"{why}: that there is a copy is not kept")
    else:
        post(home, lambda store: _mark(store, row.id), f"/sessions/{row.id}/exported")
    if folder.stat().st_dev == home.root.stat().st_dev:
        note(f"{folder} is on the disk of the home: this is no safe copy if that disk fails")
    copied = {"session": row.id, "journal": str(journal)}
    print_answer(copied, [f"session {row.shown}: {journal}"], as_json=arguments.json)
    return 0


def _write(arguments: argparse.Namespace, home: Home) -> int:
    form, wanted, out = arguments.format, arguments.session, arguments.out.absolute()
    if not (out if out.is_dir() else out.parent).is_dir():
        raise UserError(f"there is no folder {out.parent}: is its disk mounted? make the folder first")
    made: list[Path] = []

    def own(store: Store) -> bytes:
        row = queries.session(store, wanted)
        file, target = make_file(store, row.id, form), _target(row, form, out)
        try:
            place_whole(file, target)
        finally:
            file.unlink(missing_ok=True)
        made.append(target)
        return msgspec.json.encode(row)

    row = msgspec.json.decode(read(home, own, f"/sessions/{segment(wanted)}"), type=SessionRow)
    if not made:
        made.append(_target(row, form, out))
        save(home, address_of(home), f"/sessions/{row.id}/export", made[0], {"format": form})
    line = f"session {row.shown}: {made[0]}, {made[0].stat().st_size / 1e6:.1f} MB"
    written = {"session": row.id, "format": form, "file": str(made[0])}
    print_answer(written, [line], as_json=arguments.json)
    return 0


def _target(row: SessionRow, form: FileFormat, out: Path) -> Path:
    return out / f"{row.id}{suffix_of(form)}" if out.is_dir() else out


def _mark(store: Store, session: str) -> None:
    store.mark_exported(session)
    store.flush()
