"""CSV and other text with a row of names, of any program: what differs is rows of `DIALECTS`.

A preamble of keys and values, a row of names, perhaps rows of units and sources, then the data. The
names give the meaning of columns (columns.py), the first rows their notation (cells.py).
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, pairwise, takewhile
from math import isfinite
from pathlib import Path
from time import gmtime, strftime
from time import time as wall_time
from typing import NamedTuple

import msgspec

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings import cells as written
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.recordings.cells import TIMES, Rewrite, RowTime
from pitwall.telemetry.recordings.columns import (
    NO_DEFAULTS,
    Heading,
    MappedColumn,
    heading,
    is_known,
    map_columns,
    slug,
)
from pitwall.telemetry.recordings.rows import (
    Cells,
    Decoded,
    RowRecording,
    RowTable,
    delimiter_of,
    number,
    splitter,
    with_local_start,
    with_start,
)
from pitwall.telemetry.recordings.text import encoding_of, head_lines, label, numbered_lines
from pitwall.telemetry.recordings.timeline import Timeline, date_and_time, is_unix, seconds_of_day
from pitwall.telemetry.session_clock import DAY_S
from pitwall.telemetry.signals import SIGNALS

# A .dovex has nine hundred blank lines before its names.
MAX_PREAMBLE_LINES, MAX_BEGINNING = 5_000, 200
# Units, sources, and names written twice.
MOST_ROWS_BELOW = 3


class Dialect(NamedTuple):
    """A kind of file: the first that fits is it.

    `begins`: how one of its first lines begins; `names`: slugs that its row of names has, and one
    of `one_of`; `sided`: positions have N or E. `defaults`: units by canonical name. `time`: the
    slugs of its clock; `of_day`: clocks that are a time of day.
    `is_car`: needs no position. `fresh`: the column that is 0 in a repeated fix. `rewrite`: of
    cells, by slug. `minutes`: of arc. `year_first`: days are 250724. `across_south`: headings
    between 180 and -180 are made up. `utc`: what its clock reads.
    """

    form: str
    source: str
    family: str = "apps"
    begins: str = ""
    names: str = ""
    one_of: str = ""
    sided: bool = False
    defaults: Mapping[str, str] = NO_DEFAULTS
    time: str = ""
    of_day: tuple[str, ...] = ()
    is_car: bool = False
    fresh: str = ""
    rewrite: Mapping[str, Callable[[str], str]] = {}
    masks: Mapping[str, int] = {}
    minutes: bool = False
    year_first: bool = False
    across_south: bool = False
    utc: bool = False
    comment: str | tuple[str, ...] = "#"


def _thousands(cell: str) -> str:
    return re.sub(r"[.,]", "", cell) if re.fullmatch(r"\d{1,2}[.,]\d{3}", cell) else cell


_KMH = {"speed_mps": "km/h"}
# Toyota's GR Cup writes no units.
TRD_UNITS = {"speed_mps": "km/h", "wheel_speed_mps": "km/h", "brake_bar": "bar"}
# VBOX counts satellites and flags in one number.
SATS_MASK = 0x3F
_VBOX = Dialect(
    "vbox-csv", "vbox", "vbox", of_day=("utc_time", "time_of_day", "utc"), minutes=True,
    masks={"satellites": SATS_MASK},
)  # fmt: skip
DIALECTS: tuple[Dialect, ...] = (
    # `Beacon Markers` are lap ends in seconds of the file's clock; date and time are local.
    # RaceStudio interpolates headings straight across south.
    Dialect("racestudio", "aim", "aim", "format,(aim|motec) csv file", "time", across_south=True),
    # Names repeat; the row of sources tells them apart.
    Dialect("racechrono", "racechrono", "racechrono", ".*created using racechrono|timestamp,fragment_id",
            "latitude"),
    # `"name"|"unit"|...|rate` in each cell. The newer dialect has Interval, its own clock, and Utc, which
    # may step back; in the older one only the receiver's rows have a Time, the others lie between.
    Dialect("racecapture", "racecapture", "racecapture", r"#?\s*[a-z][^|,]*\|[^|,]*\|[-+.\d]",
            defaults={"speed_mps": "mph"}, time="interval utc", of_day=("time",)),
    # Forward, left, up, as in its VBO.
    Dialect("racebox-csv", "racebox", "racebox", names="record time latitude longitude gforcex",
            defaults=_KMH, utc=True),
    # The last fix is repeated between two; the brake is computed from the speed.
    Dialect("trackaddict", "trackaddict", names="utc_time gps_update latitude longitude", time="utc_time",
            fresh="gps_update"),
    # 9120 rpm is `9,120`, headings are in 0.01 degrees.
    Dialect("alfano", "alfano", "alfano", names="absolute_time time_lap speed_gps lat lon",
            time="absolute_time", defaults=_KMH, rewrite={"rpm": _thousands}),
    # The local day and time of day, and 0 for a missing sensor.
    Dialect("laptimer", "laptimer", "laptimer", names="lapindex date time latitude linealg",
            of_day=("time",)),
    _VBOX._replace(one_of="avi_sync_time sampleperiod vertical_velocity utc_time"),
    _VBOX._replace(sided=True),
    # The table of a VBO: hhmmss.ss, minutes of arc.
    _VBOX._replace(names="sats time lat long velocity", of_day=("time",), defaults=_KMH),
    # gauge.S of BMWs.
    Dialect("csv", "csv", names="timestamp date hour minute second analog_1 vanos", year_first=True),
    Dialect("csv", "csv", names="rcr n_s e_w", utc=True),
    # What tools make of a FIT file: semicircles.
    Dialect("csv", "csv", "fit", names="timestamp position_lat position_long", defaults={"speed_mps": "m/s"}),
    Dialect("csv", "csv", names="vbox_lat_min", defaults=TRD_UNITS),
    Dialect("csv", "csv", names="tag latitude_n_s", defaults=_KMH, year_first=True),
    # Phones' own positions: their speed is in m/s where nothing tells it.
    Dialect("csv", "csv", defaults={"speed_mps": "m/s"},
            one_of="provider accuracy h_acc horizontal_accuracy speed_accuracy bearing_accuracy"),
    ANY := Dialect("csv", "csv"),
    Dialect("ecu-csv", "ecu", "ecu", is_car=True, comment=("#", "MARK")),
)  # fmt: skip

_ABOUT = {
    "venue": ("venue", "track name", "track", "course", "session"),
    "driver": ("racer", "driver", "driver name"),
    "vehicle": ("vehicle", "vehicle name", "kart"),
}
_CLOCK = re.compile(r'"?\d{1,2}[:.]\d\d')
_FIGURE = re.compile(r"[NSEW]?[-+]?[.,]?\d[-+\d.,:/ TZ]*(e[-+]?\d+)?[NSEW%]?$", re.IGNORECASE)
# A line of its head that tells another day than the drive's.
_OTHER_DAY = re.compile(r"export|generat|saved|print|download|firmware|version|convert|build", re.IGNORECASE)
# Keys of a preamble that tell when the drive began.
_DAY_KEY, _TIME_KEY = (
    re.compile(rf"((log|session|start(ing)?|recording|capture|run)[ _]?)?{each}:?")
    for each in ("date", "time")
)
_LAP_TIME = re.compile(r"lap_?time(_?(s|ms|sec|seconds))?")
_LAT, _LON = ("lat", "latitude"), ("lon", "long", "longitude")
_SLASHED = re.compile(r"(\d{1,2})/\d{1,2}/\d{2,4}")
_SIDED = re.compile(r"\d[^\w,;]*[NSEWnsew]\s*([,;\t]|$)")


class Header(NamedTuple):
    """What stands above the rows: the dialect, lines of names and of first data, columns, the
    preamble's cells by key. `began`: a line that holds a date."""

    dialect: Dialect
    line: int
    first_line: int
    delimiter: str | None
    headings: list[Heading]
    about: dict[str, list[str]]
    began: str
    named: str


