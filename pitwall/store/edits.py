"""A person's words on a session: kept in the home's journal, over what its recording tells."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitwall.contract.changes import Aim, Conditions
from pitwall.store.home_journal import TABLES, RowChange
from pitwall.store.queries import Readable, Writable, rows
from pitwall.telemetry.outside import clean_fields, day_or_none
from pitwall.track.lap import LapMark

# Of somebody else's bundle.
MOST_TAGS, MOST_MARKS = 50, 1_000


class SessionEdit(msgspec.Struct, frozen=True, kw_only=True):
    """`driven_utc_s`: of second 0; `track` "": none; of `marks` on a lap the last counts."""

    session: str
    name: str = ""
    tags: tuple[str, ...] = ()
    driven_utc_s: float | None = None
    track: str | None = None
    marks: tuple[LapMark, ...] = ()
    conditions: Conditions = Conditions()

    def __post_init__(self) -> None:
        """Leave out what is no name, day or reasonable number: a bundle's is somebody else's."""
        clean_fields(self, "name", "tags")
        tags = tuple(tag for tag in self.tags if tag)
        msgspec.structs.force_setattr(self, "tags", tags[:MOST_TAGS])
        msgspec.structs.force_setattr(self, "marks", self.marks[-MOST_MARKS:])
        msgspec.structs.force_setattr(self, "driven_utc_s", day_or_none(self.driven_utc_s))


_COLUMNS = TABLES["session_edits"]
# Columns of JSON, and what an older row means by nothing.
_AS_JSON = {"marks": "[]", "conditions": "{}"}


def edit_of(store: Readable, session: str) -> SessionEdit:
    """Return what was said of one session. StoreError."""
    sql = f"SELECT {', '.join(_COLUMNS)} FROM session_edits WHERE session = ?"  # noqa: S608
    found = rows(store, sql, [session])
    if not found:
        return SessionEdit(session=session)
    said = dict(zip(_COLUMNS, found[0], strict=True))
    for name, empty in _AS_JSON.items():
        said[name] = msgspec.json.decode(said[name] or empty)
    return msgspec.convert(said, SessionEdit)


def put_edit(store: Writable, edit: SessionEdit, then: Sequence[tuple[str, list[object]]] = ()) -> None:
    """Write this over what was said before, with these statements; durable. StoreError."""
    row = {name: getattr(edit, name) for name in _COLUMNS} | {
        "tags": list(edit.tags),
        **{name: msgspec.json.encode(getattr(edit, name)).decode() for name in _AS_JSON},
    }
    store.change(RowChange.over("session_edits", "session", row), then=then)
    store.commit(f"what was said of session {edit.session}")


def aim_of(store: Readable, track: str) -> Aim | None:
    """Return the lap time to reach on a track. StoreError."""
    found = rows(store, "SELECT time_s, by_day FROM aims WHERE track = ?", [track])
    return Aim(*found[0]) if found else None


def put_aim(store: Writable, track: str, aim: Aim | None) -> None:
    """Set it, or take it back; durable. StoreError."""
    row = None if aim is None else {"track": track, "time_s": aim.time_s, "by_day": aim.by}
    store.change(RowChange("aims", {"track": track}, row))
    store.commit(f"the lap time to reach on {track}")
