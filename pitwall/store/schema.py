"""The tables, and the way from every older version to this one."""

from __future__ import annotations

import contextlib
import time

import _duckdb as duckdb
import msgspec

from pitwall.store.errors import StoreError
from pitwall.telemetry.frame import Frame

FRAME_FIELDS = tuple(field.name for field in msgspec.structs.fields(Frame))

# Written out, not derived from Frame: version 1 stays what it was when Frame grows (then: a
# migration).
_FIRST = """
CREATE TABLE sessions (
  id VARCHAR PRIMARY KEY, kind VARCHAR NOT NULL, source_name VARCHAR NOT NULL, source_digest VARCHAR NOT NULL,
  track VARCHAR NOT NULL, format VARCHAR NOT NULL, start_utc_s DOUBLE, created_utc_s DOUBLE NOT NULL,
  closed_utc_s DOUBLE, samples BIGINT NOT NULL, last_seq BIGINT NOT NULL, shed_rows BIGINT NOT NULL,
  complete BOOLEAN NOT NULL,
  app_version VARCHAR NOT NULL, driver VARCHAR NOT NULL, vehicle VARCHAR NOT NULL, venue VARCHAR NOT NULL,
  notes VARCHAR NOT NULL, journal_stamp BIGINT[], journal_crc BIGINT, journal_last_seq BIGINT);
CREATE TABLE laps (
  session VARCHAR NOT NULL, lap INTEGER NOT NULL, kind VARCHAR NOT NULL, start_t DOUBLE NOT NULL,
  end_t DOUBLE NOT NULL, time_s DOUBLE, sectors_s DOUBLE[] NOT NULL, reason VARCHAR NOT NULL);
CREATE TABLE corner_passes (
  session VARCHAR NOT NULL, lap INTEGER NOT NULL, corner VARCHAR NOT NULL, entry_t DOUBLE NOT NULL,
  exit_t DOUBLE NOT NULL, time_s DOUBLE NOT NULL, entry_speed_mps DOUBLE NOT NULL,
  min_speed_mps DOUBLE NOT NULL, min_speed_m DOUBLE NOT NULL, exit_speed_mps DOUBLE NOT NULL,
  brake_m DOUBLE, loss_s DOUBLE, brake_loss_s DOUBLE, mid_loss_s DOUBLE, exit_loss_s DOUBLE);
CREATE TABLE frames (
  session VARCHAR NOT NULL, seq BIGINT NOT NULL, lap INTEGER NOT NULL, t DOUBLE NOT NULL,
  lat_deg DOUBLE, lon_deg DOUBLE, altitude_m DOUBLE, speed_mps DOUBLE, heading_deg DOUBLE,
  satellites DOUBLE, g_lat DOUBLE, g_long DOUBLE, yaw_rate_dps DOUBLE, wheel_speed_mps DOUBLE,
  steering_deg DOUBLE, brake_bar DOUBLE, brake_pct DOUBLE, throttle_pct DOUBLE, rpm DOUBLE, gear DOUBLE,
  coolant_c DOUBLE, oil_temp_c DOUBLE, oil_bar DOUBLE, lap_number DOUBLE, fix_age_s DOUBLE NOT NULL,
  g_from_gps BOOLEAN NOT NULL, distance_m DOUBLE, offset_m DOUBLE, status VARCHAR);
CREATE TABLE signal_registry (
  id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, unit VARCHAR NOT NULL, label VARCHAR NOT NULL,
  source VARCHAR NOT NULL, UNIQUE (name, unit, label, source));
CREATE TABLE signals (
  session VARCHAR NOT NULL, seq BIGINT NOT NULL, t DOUBLE NOT NULL, signal INTEGER NOT NULL,
  value DOUBLE NOT NULL);
CREATE TABLE cues (
  session VARCHAR NOT NULL, cue INTEGER NOT NULL, t DOUBLE NOT NULL, lap INTEGER NOT NULL,
  corner VARCHAR NOT NULL, phase VARCHAR NOT NULL, text VARCHAR NOT NULL, tier VARCHAR NOT NULL,
  priority INTEGER NOT NULL, outcome VARCHAR NOT NULL, reason VARCHAR NOT NULL, action_distance_m DOUBLE,
  clip_s DOUBLE, time_in_hand_s DOUBLE, predicted_in_hand_s DOUBLE, lead_s DOUBLE);
CREATE TABLE driver_events (
  session VARCHAR NOT NULL, t DOUBLE NOT NULL, kind VARCHAR NOT NULL, detail VARCHAR NOT NULL);
CREATE TABLE conversations (
  id BIGINT, session VARCHAR, at_utc_s DOUBLE NOT NULL, role VARCHAR NOT NULL, text VARCHAR NOT NULL,
  detail VARCHAR NOT NULL);
CREATE TABLE jobs (
  id VARCHAR PRIMARY KEY, kind VARCHAR NOT NULL, state VARCHAR NOT NULL, created_utc_s DOUBLE NOT NULL,
  updated_utc_s DOUBLE NOT NULL, input VARCHAR NOT NULL, checkpoint VARCHAR, result VARCHAR);
CREATE TABLE agent_events (
  job VARCHAR, at_utc_s DOUBLE NOT NULL, agent VARCHAR NOT NULL, kind VARCHAR NOT NULL,
  detail VARCHAR NOT NULL);
CREATE TABLE lessons (
  id VARCHAR PRIMARY KEY, track VARCHAR NOT NULL, corner VARCHAR NOT NULL, text VARCHAR NOT NULL,
  evidence VARCHAR NOT NULL, verified BOOLEAN NOT NULL, created_utc_s DOUBLE NOT NULL);
"""

