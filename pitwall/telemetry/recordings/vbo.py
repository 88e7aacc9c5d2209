"""VBO: Racelogic's text format, and what RaceBox and RaceChrono write under the same name.

`lat`, `long` (RaceBox: `lng`) are minutes of arc, longitude positive WEST, in all three dialects:
RaceBox at Lignano (13.07 E) writes -784.38. `time` is UTC as HHMMSS.SSS. `sats` packs flags. Speed
is km/h. `[column names]` decides the order; `[header]` names the same columns in words; `[channel
units]` has a unit for each non-standard one, in the header's order. Signs: accelerations of
Racelogic are positive to the left and when accelerating (measured against GPS, as in the CSV of the
same loggers). RaceBox's axes are forward, left, up and its gyro right-handed: on a kart with a
steep, reversed box, all five readings agree with that and with GPS; z is the yaw rate.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from pitwall.telemetry.recordings.base import RecordingError, RecordingInfo, StoredGate
from pitwall.telemetry.recordings.columns import Heading, name_and_unit, slug, unit_fits
from pitwall.telemetry.recordings.rows import Cells, RowRecording, RowTable, with_start
from pitwall.telemetry.recordings.text import encoding_of, head_lines, label, numbered_lines
from pitwall.telemetry.recordings.timeline import date_and_time, seconds_of_day, utc_of
from pitwall.telemetry.session_clock import DAY_S

# `sats`: 128 DGPS, 64 brake trigger; the rest is the count.
SATS_MASK = 0x3F
# A longer header is none.
MAX_HEADER_LINES = 4000
# A gate this near settles the order of its points.
GATE_NEAR_DEG = 0.5
# How lines of [laptiming] begin where a sector ends.
SPLITS, MOST_SPLITS = ("split", "sector", "intermediate"), 20

DEFAULT_UNITS = {"speed_mps": "km/h", "wheel_speed_mps": "km/h", "lat_deg": "deg", "lon_deg": "deg"}
# Columns without a line in [channel units] (Racelogic's file description).
STANDARD = frozenset({
    "satellites", "time", "latitude", "longitude", "velocity_kmh", "velocity_knots", "heading", "height",
    "vertical_velocity_m_s", "vertical_velocity_kmh", "solution_type", "avifileindex", "avisynctime",
    "event_1_time", "dgps", "glonass_sats", "gps_sats", "long_accel_g", "lat_accel_g", "long_accel",
    "lat_accel", "trigger_event_time", "velocity", "sats", "lat", "long", "lng", "vert_vel", "avitime",
})  # fmt: skip

Sections = dict[str, list[str]]


def sniff(head: bytes) -> bool:
    """Accept sections in square brackets."""
    lines = {line.strip().lower() for line in head_lines(head)}
    return "[column names]" in lines or ("[header]" in lines and "[data]" in lines)


class VboRecording(RowRecording):
    """A VBO file of any dialect."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        sections, first_line = _read_header(path, encoding)
        table = RowTable(
            path, encoding, first_line, None, lambda rows: len(_column_names(path, sections, rows))
        )
        names = _column_names(path, sections, table.rows)
        time_at = _time_cell(path, names, first_line)
        headings = [each for each in _headings(sections, names) if each.cell != time_at]
        columns = table.columns(headings, "vbo", DEFAULT_UNITS)
        super().__init__(
            table, "vbo", "racebox" if _is_racebox(sections) else "vbo", columns,
            lambda row: seconds_of_day(row[time_at]), DAY_S, masks={"satellites": SATS_MASK},
            about={"venue": _comment(sections, "venue")},
        )  # fmt: skip
        fix, started = self.first_fix, _written_at(sections)
        start = utc_of(*started, fix.raw_s) - fix.t if started and fix else None
        self.info = with_start(self.info, start, self.start_raw_s())
        self.info = _with_gates(self.info, sections, names, (fix.lat_deg, fix.lon_deg) if fix else None)


def _read_header(path: Path, encoding: str) -> tuple[Sections, int]:
    sections: Sections = {"": []}
    current = sections[""]
    for number, line in numbered_lines(path, encoding):
        text = (line or "").strip()
        if text.lower() == "[data]":
            # A blank line is a channel without a unit, but for those at the end.
            units = sections.get("channel units", [])
            while units and not units[-1]:
                units.pop()
            return sections, number + 1
        if text.startswith("[") and text.endswith("]"):
            current = sections.setdefault(text[1:-1].strip().lower(), [])
        elif text or current is sections.get("channel units"):
            current.append(label(text))
        if number >= MAX_HEADER_LINES:
            break
    raise RecordingError(path, "has no [data] section", hint="the file was cut off in its header")


