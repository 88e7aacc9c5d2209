"""The real engine over the tiny model, and what is needed to see a process go."""

from __future__ import annotations

import os
import select
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pitwall.paddock.litert import LiteRtLm

TINY = Path(__file__).with_name("tiny.litertlm")
# The tiny model says this of any facts; here they bear its figures out.
FACTS = "Turn 11: 0.39 s faster than before at the exit. Best lap 1:52.34."
PLENTY_S = 60.0
# A download that broke off here makes the engine abort: the sections that its head names lie beyond the end.
ABORTS_AT = 16_384


@asynccontextmanager
async def local_model(folder: Path, content: bytes | None = None) -> AsyncIterator[LiteRtLm]:
    """The tiny model, or a file with other bytes, opened from a copy in `folder`."""
    path = folder / "model.litertlm"
    if content is None:
        shutil.copyfile(TINY, path)
    else:
        path.write_bytes(content)
    async with LiteRtLm(path, folder / "cache") as local:
        yield local


def names(folder: Path) -> set[str]:
    """What lies in a folder."""
    return {path.name for path in folder.iterdir()}


class Watched:
    """A process whose end can be waited for, also by those who are not its parent."""

    def __init__(self, pid: int) -> None:
        self._fd = os.pidfd_open(pid)

    def gone(self, within_s: float = 20.0) -> bool:
        return bool(select.select([self._fd], [], [], within_s)[0])

    def close(self) -> None:
        os.close(self._fd)