# Batches that were handed in, so that none is kept twice; which sessions have a copy elsewhere.
_LIVE = """
ALTER TABLE sessions ADD COLUMN exported_utc_s DOUBLE;
CREATE TABLE batches (
  id VARCHAR NOT NULL, session VARCHAR NOT NULL, samples BIGINT NOT NULL, seq BIGINT NOT NULL);
"""

# A lesson of whom, of what kind, and why it no longer holds; `verified` is true while it does.
_LESSONS = """
ALTER TABLE lessons ADD COLUMN kind VARCHAR DEFAULT '';
ALTER TABLE lessons ADD COLUMN driver VARCHAR DEFAULT '';
ALTER TABLE lessons ADD COLUMN cause VARCHAR DEFAULT '';
ALTER TABLE lessons ADD COLUMN words VARCHAR DEFAULT '';
ALTER TABLE lessons ADD COLUMN updated_utc_s DOUBLE DEFAULT 0;
ALTER TABLE lessons ADD COLUMN retired_why VARCHAR DEFAULT '';
"""

# Where a session began and by which tracks it was measured; what a person said of it, which no
# journal holds.
_PLACES = """
ALTER TABLE sessions ADD COLUMN lat_deg DOUBLE;
ALTER TABLE sessions ADD COLUMN lon_deg DOUBLE;
ALTER TABLE sessions ADD COLUMN place_stamp VARCHAR DEFAULT '';
ALTER TABLE sessions ADD COLUMN time_of_day_s DOUBLE;
ALTER TABLE sessions ADD COLUMN same_as VARCHAR DEFAULT '';
UPDATE sessions SET lat_deg = first.lat_deg, lon_deg = first.lon_deg FROM (
  SELECT session, arg_min(lat_deg, t) AS lat_deg, arg_min(lon_deg, t) AS lon_deg FROM frames
  WHERE lat_deg IS NOT NULL AND lon_deg IS NOT NULL GROUP BY session) first WHERE first.session = sessions.id;
CREATE TABLE session_edits (
  session VARCHAR PRIMARY KEY, name VARCHAR NOT NULL, tags VARCHAR[] NOT NULL, driven_utc_s DOUBLE,
  track VARCHAR);
"""

# Which advice a cue was.
_CONCEPTS = """
ALTER TABLE cues ADD COLUMN concept VARCHAR DEFAULT '';
"""

