"""Types of the answers of the API's reading routes and of `--json`; the daemon's own state is
`contract.status`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from pitwall.telemetry.survey import Survey
from pitwall.track.lap import LapKind
from pitwall.track.model import Corner, Gate


class LapRow(msgspec.Struct, frozen=True):
    """A lap as `pitwall laps --json` and /sessions/{session}/laps give it."""

    lap: int
    kind: LapKind
    time_s: float | None
    start_t: float
    end_t: float
    sectors_s: tuple[float | None, ...]
    reason: str


class TrackRow(msgspec.Struct, frozen=True, kw_only=True):
    """A known track without its lines, as `pitwall track list --json` and /tracks give it."""

    id: str
    name: str
    layout: str
    country: str
    direction: Literal["clockwise", "anticlockwise"]
    length_m: float
    gate: Gate
    corners: tuple[Corner, ...]
    sectors_m: tuple[float, ...]
    sources: tuple[str, ...]
    notes: str


class Inspection(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a recording, and how far its signals can be believed, as `pitwall inspect --json`."""

    format: str
    file: str
    start_utc_s: float | None
    track: str | None
    gate: Gate | None
    gate_source: str
    notes: tuple[str, ...]
    survey: Survey


class LapTrace(msgspec.Struct, frozen=True):
    """The frames of one lap, from the one before its start to the one after its end; `rows` in the order of
    `columns`, whose units are those of the canonical signals."""

    session: str
    lap: LapRow
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class SqlQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A SELECT over the store's tables."""

    sql: Annotated[str, msgspec.Meta(min_length=1, max_length=20_000)]


class ScriptWritten(msgspec.Struct, frozen=True):
    """A voice script that was taken: it is spoken from the next start, or when the daemon has rendered it."""

    track: str
    corner: str
    script: dict[str, str]


class PageLink(msgspec.Struct, frozen=True):
    """A link to the page, good once and for `valid_s`; `path` stands behind the daemon's address."""

    path: str
    valid_s: float