def sniff(head: bytes) -> bool:
    """Accept the first line of a program, or a row of names above rows that have a time."""
    lines = head_lines(head)
    return _begun(lines) is not None or read_header(enumerate(lines, 1)) is not None


def _begun(lines: Sequence[str]) -> Dialect | None:
    """Return the dialect that one of the lines names."""
    for line in lines[:MAX_BEGINNING]:
        text = re.sub("[;\t]", ",", line.strip().lstrip("\ufeff").replace('"', "").lower())
        for each in DIALECTS[:3]:
            if re.match(each.begins, text) and '""ms""' not in line:
                return each
    return None


def read_header(lines: Iterable[tuple[int, str | None]], begun: Dialect | None = None) -> Header | None:
    """Return what stands above the rows; None without a row of names."""
    about: dict[str, list[str]] = {}
    above: list[str] = []
    began, delimiter = "", None
    numbered = iter(lines)
    for count, line in numbered:
        if line is None or count > MAX_PREAMBLE_LINES:
            break
        if (found := _names(line, begun, above)) is not None:
            delimiter, headings, dialects = found
            header = Header(dialects[0], count, count, delimiter, headings, about, began, line)
            return _below(header, numbered, dialects)
        delimiter = delimiter or (delimiter_of(line) if begun else None)
        above = [cell.strip() for cell in splitter(delimiter or delimiter_of(line))(line)]
        if above and above[0]:
            about.setdefault(above[0].lower(), above[1:])
            moment = "" if _OTHER_DAY.search(line) or date_and_time(line) is None else line
            began = began or moment
    return None


