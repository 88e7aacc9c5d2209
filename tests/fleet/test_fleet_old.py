"""The lake of version 1 that is kept beside this file is read by every later program, folded or not."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from fleet_parts import FRAMES, put_invented

from pitwall.fleet import lake as lake_module
from pitwall.fleet import manifest, schema
from pitwall.fleet.answers import ask, driven, leaderboard
from pitwall.fleet.compact import compact, verify
from pitwall.fleet.lake import open_lake
from pitwall.fleet.schema import COLUMNS, TABLES, LakeColumn
from pitwall.fleet.storage import LakeError, open_storage

OLD = Path(__file__).parent / "lake_v1"
SESSIONS = {("d-anna", "s-0"), ("d-anna", "s-1"), ("d-max", "s-2"), ("d-max", "s-3")}


def test_the_lake_of_version_1_is_read() -> None:
    lake = open_lake(str(OLD))
    assert set(lake.entries) == SESSIONS
    assert {entry.pitwall_fleet for entry in lake.entries.values()} == {1}
    with duckdb.connect() as con:
        for table in TABLES:
            lake.attach(con, table)
        assert con.execute("SELECT count(*), sum(speed_mps) FROM frames").fetchall() == [
            (len(SESSIONS) * FRAMES, FRAMES * (0.0 + 1.0 + 2.0 + 3.0))
        ]
        assert con.execute("SELECT session, time_s FROM laps WHERE at_pace ORDER BY ALL").fetchall() == [
            (f"s-{number}", 60.0 + number) for number in range(4)
        ]
        assert con.execute("SELECT count(*) FROM cues WHERE spoken").fetchall() == [(4,)]
    found = verify(open_storage(str(OLD)))
    assert (found.damaged, found.unnamed) == ({}, 0)


def test_a_later_schema_reads_old_and_new_files_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later version, with a column more: in new files and, once they are folded, in those of the old."""
    shutil.copytree(OLD, tmp_path / "lake")
    url = str(tmp_path / "lake")
    later = schema.VERSION + 1
    for module in (schema, lake_module, manifest):
        monkeypatch.setattr(module, "VERSION", later)
    added = LakeColumn("tyre_c", pa.float32(), "degC", "an invented column", True, since=later)
    monkeypatch.setitem(COLUMNS, "laps", (*COLUMNS["laps"], added))
    put_invented(url, "d-new", 4)
    for folded in (False, True):
        if folded:
            compact(open_storage(url), grace_s=0.0)
        lake = open_lake(url)
        with duckdb.connect() as con:
            lake.attach(con, "laps")
            asked = "SELECT count(*), count(time_s), count(tyre_c) FROM laps"
            assert con.execute(asked).fetchall() == [(10, 5, 0)]
        assert "tyre_c" in lake.read("laps").schema.names
        assert verify(open_storage(url)).damaged == {}


@pytest.mark.parametrize("version", [1, schema.VERSION])
def test_a_simulated_session_never_counts_beside_a_real_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    """A file of version 1 says it by its vehicle alone. Where nobody drove, the simulated ones are shown."""
    url = str(tmp_path / "lake")
    for module in (schema, lake_module, manifest):
        monkeypatch.setattr(module, "VERSION", version)
    row = {"vehicle": "M3-like coupe (simulated)", "venue": "Sonoma (SIMULATED)" if version > 1 else ""}
    put_invented(url, "d-computed", 0, **row)
    monkeypatch.undo()
    [entry] = (tmp_path / "lake" / "manifest").glob("one.*")
    if version == 1:
        entry.write_bytes(entry.read_bytes().replace(b',"simulated":false', b""))
    assert [row.driver for row in leaderboard(open_lake(url), "track_0").rows] == ["d-computed"]
    put_invented(url, "d-anna", 2)
    assert open_lake(url).entries.keys() == {("d-computed", "s-0"), ("d-anna", "s-2")}
    for folded in (False, True):
        if folded:
            compact(open_storage(url), grace_s=0.0)
        lake = open_lake(url)
        assert [row.driver for row in leaderboard(lake, "track_0").rows] == ["d-anna"]
        assert [entry.driver for entry in driven(lake, driver="d-computed")] == ["d-computed"]
        [(told,)] = ask(lake, ("sessions",), "SELECT simulated FROM sessions", [], driver="d-computed")
        assert told is (None if version == 1 else True)
    assert verify(open_storage(url)).damaged == {}


def test_a_lake_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    shutil.copytree(OLD, tmp_path / "lake")
    [entry, *_] = sorted((tmp_path / "lake" / "manifest").glob("one.*"))
    entry.write_bytes(entry.read_bytes().replace(b'"pitwall_fleet":1', b'"pitwall_fleet":9'))
    with pytest.raises(LakeError, match="newer Pitwall"):
        open_lake(str(tmp_path / "lake"))
