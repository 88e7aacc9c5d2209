"""The tables of the database, all derived from journals: an older one is made again."""

from __future__ import annotations

import contextlib
import time

import _duckdb as duckdb
import msgspec

from pitwall.store.errors import StoreError
from pitwall.telemetry.frame import Frame

FRAME_FIELDS = tuple(field.name for field in msgspec.structs.fields(Frame))

# To be raised with every change of the tables.
VERSION = 11
# From this version on the home's journal has what no session's has.
WITH_HOME_JOURNAL = 8

# `home_journal`: of how much of that journal the database is made; -1: of none yet. `batches`: so
# that none is kept twice. `exported_utc_s`: there is a copy elsewhere. `place_stamp`: by which
# tracks the session was measured. `marks`, `conditions`: JSON. `verified`: the lesson holds.
_TABLES = """
CREATE TABLE sessions (
  id VARCHAR PRIMARY KEY, kind VARCHAR NOT NULL, source_name VARCHAR NOT NULL, source_digest VARCHAR NOT NULL,
  track VARCHAR NOT NULL, format VARCHAR NOT NULL, start_utc_s DOUBLE, created_utc_s DOUBLE NOT NULL,
  closed_utc_s DOUBLE, samples BIGINT NOT NULL, last_seq BIGINT NOT NULL, shed_rows BIGINT NOT NULL,
  complete BOOLEAN NOT NULL,
  app_version VARCHAR NOT NULL, driver VARCHAR NOT NULL, vehicle VARCHAR NOT NULL, venue VARCHAR NOT NULL,
  notes VARCHAR NOT NULL, journal_stamp BIGINT[], journal_crc BIGINT, journal_last_seq BIGINT,
  exported_utc_s DOUBLE, lat_deg DOUBLE, lon_deg DOUBLE, place_stamp VARCHAR DEFAULT '', time_of_day_s DOUBLE,
  same_as VARCHAR DEFAULT '');
CREATE TABLE laps (
  session VARCHAR NOT NULL, lap INTEGER NOT NULL, kind VARCHAR NOT NULL, start_t DOUBLE NOT NULL,
  end_t DOUBLE NOT NULL, time_s DOUBLE, sectors_s DOUBLE[] NOT NULL, reason VARCHAR NOT NULL);
CREATE TABLE corner_passes (
  session VARCHAR NOT NULL, lap INTEGER NOT NULL, corner VARCHAR NOT NULL, entry_t DOUBLE NOT NULL,
  exit_t DOUBLE NOT NULL, time_s DOUBLE NOT NULL, entry_speed_mps DOUBLE NOT NULL,
  min_speed_mps DOUBLE NOT NULL, min_speed_m DOUBLE NOT NULL, exit_speed_mps DOUBLE NOT NULL,
  brake_m DOUBLE);
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
  clip_s DOUBLE, time_in_hand_s DOUBLE, predicted_in_hand_s DOUBLE, lead_s DOUBLE,
  concept VARCHAR DEFAULT '', loss_s DOUBLE);
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
  evidence VARCHAR NOT NULL, verified BOOLEAN NOT NULL, created_utc_s DOUBLE NOT NULL,
  kind VARCHAR DEFAULT '', driver VARCHAR DEFAULT '', cause VARCHAR DEFAULT '', words VARCHAR DEFAULT '',
  updated_utc_s DOUBLE DEFAULT 0, retired_why VARCHAR DEFAULT '');
CREATE TABLE batches (
  id VARCHAR NOT NULL, session VARCHAR NOT NULL, samples BIGINT NOT NULL, seq BIGINT NOT NULL);
CREATE TABLE session_edits (
  session VARCHAR PRIMARY KEY, name VARCHAR NOT NULL, tags VARCHAR[] NOT NULL, driven_utc_s DOUBLE,
  track VARCHAR, marks VARCHAR DEFAULT '[]', conditions VARCHAR DEFAULT '{}');
CREATE TABLE aims (track VARCHAR PRIMARY KEY, time_s DOUBLE NOT NULL, by_day VARCHAR NOT NULL);
CREATE TABLE home_journal (bytes BIGINT NOT NULL, crc BIGINT NOT NULL);
INSERT INTO home_journal VALUES (-1, 0);
CREATE TABLE schema_version (version INTEGER NOT NULL, at_utc_s DOUBLE NOT NULL);
"""

# Made from a session's journal, so they can be thrown away and made again.
FROM_JOURNAL = ("sessions", "laps", "corner_passes", "frames", "signals", "cues", "driver_events", "batches")


def version(con: duckdb.DuckDBPyConnection) -> int:
    """Return the version of the open database, 0 if empty. StoreError if it isn't ours."""
    try:
        row = con.execute("SELECT max(version) FROM schema_version").fetchall()
    except duckdb.CatalogException:
        if con.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            raise StoreError(
                "the database has tables but no schema_version: it isn't Pitwall's; move it away"
            ) from None
        return 0
    return int(row[0][0] or 0)


def create(con: duckdb.DuckDBPyConnection) -> None:
    """Make the tables, all or none. duckdb.Error."""
    con.execute("BEGIN")
    try:
        con.execute(_TABLES)
        con.execute("INSERT INTO schema_version VALUES (?, ?)", [VERSION, time.time()])
        con.execute("COMMIT")
    except duckdb.Error:
        with contextlib.suppress(duckdb.Error):  # a COMMIT that failed has rolled back itself
            con.execute("ROLLBACK")
        raise


def refuse_newer(known: int) -> None:
    """Refuse a version of a newer program. StoreError."""
    if known > VERSION:
        raise StoreError(
            f"the database has schema version {known}, this program knows up to {VERSION}; "
            "use the newer pitwall it was made with, or another PITWALL_HOME"
        )