def _names(
    line: str, begun: Dialect | None, above: Cells
) -> tuple[str | None, list[Heading], list[Dialect]] | None:
    """Return delimiter, columns and possible dialects if the line is a row of names."""
    delimiter = delimiter_of(line)
    cells = [cell.strip() for cell in splitter(delimiter)(line.lstrip("\ufeff#% "))]
    if len(cells) < 2 or (delimiter is None and (len(cells) < 3 or re.search('[<="]|(^| ):( |$)', line))):
        return None
    if (
        len(cells) == 2
        and begun is None
        and not any(TIMES.fullmatch(slug(heading(0, c).name)) for c in cells)
    ):
        return None
    are_units = sum(is_known(cell.strip("# ")) for cell in cells)
    if are_units > 1 and 2 * are_units >= sum(map(bool, cells)):
        return None
    if any(number(cell) is not None or _CLOCK.match(cell) for cell in cells):
        return None
    # The units of Garmin's G1000 stand above its names.
    above = above if len(above) == len(cells) and above[0][:1] == "#" else [""] * len(cells)
    headings = [
        heading(i, cell, unit.lstrip("#")) for i, (cell, unit) in enumerate(zip(cells, above, strict=True))
    ]
    units = {slug(each.name): each.unit for each in reversed(headings)}
    if begun is not None:
        timed = any(map(TIMES.fullmatch, units)) or not units.keys().isdisjoint(begun.time.split())
        fits = set(begun.names.split()) <= units.keys() and timed
        first = begun.names != "time" or slug(headings[0].name) == "time"
        return (delimiter, headings, [begun]) if fits and first else None
    fitting = [each for each in DIALECTS if not each.begins and _fits(each, units)]
    if positions(headings, fitting[0].family):
        return delimiter, headings, fitting
    return (delimiter, headings, [DIALECTS[-1]]) if _tells_of_car(headings) else None


def _fits(dialect: Dialect, units: Mapping[str, str]) -> bool:
    """Return whether a row of names may be of this dialect."""
    slugs = units.keys()
    return (
        set(dialect.names.split()) <= slugs
        and (not dialect.one_of or not slugs.isdisjoint(dialect.one_of.split()))
        and (not dialect.time or dialect.time in slugs)
        and not (dialect.sided and (slugs.isdisjoint(_LAT) or slugs.isdisjoint(_LON)))
    )


def _tells_of_car(headings: Sequence[Heading]) -> bool:
    """Return whether a column is a signal of the car; a lap's number is none."""
    names = (column.channel.name for column in map_columns(headings, "ecu") if column.channel.canonical)
    return any(name != "lap_number" and not SIGNALS[name].of_fix for name in names)


# What other rows of a phone's app look like: motion without a place.
_MOTION = re.compile(r"acc|gyr|mag|gravity|rotation|\b[xyz]\b", re.IGNORECASE)


NO_DRIVE = ("is a list of laps, and no recording of a drive", "import the logger's own recording")


