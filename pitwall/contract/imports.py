"""What the daemon tells of a recording that was handed in: one line of JSON each."""

from __future__ import annotations

import msgspec


class ImportProgress(msgspec.Struct, frozen=True, tag_field="type", tag="progress"):
    """So many samples were taken. `waiting`: the car is driven, the import goes on in the paddock."""

    samples: int
    waiting: bool


class ImportDone(msgspec.Struct, frozen=True, tag_field="type", tag="done"):
    """The last line of a good import. `known`: the same content was stored before."""

    session: str
    known: bool
    samples: int
    notes: tuple[str, ...] = ()


class ImportFailed(msgspec.Struct, frozen=True, tag_field="type", tag="failed"):
    """The last line of an import that failed; nothing of the file was kept."""

    error: str


ImportLine = ImportProgress | ImportDone | ImportFailed