def _column_names(path: Path, sections: Sections, rows: list[Cells]) -> list[str]:
    names = " ".join(sections.get("column names", [])).split()
    words = sections.get("header", [])
    if not names and not words:
        raise RecordingError(path, "has neither [column names] nor [header]", hint="export the file again")
    fitting = sum(len(row) == len(names) for row in rows) >= sum(len(row) == len(words) for row in rows)
    return names if names and fitting else words


def _time_cell(path: Path, names: list[str], line: int) -> int:
    for index, name in enumerate(names):
        if slug(name) in ("time", "utc_time", "utctime"):
            return index
    raise RecordingError(
        path, "has no time column", line=line - 1, hint="a VBO needs `time` in [column names]"
    )


def _headings(sections: Sections, names: list[str]) -> list[Heading]:
    words = sections.get("header", [])
    if len(words) != len(names):
        words = names
    units = _units_by_word(words, sections.get("channel units", []))
    own = {slug(name) for name in names}
    found: list[Heading] = []
    for cell, (name, word) in enumerate(zip(names, words, strict=True)):
        # Own channels have one name in both lists, standard ones one place.
        key = slug(name) if slug(name) in units or slug(word) in own else slug(word)
        found.append(_heading(cell, name, units.get(key, "")))
    # A unit that can't be: the list is in another order.
    in_order = all(unit_fits(heading, "vbo") for heading in found)
    return found if in_order else [_heading(cell, name, "") for cell, name in enumerate(names)]


def _units_by_word(words: list[str], units: list[str]) -> dict[str, str]:
    """Match [channel units] with [header] from their ends: Racelogic's additions come first."""
    own = [slug(word) for word in words if slug(word) not in STANDARD]
    aligned = dict(zip(reversed(own), reversed(units), strict=False))
    # `velocity kmh` and `velocity knots` have theirs in the name.
    return aligned | {
        word: word.removeprefix("velocity_") for word in map(slug, words) if word.startswith("velocity_")
    }


def _heading(cell: int, name: str, unit: str) -> Heading:
    bare, in_name = name_and_unit(name)
    return Heading(cell, bare, "" if unit.lower() == "(null)" else unit or in_name)


def _comment(sections: Sections, key: str) -> str:
    for line in sections.get("comments", []):
        name, colon, value = line.partition(":")
        if colon and name.strip().lower() == key:
            return value.strip()
    return ""


def _is_racebox(sections: Sections) -> bool:
    return any("racebox" in line.lower() for line in (*sections[""], *sections.get("comments", [])))


def _written_at(sections: Sections) -> tuple[float, bool] | None:
    about = _comment(sections, "utc date started") or _comment(sections, "utc")
    return date_and_time(about) or date_and_time(" ".join(sections[""][:1]))


def _with_gates(
    info: RecordingInfo, sections: Sections, names: list[str], where: tuple[float, float] | None
) -> RecordingInfo:
    """Add the first Start line of [laptiming] as the gate, and its splits.

    Racelogic and RaceChrono write longitude first, RaceBox latitude. The order that is near the
    data is right, else the dialect's.
    """
    lat_first = _is_racebox(sections) or "lng" in names
    splits: list[StoredGate] = []
    for line in sections.get("laptiming", []):
        kind, *words = line.replace(",", " ").lower().split() or [""]
        if words and words[0].isdigit():  # `Split 1`
            words = words[1:]
        try:
            degrees = [float(word) / 60.0 for word in words[:4]]
        except ValueError:
            continue
        if len(degrees) != 4 or not kind.startswith(("start", *SPLITS)):
            continue
        gate = _gate(degrees, label(line).partition("¬")[2].strip(" ,"), where, lat_first)
        if gate is None:
            continue
        if not kind.startswith("start"):
            splits.append(gate)
        elif info.gate is None:
            info = msgspec.structs.replace(info, gate=gate)
    return msgspec.structs.replace(info, splits=tuple(splits[:MOST_SPLITS]))


def _gate(
    degrees: list[float], name: str, where: tuple[float, float] | None, lat_first: bool
) -> StoredGate | None:
    a, b, c, d = degrees
    orders = [StoredGate(a, -b, c, -d, name), StoredGate(b, -a, d, -c, name)]
    if not lat_first:
        orders.reverse()
    possible = [gate for gate in orders if _on_earth(gate)]
    near = [gate for gate in possible if where is not None and _near(gate, where)]
    return next(iter(near or possible), None)


def _on_earth(gate: StoredGate) -> bool:
    lats, lons = (gate.a_lat_deg, gate.b_lat_deg), (gate.a_lon_deg, gate.b_lon_deg)
    # An unset gate is all zeros; NaN fails.
    return (
        all(-90 <= lat <= 90 for lat in lats) and all(-180 <= lon <= 180 for lon in lons) and any(lats + lons)
    )


def _near(gate: StoredGate, where: tuple[float, float]) -> bool:
    return abs(gate.a_lat_deg - where[0]) < GATE_NEAR_DEG and abs(gate.a_lon_deg - where[1]) < GATE_NEAR_DEG