def why_no_drive(head: bytes) -> tuple[str, str] | None:
    """Return what a table lacks to be a drive, and what to do; None for no table."""
    names: Cells = []
    units: Cells = []
    text = takewhile(lambda line: not re.search(r"[\0-\x08]", line), head_lines(head)[:MAX_BEGINNING])
    lines = [line for line in text if line.strip()]
    if sum(re.match(r"[\w /]+: ", line) is not None for line in lines[:40]) > min(20, len(lines) / 2):
        return "has one value on each line", "export a table, with a row and a time for each moment"
    for line in lines:
        cells = [cell.strip(' "') for cell in splitter(delimiter_of(line))(line.lstrip('\ufeff#"'))]
        while len(cells) > len(names) and cells and not cells[-1]:
            del cells[-1]
        figures = sum(_FIGURE.match(cell) is not None for cell in cells)
        if figures < 2 or 5 * figures < 2 * len(cells):
            alike = 3 * len(set(cells)) <= 2 * len(cells) or 2 * sum(map(is_known, cells)) > len(cells)
            if any(cells) and len(cells) > 1 and not figures:
                names, units = (names, cells) if alike else (cells, [])
            continue
        if names and len(names) != len(cells) and units:
            continue
        if len(names) < len(cells):
            hint = "write a first line that names each column, such as time,latitude,longitude,speed_kmh"
            return "has no row of names above its figures", hint
        units = (units + [""] * len(names))[: len(names)]
        headings = [heading(i, name, unit) for i, (name, unit) in enumerate(zip(names, units, strict=True))]
        shown = ", ".join(label(each.name) for each in headings[:8])
        if any(column.channel.name == "lap_number" for column in map_columns(headings)):
            return NO_DRIVE
        if not any(map(written.tells_time, (slug(each.name) for each in headings))):
            return f"has no column of times: {shown}", "export each row with its time"
        hint = "export positions (latitude, longitude) with it, or engine speed and vehicle speed"
        if _MOTION.search(" ".join(names)):
            hint = "import the file of positions of the same recording, such as Location.csv or GPS.csv"
        return f"has neither positions nor a car's signal that is known: {shown}", hint
    if len(names) > 2 and sum(map(bool, map(str.strip, head_lines(head)))) == 1 and delimiter_of(lines[0]):
        return "has a row of names and no rows of figures", "the logger recorded nothing"
    return None


PLACE = ("lat_deg", "lon_deg")


def positions(headings: Sequence[Heading], family: str = "apps") -> dict[str, int]:
    """Return the cells of latitude and longitude; none if one lacks."""
    cells = {column.channel.name: column.cell for column in map_columns(headings, family)}
    return {name: cells[name] for name in PLACE} if cells.keys() >= set(PLACE) else {}


def _below(
    header: Header, lines: Iterator[tuple[int, str | None]], dialects: Sequence[Dialect]
) -> Header | None:
    """Add the rows of units and sources below the names, and where the data begin."""
    headings, split = header.headings, splitter(header.delimiter)
    names = [cell.strip() for cell in split(header.named)]
    clock = dialects[0].time
    times = [each.cell for each in headings if slug(each.name) == clock or TIMES.fullmatch(slug(each.name))]
    below: list[Cells] = []
    for count, line in lines:
        cells = [cell.strip() for cell in split(line or "")]
        if not any(cells) or cells == names:
            continue
        is_data = any(number(cell) is not None for cell in cells) or any(
            re.search(r"\d", cells[at]) for at in times if at < len(cells)
        )
        if is_data or len(below) >= MOST_ROWS_BELOW:
            dialect = next(each for each in dialects if not each.sided or _SIDED.search(line or ""))
            width = len(headings)
            units, sources = ((each + [""] * width)[:width] for each in (*below, [], [])[:2])
            known = [
                unit if dialect.begins or is_known(unit) or at in times else ""
                for at, unit in enumerate(units)
            ]
            headings = [
                each._replace(
                    unit=(unit or each.unit) if dialect.begins else each.unit or unit,
                    # `100: gps` is the device number and its kind.
                    source=source.rpartition(":")[2].strip().lower(),
                )
                for each, unit, source in zip(headings, known, sources, strict=True)
            ]
            return header._replace(dialect=dialect, first_line=count, headings=headings)
        below.append(cells)
    return None if dialects[0].is_car else header._replace(first_line=header.line + 1)


