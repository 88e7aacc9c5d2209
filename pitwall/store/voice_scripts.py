"""The user's voice scripts: written whole or not at all, with undo.

The changes of a corner lie next to its file, in `.<corner>.history`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pitwall.coach.scripts import MAX_FILE_BYTES, load_scripts, script_path
from pitwall.config import Home
from pitwall.contract.scripts import ScriptAuthor, ScriptChange, ScriptText
from pitwall.store.files import replace_file, set_aside, sync_path
from pitwall.track.model import Track

# This many changes of a corner can be undone.
KEPT = 20
BY_HAND = ScriptAuthor("hand", "an editor")
# One thread at a time.
_CHANGING = threading.Lock()


def save_script(
    home: Home,
    track: Track,
    corner: str,
    script: Mapping[str, str],
    author: ScriptAuthor,
) -> str:
    """Write a checked script and keep what stood there; return its path. OSError."""
    with _CHANGING:
        path = _path(home, track, corner)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        present, after = _present(path), dict(script)
        if present is None and path.is_file():
            set_aside(path, home.damaged)
        if present != after:
            before = present or _spoken(home, track, corner)
            change = ScriptChange(corner, time.time(), author, before, present is not None, after)
            known = _changes(path)
            # The script first: a change that never came about must not be undone.
            _write(path, after)
            _keep(path, [*known, change])
        return str(path)


def script_changes(home: Home, track: Track, corner: str) -> list[ScriptChange]:
    """Return the changes of the user's file, the newest first. OSError."""
    return _changes(_path(home, track, corner))[::-1]


def take_back(home: Home, track: Track, corner: str = "") -> list[ScriptChange]:
    """Undo the last change of this corner or track; return what was undone. OSError."""
    with _CHANGING:
        wanted = [corner] if corner else [each.id for each in track.corners]
        known = {path: _changes(path) for path in (_path(home, track, each) for each in wanted)}
        newest = {path: changes[-1] for path, changes in known.items() if changes}
        if not newest:
            return []
        last = max(newest.values(), key=lambda change: change.written_utc_s)
        batch = last.author.batch
        undone = {
            path: change
            for path, change in newest.items()
            if change is last or (batch and change.author.batch == batch)
        }
        for path, change in undone.items():
            if change.had_file:
                _write(path, change.before)
            else:
                path.unlink(missing_ok=True)
                sync_path(path.parent)
            _keep(path, known[path][:-1])
        return list(undone.values())


def _path(home: Home, track: Track, corner: str) -> Path:
    return script_path(home.audio_cache, corner, track)


def _spoken(home: Home, track: Track, corner: str) -> ScriptText:
    scripts = load_scripts(home.layers("audio_cache"), track)
    return scripts.texts().get(corner, {})


def _history(path: Path) -> Path:
    return path.with_name(f".{path.stem}.history")


def _present(path: Path) -> ScriptText | None:
    try:
        if path.is_file() and path.stat().st_size <= MAX_FILE_BYTES:
            return msgspec.json.decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"), type=ScriptText)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    return None


def _changes(path: Path) -> list[ScriptChange]:
    history = _history(path)
    if not history.is_file():
        return []
    try:
        changes = msgspec.json.decode(history.read_bytes(), type=list[ScriptChange])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []
    now = _present(path)
    if changes and changes[-1].after != now:
        seen_utc_s = path.stat().st_mtime if path.exists() else time.time()
        before = changes[-1].after
        changes.append(ScriptChange(path.stem, seen_utc_s, BY_HAND, before or {}, before is not None, now))
    return changes


def _keep(path: Path, changes: list[ScriptChange]) -> None:
    history = _history(path)
    if changes:
        replace_file(history, msgspec.json.encode(changes[-KEPT:]) + b"\n")
    else:
        history.unlink(missing_ok=True)
        sync_path(history.parent)


def _write(path: Path, script: ScriptText) -> None:
    replace_file(path, msgspec.json.format(msgspec.json.encode(script), indent=2) + b"\n")
