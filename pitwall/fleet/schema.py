"""The lake's tables, version by version, and where each file of it lies. SCHEMA.md shows them; a test keeps
it true.

A published version is never changed. A later one only adds columns that may be null, so that files of all
versions are read as one table: what an old file lacks is null.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from typing import Literal, NamedTuple, get_args
from urllib.parse import quote

import pyarrow as pa

VERSION = 2

Table = Literal["frames", "signals", "sessions", "laps", "corner_passes", "cues", "events", "lessons"]
TABLES: tuple[Table, ...] = get_args(Table)
# A file a session; the others are compacted to a file a track and month.
BY_SESSION: tuple[Table, ...] = ("frames", "signals")
COMPACTED: tuple[Table, ...] = tuple(table for table in TABLES if table not in BY_SESSION)

# The folders beside the tables.
MANIFEST, FORGOTTEN = "manifest", "forgotten"
# Of a path where the day or the track is not known.
UNKNOWN = "unknown"
# The keys of a file's own metadata.
META_VERSION, META_TABLE = b"pitwall_fleet", b"pitwall_table"
# A session of ten minutes at 100 Hz is one row group; a day's race is not held in memory.
ROWS_A_GROUP = 262_144

_SAFE = re.compile(r"[A-Za-z0-9_-]{1,128}")


class LakeColumn(NamedTuple):
    """A column: its Arrow type, its unit ("" where it has none), what it tells, whether it may be null,
    and the version that brought it."""

    name: str
    type: pa.DataType
    unit: str
    meaning: str
    null: bool = True
    since: int = 1


_TEXT, _F32, _F64, _I32, _I64, _BOOL = (
    pa.string(), pa.float32(), pa.float64(), pa.int32(), pa.int64(), pa.bool_(),
)  # fmt: skip

_WHOSE = (
    LakeColumn("driver", _TEXT, "", "the driver's pseudonym", False),
    LakeColumn("session", _TEXT, "", "the session's id, as on its phone", False),
    LakeColumn("track", _TEXT, "", 'the id of the track and its layout, "" where none was known', False),
    LakeColumn("date", pa.date32(), "", "the day (UTC) it was driven on; null: not known"),
)
_SORT = (
    LakeColumn("car_class", _TEXT, "", 'the class of the car, "" where nobody said', False),
    LakeColumn("conditions", _TEXT, "", 'dry or wet, "" where nobody said', False),
)
_LAP = (
    LakeColumn("lap", _I32, "", "the lap's number, 0 before the first crossing", False),
    LakeColumn("lap_kind", _TEXT, "", "flying, out, in, broken; traffic or yellow where a person said so"),
)

COLUMNS: dict[Table, tuple[LakeColumn, ...]] = {
    "frames": (
        *_WHOSE,
        *_LAP,
        LakeColumn("seq", _I64, "", "the frame's number in its recording", False),
        LakeColumn("t", _F64, "s", "time of the session", False),
        LakeColumn("lat_deg", _F64, "deg", "WGS84 latitude, north positive"),
        LakeColumn("lon_deg", _F64, "deg", "WGS84 longitude, east positive"),
        LakeColumn("altitude_m", _F32, "m", "height above sea level or ellipsoid"),
        LakeColumn("speed_mps", _F32, "m/s", "speed over ground from GNSS"),
        LakeColumn("heading_deg", _F32, "deg", "course over ground, clockwise from north"),
        LakeColumn("satellites", _F32, "", "satellites used in the fix"),
        LakeColumn("g_lat", _F32, "g", "lateral acceleration, positive turning left"),
        LakeColumn("g_long", _F32, "g", "longitudinal acceleration, positive accelerating"),
        LakeColumn("yaw_rate_dps", _F32, "deg/s", "yaw rate, positive turning left"),
        LakeColumn("wheel_speed_mps", _F32, "m/s", "speed from the wheels or the dash"),
        LakeColumn("steering_deg", _F32, "deg", "steering wheel, positive left"),
        LakeColumn("brake_bar", _F32, "bar", "brake line pressure"),
        LakeColumn("brake_pct", _F32, "%", "brake pedal or switch, 0 released"),
        LakeColumn("throttle_pct", _F32, "%", "throttle or accelerator pedal"),
        LakeColumn("rpm", _F32, "1/min", "engine speed"),
        LakeColumn("gear", _F32, "", "gear, 0 neutral, -1 reverse"),
        LakeColumn("coolant_c", _F32, "degC", "coolant temperature"),
        LakeColumn("oil_temp_c", _F32, "degC", "oil temperature"),
        LakeColumn("oil_bar", _F32, "bar", "oil pressure"),
        LakeColumn("lap_number", _F32, "", "the logger's own lap counter"),
        LakeColumn("fix_age_s", _F32, "s", "the place is that of so long before", False),
        LakeColumn("g_from_gps", _BOOL, "", "lateral and longitudinal g are reckoned from GPS", False),
        LakeColumn("distance_m", _F64, "m", "place along the track, from the start line"),
        LakeColumn("offset_m", _F32, "m", "place across the track, positive left"),
        LakeColumn("status", _TEXT, "", "on, off, pit, reckoned, lost; null without a track"),
    ),
    "signals": (
        *_WHOSE,
        LakeColumn("t", _F64, "s", "time of the session", False),
        LakeColumn("name", _TEXT, "", "the signal", False),
        LakeColumn("unit", _TEXT, "", "its unit", False),
        LakeColumn("label", _TEXT, "", "what the source calls it", False),
        LakeColumn("source", _TEXT, "", "the source", False),
        LakeColumn("value", _F64, "", "the reading", False),
    ),
    "sessions": (
        *_WHOSE,
        *_SORT,
        LakeColumn("kind", _TEXT, "", "live, import or merged", False),
        LakeColumn("format", _TEXT, "", "of the recording", False),
        LakeColumn("vehicle", _TEXT, "", "the car, as its driver calls it", False),
        LakeColumn("driven_utc_s", _F64, "s", "unix seconds of the session's second 0; null: not known"),
        LakeColumn("duration_s", _F64, "s", "from the first frame to the last; null without frames"),
        LakeColumn("frames", _I64, "", "how many frames there are", False),
        LakeColumn("laps", _I32, "", "how many laps there are", False),
        LakeColumn("flying_laps", _I32, "", "how many of them are flying", False),
        LakeColumn("best_lap_s", _F64, "s", "the best flying lap; null without one"),
        LakeColumn("complete", _BOOL, "", "no sample of the recording is missing", False),
        LakeColumn("app_version", _TEXT, "", "the Pitwall that recorded it", False),
        LakeColumn("place_stamp", _TEXT, "", "of the tracks that it was measured with", False),
        LakeColumn("simulated", _BOOL, "", "a simulator drove it; null: nobody said", since=2),
    ),
    "laps": (
        *_WHOSE,
        *_SORT,
        *_LAP,
        LakeColumn("start_t", _F64, "s", "when it began", False),
        LakeColumn("end_t", _F64, "s", "when it ended", False),
        LakeColumn("time_s", _F64, "s", "the lap time; null before the first crossing and after the last"),
        LakeColumn("sectors_s", pa.list_(_F64), "s", "the sectors' times", False),
        LakeColumn("at_pace", _BOOL, "", "flying, and near enough to the session's best to judge by", False),
        LakeColumn("reason", _TEXT, "", "why it is not flying", False),
    ),
    "corner_passes": (
        *_WHOSE,
        *_SORT,
        *_LAP,
        LakeColumn("at_pace", _BOOL, "", "of a lap at pace", False),
        LakeColumn("corner", _TEXT, "", "the corner's id in the track file", False),
        LakeColumn("entry_t", _F64, "s", "when it began", False),
        LakeColumn("exit_t", _F64, "s", "when it ended", False),
        LakeColumn("time_s", _F64, "s", "from entry to exit", False),
        LakeColumn("entry_speed_mps", _F64, "m/s", "speed at the entry", False),
        LakeColumn("min_speed_mps", _F64, "m/s", "speed at the slowest point", False),
        LakeColumn("min_speed_m", _F64, "m", "where that was, along the track", False),
        LakeColumn("exit_speed_mps", _F64, "m/s", "speed at the exit", False),
        LakeColumn("brake_m", _F64, "m", "where braking began, along the track"),
        LakeColumn("loss_s", _F64, "s", "loss from entry to exit against the reference lap of the drive"),
        LakeColumn("brake_loss_s", _F64, "s", "loss before the corner"),
        LakeColumn("mid_loss_s", _F64, "s", "loss to the apex"),
        LakeColumn("exit_loss_s", _F64, "s", "loss after the apex"),
    ),
    "cues": (
        *_WHOSE,
        *_SORT,
        LakeColumn("cue", _I32, "", "the cue's number in its session", False),
        LakeColumn("t", _F64, "s", "when it was decided; of a spoken cue: when its clip began", False),
        LakeColumn("lap", _I32, "", "the lap in which that was", False),
        LakeColumn("corner", _TEXT, "", 'the corner, "" where it is about none', False),
        LakeColumn("phase", _TEXT, "", "of the corner; or what kind of message", False),
        LakeColumn("text", _TEXT, "", "the words", False),
        LakeColumn("tier", _TEXT, "", "rule, litert or paddock", False),
        LakeColumn("priority", _I32, "", "3 safety, 2 technique, 1 strategy", False),
        LakeColumn("outcome", _TEXT, "", "what became of it: spoken, expired, ...", False),
        LakeColumn("reason", _TEXT, "", "why, with the figures behind it", False),
        LakeColumn("action_distance_m", _F64, "m", "from the car to the place to act"),
        LakeColumn("clip_s", _F64, "s", "length of the clip"),
        LakeColumn("time_in_hand_s", _F64, "s", "from the clip's end to the place to act"),
        LakeColumn("predicted_in_hand_s", _F64, "s", "the same, as it was predicted"),
        LakeColumn("lead_s", _F64, "s", "how long before that place it had to begin"),
        LakeColumn("concept", _TEXT, "", 'which advice it was, "" for none', False),
        LakeColumn("spoken", _BOOL, "", "the driver heard it", False),
        LakeColumn("loss_s", _F64, "s", "what the corner lost when the advice was made; null: not known"),
        LakeColumn("next_loss_s", _F64, "s", "what it lost in the next pass at pace; null: not known"),
        LakeColumn("heeded", _BOOL, "", "the next pass won back half; null: not judged"),
    ),
    "events": (
        *_WHOSE,
        LakeColumn("t", _F64, "s", "time of the session", False),
        LakeColumn("kind", _TEXT, "", "what kind of event", False),
        LakeColumn("detail", _TEXT, "", 'JSON for the kinds that begin with "profile."', False),
    ),
    "lessons": (
        *_WHOSE,
        LakeColumn("lesson", _TEXT, "", "the lesson's id", False),
        LakeColumn("kind", _TEXT, "", "fault, cured, trouble or habit", False),
        LakeColumn("corner", _TEXT, "", "the corner it is about", False),
        LakeColumn("cause", _TEXT, "", "the cause of the loss", False),
        LakeColumn("text", _TEXT, "", "the sentence", False),
        LakeColumn("active", _BOOL, "", "it held at the push; the newest updated_utc_s counts", False),
        LakeColumn("created_utc_s", _F64, "s", "unix seconds of the session that proved it", False),
        LakeColumn("updated_utc_s", _F64, "s", "unix seconds of the newest evidence", False),
        LakeColumn("retired_why", _TEXT, "", "why it no longer holds", False),
        LakeColumn("shows", _BOOL, "", "this session speaks for it", False),
        LakeColumn("laps", pa.list_(_I32), "", "the laps of this session that show it", False),
        LakeColumn("seconds", _F64, "s", "lost or gained a lap; null where it is not about time"),
    ),
}  # fmt: skip


def schema_of(table: Table, version: int | None = None) -> pa.Schema:
    """The Arrow schema of a table in one version (default: the newest), with its files' metadata."""
    version = version or VERSION
    fields = [
        pa.field(column.name, column.type, nullable=column.null)
        for column in COLUMNS[table]
        if column.since <= version
    ]
    meta = {META_VERSION: str(version).encode(), META_TABLE: table.encode()}
    return pa.schema(fields, metadata=meta)


