"""Copies of a home that was driven once, for a test that changes it: all but the 25 MB of clips."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def copied(home: Path, to: Path) -> Path:
    """Copy a home to a folder. Its clips are links: pitwall replaces a clip, and never writes into one."""
    return shutil.copytree(home, to, copy_function=_link_clips)


def link_clips(clips: Path, to: Path) -> None:
    """Put these clips into another home's folder of clips."""
    shutil.copytree(clips, to, copy_function=_link_clips, dirs_exist_ok=True)


def _link_clips(source: str, target: str) -> str:
    if source.endswith(".wav"):
        os.link(source, target)
        return target
    return shutil.copy2(source, target)
