"""A command as it is typed, run in this process: hundreds of them each need not load all of pitwall anew."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from pitwall.cli import main
from pitwall.config import Home


class Typed(NamedTuple):
    """What came of it."""

    returncode: int
    stdout: str
    stderr: str


def typed(home: Home | Path, *words: str | Path, environment: Mapping[str, str] | None = None) -> Typed:
    """`pitwall WORDS` on this home, its outputs a pipe each."""
    root = home.root if isinstance(home, Home) else home
    with (
        mock.patch.dict(os.environ, {"PITWALL_HOME": str(root), **(environment or {})}),
        io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) as out,
        io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) as err,
    ):
        with redirect_stdout(out), redirect_stderr(err), _logging_as_at_a_start():
            try:
                code = main([*map(str, words)])
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
        return Typed(code, *(each.buffer.getvalue().decode() for each in (out, err)))  # type: ignore[attr-defined]


@contextmanager
def _logging_as_at_a_start() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    root.handlers = []
    try:
        yield
    finally:
        root.handlers = handlers
        root.setLevel(level)