class FilePlace(NamedTuple):
    """Whose rows a file holds: what its path is made of. `date` None: not known."""

    driver: str
    session: str
    track: str
    date: datetime.date | None

    @property
    def month(self) -> str:
        """YYYY-MM, or UNKNOWN."""
        return UNKNOWN if self.date is None else self.date.isoformat()[:7]


def file_path(table: Table, place: FilePlace, content: str) -> str:
    """The path of one session's file inside the lake. `content`: the digest of all that the session holds,
    so that the same session has the same path from whichever process, and another state of it another one."""
    name = f"{_part(place.session)}.{content}.parquet"
    track = f"track={_part(place.track)}"
    if table not in BY_SESSION:
        return f"{table}/{track}/month={place.month}/{_part(place.driver)}.{name}"
    day = UNKNOWN if place.date is None else place.date.isoformat()
    return f"{table}/{track}/driver={_part(place.driver)}/date={day}/{name}"


def compacted_path(table: Table, track: str, month: str, content: str) -> str:
    """The path of a file that holds a table's rows of many sessions of one track and month."""
    return f"{table}/track={_part(track)}/month={month}/many.{content}.parquet"


def many_path(track: str, month: str, number: int, content: str) -> str:
    """The path of the entry that names the folded files of a track and month."""
    return f"{MANIFEST}/many.{_part(track)}.{month}.{number:06d}.{content}.json"


def entry_path(place: FilePlace, content: str) -> str:
    """The path of the manifest entry that makes a session's files part of the lake."""
    return f"{MANIFEST}/one.{_part(place.driver)}.{_part(place.session)}.{content}.json"


def forgotten_path(driver: str) -> str:
    """The mark of a driver who was forgotten: found by who knows the pseudonym, it tells nobody else."""
    return f"{FORGOTTEN}/{hashlib.sha256(b'pitwall forgotten ' + driver.encode()).hexdigest()}.json"


def _part(text: str) -> str:
    """A word as one part of a path, whatever it is."""
    if _SAFE.fullmatch(text):
        return text
    quoted = quote(text, safe="").replace(".", "%2E") or UNKNOWN
    return quoted if len(quoted) <= 128 else f"long-{hashlib.sha256(text.encode()).hexdigest()[:32]}"
