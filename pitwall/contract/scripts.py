"""Voice scripts as listed, changed and undone."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

# `hand`: an editor wrote the file, and nobody said so.
ScriptWriter = Literal["driver", "model", "hand"]

ScriptText = dict[str, str]
"""The content of a script file: key -> phrase."""
# Something but blanks, and no control characters.
_SPEAKABLE = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"


class PhraseToHear(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phrase to be heard before it is saved, in the voice that would speak it."""

    text: Annotated[str, msgspec.Meta(max_length=200, pattern=_SPEAKABLE)]


class ScriptAuthor(msgspec.Struct, frozen=True):
    """Who writes a script, `through` what. Changes of one `batch` are undone together."""

    by: ScriptWriter
    through: str
    batch: str = ""


class ScriptChange(msgspec.Struct, frozen=True):
    """What was spoken at a corner before, and the user's file after it (None: deleted).
    `had_file`: `before` was in a user's file."""

    corner: str
    written_utc_s: float
    author: ScriptAuthor
    before: ScriptText
    had_file: bool
    after: ScriptText | None


class ScriptRow(msgspec.Struct, frozen=True):
    """What is spoken at one corner: from the user's file, a shipped one, or plain. `change`: the
    last of the user's file."""

    corner: str
    name: str
    origin: Literal["yours", "shipped", "plain"]
    script: ScriptText
    change: ScriptChange | None


class ScriptTable(msgspec.Struct, frozen=True):
    """The scripts of a track in driving order, and what is wrong with files that are not used."""

    track: str
    corners: tuple[ScriptRow, ...]
    problems: tuple[str, ...]


class TakeBack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Undo the last change of this corner; "": the last of the track, with its batch."""

    corner: Annotated[str, msgspec.Meta(max_length=40)] = ""