# What a person said of single laps, as JSON.
_MARKS = """
ALTER TABLE session_edits ADD COLUMN marks VARCHAR DEFAULT '[]';
"""

# What an advice says that its corner loses a lap; in older rows the text of the reason alone has
# it.
_LOSSES = r"""
ALTER TABLE cues ADD COLUMN loss_s DOUBLE;
UPDATE cues SET loss_s = TRY_CAST(regexp_extract(reason, 'loses (\d+\.\d+) s in laps', 1) AS DOUBLE)
  WHERE concept <> '';
"""

# Of how much of the home's journal this database is made; -1: of none yet.
_HOME_JOURNAL = """
CREATE TABLE home_journal (bytes BIGINT NOT NULL, crc BIGINT NOT NULL);
INSERT INTO home_journal VALUES (-1, 0);
"""

# What a person notes of a session: tyres, weather, fuel; as JSON.
_CONDITIONS = """
ALTER TABLE session_edits ADD COLUMN conditions VARCHAR DEFAULT '{}';
"""

# The lap time that a driver wants to reach on a track.
_AIMS = """
CREATE TABLE aims (track VARCHAR PRIMARY KEY, time_s DOUBLE NOT NULL, by_day VARCHAR NOT NULL);
"""

# What a pass lost is no measure of the car: it is judged when it is asked for.
_NO_LOSSES = "".join(
    f"ALTER TABLE corner_passes DROP COLUMN {name};"
    for name in ("loss_s", "brake_loss_s", "mid_loss_s", "exit_loss_s")
)

# Version n is reached from n - 1 by MIGRATIONS[n - 1]; a published one is never changed, only
# followed.
MIGRATIONS: tuple[str, ...] = (
    _FIRST,
    _LIVE,
    _LESSONS,
    _PLACES,
    _CONCEPTS,
    _MARKS,
    _LOSSES,
    _HOME_JOURNAL,
    _CONDITIONS,
    _AIMS,
    _NO_LOSSES,
)
VERSION = len(MIGRATIONS)

# Made from a session's journal, so they can be thrown away and made again.
FROM_JOURNAL = ("sessions", "laps", "corner_passes", "frames", "signals", "cues", "driver_events", "batches")


def version(con: duckdb.DuckDBPyConnection) -> int:
    """Return the version of the open database, 0 if it is empty. StoreError if it is not one
    of ours."""
    try:
        row = con.execute("SELECT max(version) FROM schema_version").fetchall()
    except duckdb.CatalogException:
        if con.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            raise StoreError(
                "the database has tables but no schema_version: it isn't Pitwall's; move it away"
            ) from None
        return 0
    return int(row[0][0] or 0)


def migrate(con: duckdb.DuckDBPyConnection, migrations: tuple[str, ...] = MIGRATIONS) -> tuple[int, int]:
    """Bring the open database to the newest version, one transaction a step, an empty one in one;
    return (version before, after).

    StoreError, with nothing changed, if a newer program made it.
    """
    before = version(con)
    if before > len(migrations):
        raise StoreError(
            f"the database has schema version {before}, this program knows up to {len(migrations)}; "
            "use the newer pitwall it was made with, or another PITWALL_HOME"
        )
    numbers = range(before + 1, len(migrations) + 1)
    for step in [[number] for number in numbers] if before or not numbers else [numbers]:
        con.execute("BEGIN")
        try:
            if not before:
                con.execute(
                    "CREATE TABLE schema_version (version INTEGER NOT NULL, at_utc_s DOUBLE NOT NULL)"
                )
            for number in step:
                con.execute(migrations[number - 1])
                con.execute("INSERT INTO schema_version VALUES (?, ?)", [number, time.time()])
            con.execute("COMMIT")
        except duckdb.Error:
            with contextlib.suppress(duckdb.Error):  # a COMMIT that failed has rolled back itself
                con.execute("ROLLBACK")
            raise
    return before, len(migrations)