# What tells the drives of a file apart; a kilometre's step or so.
_OF_DRIVE = re.compile(
    r"\w*_id|(driver|veh|vehicle|car|trip|run)_?(id|no|num|key)|imei|vin|plate|device|trip|uuid"
)
APART_DEG = 0.005


class CsvRecording(RowRecording):
    """A file of any of the dialects."""

    def __init__(self, path: Path, head: bytes) -> None:
        encoding = encoding_of(head)
        found, table = _table(path, encoding, _begun(head_lines(head)))
        dialect = found.dialect
        rows = [row for row in table.rows if len(row) >= table.cells]
        headings = [each for each in found.headings if each.cell < table.cells]
        at = {} if dialect.family == "fit" else positions(headings, dialect.family)
        in_cells = written.units_in_cells(rows, table.cells, without=at.values())
        headings = [each._replace(unit=each.unit or in_cells.get(each.cell, "")) for each in headings]
        time = _time(dialect, headings, rows)
        if time is None:
            columns_ = ", ".join(each.name for each in headings[:12])
            what, hint = f"no row has a time that can be read: {columns_}", "export each row with its time"
            if all(row == splitter(found.delimiter)(found.named) for row in rows):
                what, hint = (
                    "has its row of names again and no rows of figures",
                    "the logger recorded nothing",
                )
            raise RecordingError(path, what, line=found.line, hint=hint, recognised=True)
        if (wrong := written.disorder(time, rows)) is not None:
            raise RecordingError(path, wrong[0], line=found.first_line, hint=wrong[1], recognised=True)
        rewrite: list[Rewrite] = [
            *written.without_units(in_cells),
            *written.to_degrees(headings, rows, at, path, minutes=dialect.minutes),
            *written.without_fix(headings, rows, at, table.notes),
            *_changes(dialect, headings),
        ]

        def prepare(cells: Cells) -> None:
            for change in rewrite:
                change(cells)

        scale = written.believed_scale(headings, rows, time, prepare, at, table.notes)
        for row in rows if rewrite else ():
            prepare(row)
        clocks = {*dialect.time.split(), *dialect.of_day} if dialect.time else set[str]()
        columns = table.columns(
            [each for each in headings if each.cell not in time.cells and slug(each.name) not in clocks],
            dialect.family,
            dialect.defaults,
        )
        rewrite += _fresh(dialect, headings, columns)
        self._across = next(
            (c.cell for c in columns if dialect.across_south and c.channel.name == "heading_deg"), None
        )
        rates = [number(cell.rpartition("|")[2]) for cell in splitter(",")(found.named)]
        self._clock_at, paced = time.cells[0], dialect.form == "racecapture"
        self._row_s = 1.0 / max(min(rate or 1.0, 1000.0) for rate in rates) if paced else 0.0
        super().__init__(
            table, dialect.form, dialect.source, columns, lambda row: time.clock(row) * scale,
            DAY_S if time.of_day else None, prepare=prepare if rewrite else None, masks=dialect.masks,
            about={field: _first(found.about, keys) for field, keys in _ABOUT.items()},
        )  # fmt: skip
        self._refuse_several(headings, columns)
        self._date(found, time, rows)

    def _refuse_several(self, headings: Sequence[Heading], columns: Sequence[MappedColumn]) -> None:
        """Refuse rows of several drives, that a column tells apart: its value changes where the clock
        goes back, or the place is another. RecordingError."""
        named = [each for each in headings if _OF_DRIVE.fullmatch(slug(each.name))]
        at = [column.cell for name in PLACE for column in columns if column.channel.name == name]
        first: dict[tuple[str, ...], None] = {}
        parted, count, before = 0, 0, None
        for _, cells in self.rows(FindingLog(), Timeline(FindingLog())) if named else ():
            key = tuple(cells[each.cell].strip() for each in named)
            try:
                now = key, self.clock(cells), tuple(float(cells[cell]) for cell in at)
            except (ValueError, IndexError):
                continue
            if before is not None and key != before[0]:
                far_deg = max((abs(a - b) for a, b in zip(now[2], before[2], strict=True)), default=0.0)
                parted += now[1] < before[1] or far_deg > APART_DEG
            first[key] = None
            before, count = now, count + 1
        numbers_rows = 3 * len(first) > count and all(each.isdigit() for key in first for each in key)
        if parted and len(first) > 1 and not numbers_rows:
            which = ", ".join(" ".join(key) for key in list(first)[:4])
            what = f"holds {len(first)} drives ({', '.join(each.name for each in named)}: {which[:80]})"
            hint = "keep the rows of one in a file of its own"
            raise RecordingError(self.path, what, line=self.table.first_line, hint=hint, recognised=True)

    def _date(self, header: Header, time: RowTime, rows: Sequence[Cells]) -> None:
        """Add the start, by the rows' own times, else by the preamble; and the logger's laps."""
        start_s, about = self.start_raw_s(), header.about
        when = " ".join(_joined(about, *filter(each.fullmatch, about)) for each in (_DAY_KEY, _TIME_KEY))
        in_names = re.search(r"UTC time\s*:\s*(\d\d)(\d\d)(\d\d)", header.named)
        day = next((each.cell for each in header.headings if slug(each.name) == "date"), None)
        if time.dated and header.dialect == ANY:
            start_s = self._day_first_or_second(start_s, rows[0][time.cells[0]].strip())
        if time.of_day and day is not None:
            when = next(row[day] for row in rows if len(row) > day)
        if time.of_day and (began := date_and_time(when)) is not None:
            moment = datetime.fromtimestamp(began[0] // DAY_S * DAY_S + start_s, UTC)
            self.info = with_local_start(self.info, moment.isoformat())
        elif time.of_day:
            self.info = with_start(self.info, None, start_s)
        elif time.dated and not time.utc and not header.dialect.utc:
            self.info = with_local_start(self.info, datetime.fromtimestamp(start_s, UTC).isoformat())
        elif is_unix(start_s):
            self.info = with_start(self.info, round(start_s, 3))
        elif in_names is not None:
            hours, minutes, seconds = map(int, in_names.groups())
            self.info = with_start(self.info, None, hours * 3600.0 + minutes * 60.0 + seconds)
        elif when.strip() or header.began:
            self.info = with_local_start(self.info, when if when.strip() else header.began)
        elif (utc_s := self._first_utc(header, start_s)) is not None:
            self.info = with_start(self.info, utc_s)
        elif (zero_s := _zero_beside(self.path)) is not None:
            self.info = with_start(self.info, round(zero_s + start_s, 3))
        # Some write all beacons into one cell.
        marks = chain(*(re.split(r"[,;]?\s+", cell) for cell in about.get("beacon markers", ())))
        times = [value - start_s for value in map(number, marks) if value is not None and isfinite(value)]
        ends = tuple(sorted(round(t, 6) for t in times if t >= 0.0))
        self.info = msgspec.structs.replace(self.info, lap_marks_t=ends)

    def _first_utc(self, header: Header, start_s: float) -> float | None:
        """Return the start by the first moment that a second column, of UTC, holds."""
        at = next((each.cell for each in header.headings if slug(each.name) == "utc"), -1)
        for _, cells in self.rows(FindingLog(), Timeline(FindingLog())) if at >= 0 else ():
            utc_s = (number(cells[at]) or 0.0) / 1000.0
            if is_unix(utc_s):
                return round(utc_s - (self.clock(cells) - start_s), 3)
        return None

    def _day_first_or_second(self, start_s: float, text: str) -> float:
        """Return the start by the other reading of 05/06/2026 where positions are in the United
        States; say what else it may be."""
        read, fix = _SLASHED.match(text), self.first_fix
        year, month, day = gmtime(start_s)[:3]
        if read is None or day > 12 or day == month:
            return start_s
        other_s = start_s + timegm((year, day, month, 0, 0, 0)) - timegm((year, month, day, 0, 0, 0))
        american = fix is not None and 24.5 < fix.lat_deg < 49.0 and -125.0 < fix.lon_deg < -66.9
        if american and int(read[1]) == day and other_s < wall_time():
            start_s, other_s = other_s, start_s
        days = [strftime("%Y-%m-%d", gmtime(at_s)) for at_s in (start_s, other_s)]
        what = "{!r} may be two days: read as {}, not {} (pitwall sessions date sets it)"
        self.table.notes.add("reckoned", "day", None, what.format(read[0], *days))
        return start_s

    def decoded(self) -> Iterator[Decoded]:
        """Yield the rows; those of a RaceCapture without a time lie evenly between two that have one."""
        if not self._row_s:
            yield from super().decoded()
            return
        log, timeline, decode = self.begin()
        waiting: list[Cells] = []
        t = shift = raw_s = 0.0
        started = False

        def early(step_s: float) -> Iterator[Decoded]:
            for k, cells in enumerate(waiting if started else (), 1):
                at = round(t + k * step_s, 6)
                yield Decoded(raw_s, at, decode(cells, at))
            waiting.clear()

        for line_number, cells in self.rows(log, timeline):
            if not cells[self._clock_at].strip():
                waiting.append(cells)
                if (late := len(waiting)) >= MAX_WAITING:
                    yield from early(self._row_s)
                    t += late * self._row_s
                continue
            try:
                found = timeline.advance(raw_s := self.clock(cells))
            except ValueError:
                log.add("malformed_row", "", t, f"line {line_number}: no time in it")
                continue
            if found is None:
                continue
            if not started:  # what came before the first time makes room for itself
                t, shift, started = -self._row_s, len(waiting) * self._row_s, True
            now = max(t, found + shift)
            yield from early(min(self._row_s, (now - t) / (len(waiting) + 1)))
            t = round(now, 6)
            yield Decoded(raw_s, t, decode(cells, t))
        yield from early(self._row_s)

    def rows(self, log: FindingLog, timeline: Timeline) -> Iterator[tuple[int, Cells]]:
        """Yield the data rows, without headings that RaceStudio made up."""
        at, last_deg, blanks = self._across, 0.0, 0
        for line_number, cells in super().rows(log, timeline):
            heading_deg = None if at is None else number(cells[at])
            if heading_deg is not None and at is not None:
                turn_deg = abs((heading_deg - last_deg + 180.0) % 360.0 - 180.0)
                if abs(last_deg) > NEAR_SOUTH_DEG and turn_deg > MAX_TURN_DEG and blanks < MAX_BLANKS:
                    cells[at] = ""
                    blanks += 1
                    log.add("jump", "heading_deg", timeline.t, "drawn straight across ±180°, left out")
                else:
                    last_deg, blanks = heading_deg, 0
            yield line_number, cells


def _table(path: Path, encoding: str, begun: Dialect | None) -> tuple[Header, RowTable]:
    """Return the first row of names that fits the rows below it, and these; a list of laps above
    them is passed over. RecordingError."""
    trouble: RecordingError | None = None
    lines = numbered_lines(path, encoding)
    while (found := read_header(lines, begun)) is not None:
        try:
            table = RowTable(
                path, encoding, found.first_line, found.delimiter, len(found.headings),
                names_line=found.line, comment=found.dialect.comment,
            )  # fmt: skip
        except RecordingError as error:
            trouble = trouble or error
            continue
        found = _parted(found, table)
        headings = [each for each in found.headings if each.cell < table.cells]
        if not _counts_laps(headings, [row for row in table.rows if len(row) >= table.cells]):
            return found, table
        no_drive = RecordingError(path, NO_DRIVE[0], line=found.line, hint=NO_DRIVE[1], recognised=True)
        trouble = trouble or no_drive
    what = "has no row of names with a time, and a position or a car's signal, above rows of data"
    raise trouble or RecordingError(path, what, hint="export it again, with all channels")


# Both coordinates in a cell, as radios of models write them.
_PAIR_NAME = re.compile(r"gps|(gps_)?(pos(ition)?|coord(inate)?s?|loc(ation)?)|lat_?lo?ng?")
_PAIR = re.compile(r"\W*-?[1-8]?\d\.\d{4,}[ ,;]+-?1?\d{1,2}\.\d{4,}\W*")


def _parted(found: Header, table: RowTable) -> Header:
    """Make two columns of one that holds latitude and longitude."""
    for at, each in enumerate(found.headings if not positions(found.headings) else ()):
        cells = [row[at] for row in table.rows if at < len(row) and row[at].strip()]
        if cells and _PAIR_NAME.fullmatch(slug(each.name)) and all(map(_PAIR.fullmatch, cells)):
            table.part(at)
            place = Heading(0, "latitude"), Heading(0, "longitude")
            columns = *found.headings[:at], *place, *found.headings[at + 1 :]
            headings = [column._replace(cell=cell) for cell, column in enumerate(columns)]
            return found._replace(headings=headings, dialect=ANY)
    return found


def _counts_laps(headings: Sequence[Heading], rows: Sequence[Cells]) -> bool:
    """Return whether each row is a lap."""
    named = (column.cell for column in map_columns(headings, "apps") if column.channel.name == "lap_number")
    at = next(named, None)
    laps = [row[at] for row in rows if row[at].strip()] if at is not None else []
    changes = [a != b for a, b in pairwise(laps)]
    timed = any(_LAP_TIME.fullmatch(slug(each.name)) for each in headings)
    return timed and len(changes) > 1 and 2 * sum(changes) > len(changes)


# No car turns so far between two rows, not even in a spin (20 Hz: 600 deg/s).
MAX_TURN_DEG = 30.0
# Where a line across ±180 can begin.
NEAR_SOUTH_DEG = 135.0
# Half a second at 100 Hz.
MAX_BLANKS = 50
# At most this number of rows waits for the next time.
MAX_WAITING = 256


def _time(dialect: Dialect, headings: Sequence[Heading], rows: Sequence[Cells]) -> RowTime | None:
    cells = {slug(each.name): each for each in reversed(headings)}
    for name in dialect.time.split():
        if name in cells:
            return written.time_of(cells[name], rows)
    of_day = next((cells[name].cell for name in dialect.of_day if name in cells), None)
    if of_day is not None:
        return RowTime(lambda row: seconds_of_day(row[of_day]), (of_day,), of_day=True)
    return written.find_time(headings, rows, year_first=dialect.year_first)


def _changes(dialect: Dialect, headings: Sequence[Heading]) -> Iterator[Rewrite]:
    """Yield what rewrites cells that are no plain numbers."""
    by_name = dialect.rewrite
    wanted = [(each.cell, by_name[slug(each.name)]) for each in headings if slug(each.name) in by_name]

    def change(cells: Cells) -> None:
        for cell, by in wanted:
            cells[cell] = by(cells[cell])

    if wanted:
        yield change


def _fresh(
    dialect: Dialect, headings: Sequence[Heading], columns: Sequence[MappedColumn]
) -> Iterator[Rewrite]:
    """Yield what blanks a repeated fix."""
    at = next((each.cell for each in headings if dialect.fresh and slug(each.name) == dialect.fresh), None)
    of_fix = ("lat_deg", "lon_deg", "altitude_m", "speed_mps", "heading_deg")
    fix = [column.cell for column in columns if column.channel.name in of_fix]

    def blank(cells: Cells) -> None:
        if at is not None and cells[at] == "0":
            for cell in fix:
                cells[cell] = ""

    if at is not None:
        yield blank


def _zero_beside(path: Path) -> float | None:
    """Return the unix time of a phyphox file's zero, as `meta/time.csv` next to it, or in its
    archive, tells."""
    places = [folder / "meta" / "time.csv" for folder in path.parents[:2]]
    try:
        meta = next((each for each in places if each.is_file()), places[0])
        _, begun = meta.read_text("utf-8").splitlines()[:2]
        _, elapsed_s, unix_s = map(number, splitter(delimiter_of(begun))(begun)[:3])
    except (OSError, ValueError):
        return None
    return None if elapsed_s is None or unix_s is None or not is_unix(unix_s) else unix_s - elapsed_s


def _first(about: Mapping[str, list[str]], keys: Sequence[str]) -> str:
    values = (label(about[key][0]) for key in keys if about.get(key))
    return next((value for value in values if value), "")


def _joined(about: Mapping[str, list[str]], *keys: str) -> str:
    """Return the cells of the first filled key: a date may hold commas. After a blank cell i2
    writes another key."""
    cells = (takewhile(str.strip, about[key]) for key in keys if about.get(key))
    values = (" ".join(each).strip() for each in cells)
    return next((value for value in values if value), "")
