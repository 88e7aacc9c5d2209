"""One session written into a lake and read again: the same rows; what is damaged is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fleet_parts import OneSession
from msgspec.structs import replace
from stored_facts import report_on

from pitwall.analysis.port import Facts
from pitwall.fleet.lake import make_files, open_lake, put_entry
from pitwall.fleet.manifest import ManyEntries, live_entries, read_manifest, sources
from pitwall.fleet.material import gather
from pitwall.fleet.schema import TABLES, schema_of
from pitwall.fleet.session_facts import works_of
from pitwall.fleet.storage import LakeError, open_storage
from pitwall.fleet.tables import Digest, Pusher
from pitwall.fleet.verdicts import SessionVerdict, judge_works
from pitwall.store import queries
from pitwall.store.reading import rows


def test_the_lake_holds_the_rows_of_the_store(sonoma_lake: OneSession) -> None:
    lake = open_lake(str(sonoma_lake.lake))
    with duckdb.connect() as con:
        for table in TABLES:
            lake.attach(con, table)
        frames = con.execute(
            "SELECT t, speed_mps, distance_m, lat_deg, status FROM frames ORDER BY t, seq"
        ).fetchall()
        passes = con.execute(
            "SELECT lap, corner, time_s, brake_m FROM corner_passes ORDER BY entry_t, lap"
        ).fetchall()
        spoken = con.execute("SELECT cue, text, spoken FROM cues ORDER BY t, cue").fetchall()
        signals = con.execute("SELECT count(*), sum(value) FROM signals").fetchall()
        whose = con.execute("SELECT driver, session, car_class, frames FROM sessions").fetchall()
    stored = rows(
        sonoma_lake.store,
        "SELECT t, speed_mps::FLOAT, distance_m, lat_deg, status FROM frames ORDER BY t, seq",
        [],
    )
    assert frames == stored
    assert whose == [("d-anna", sonoma_lake.session, "gt4", len(stored))]
    assert passes == [
        (each.lap, each.corner, each.time_s, each.brake_m)
        for each in queries.corner_passes(sonoma_lake.store, sonoma_lake.session)
    ]
    assert [cue[:2] for cue in spoken] == [
        (line.cue, line.text) for line in queries.cues(sonoma_lake.store, sonoma_lake.session)
    ]
    [(count, total)] = rows(sonoma_lake.store, "SELECT count(*), sum(value) FROM signals", [])
    assert signals == [(count, pytest.approx(total))]


@pytest.mark.long
def test_the_same_session_made_again_is_the_same_content(sonoma_lake: OneSession, tmp_path: Path) -> None:
    """Also in other batches: the digest is of the rows, not of how they lie."""
    again = make_files(
        gather(sonoma_lake.store, sonoma_lake.session),
        Pusher(driver="d-anna", car_class="gt4", names=("Anna",)),
        tmp_path,
    )
    assert (again.content, again.files) == (sonoma_lake.entry.content, sonoma_lake.entry.files)
    other, whole = Digest(), Digest()
    for row in sonoma_lake.entry.files:
        with pq.ParquetFile(sonoma_lake.files / f"{row.table}.parquet") as file:
            for batch in file.iter_batches(batch_size=977):
                other.add(row.table, batch)
            for batch in file.iter_batches():
                whole.add(row.table, batch)
    assert other.hexdigest() == whole.hexdigest() == again.content


def test_the_digest_sees_any_changed_value() -> None:
    def digest(**changed: object) -> str:
        row = {
            "driver": "d", "session": "s", "track": "t", "date": None, "t": 1.0, "kind": "k", "detail": "x",
        }  # fmt: skip
        made = Digest()
        made.add("events", pa.RecordBatch.from_pylist([row, row | changed], schema=schema_of("events")))
        return made.hexdigest()

    found = [
        digest(), digest(t=1.0000000001), digest(detail=""), digest(detail="x "),
        digest(kind="kx", detail=""), digest(driver="ds", session=""),
    ]  # fmt: skip
    assert len(set(found)) == len(found)


def test_what_no_entry_names_is_not_read(sonoma_lake: OneSession, tmp_path: Path) -> None:
    shutil.copytree(sonoma_lake.lake, tmp_path / "lake")
    shutil.rmtree(tmp_path / "lake" / "manifest")
    lake = open_lake(str(tmp_path / "lake"))
    with duckdb.connect() as con:
        lake.attach(con, "frames")
        assert con.execute("SELECT count(*) FROM frames").fetchall() == [(0,)]


def test_a_damaged_file_is_named_and_the_rest_answers(sonoma_lake: OneSession, tmp_path: Path) -> None:
    shutil.copytree(sonoma_lake.lake, tmp_path / "lake")
    storage = open_storage(str(tmp_path / "lake"))
    other = make_files(gather(sonoma_lake.store, sonoma_lake.session), Pusher(driver="d-max"), tmp_path)
    put_entry(storage, other, tmp_path)
    [laps] = [row.path for row in other.files if row.table == "laps"]
    (tmp_path / "lake" / laps).write_bytes(b"PAR1 this is no Parquet file PAR1")
    lake = open_lake(storage)
    assert len(lake.entries) == 2
    sql = "SELECT DISTINCT driver FROM laps"
    with duckdb.connect() as con:
        lake.attach(con, "laps")
        with pytest.raises(duckdb.Error):
            con.execute(sql)
        assert lake.ask(con, ("laps",), lambda con: con.execute(sql).fetchall()) == [("d-anna",)]
    [(path, sentence)] = lake.damaged.items()
    assert path == laps
    assert laps in sentence


def test_of_two_states_of_a_session_the_newer_counts(sonoma_lake: OneSession, tmp_path: Path) -> None:
    """Whether the older one was folded with others or not."""
    manifest = read_manifest(open_storage(str(sonoma_lake.lake)))
    [old] = manifest.ones.values()
    new = replace(old, content="f" * 32, pushed_utc_s=old.pushed_utc_s + 1.0, files=())
    other = replace(old, driver="d-max", files=())
    folded = ManyEntries(
        number=1, track=old.track, month=old.place.month, entries=(old, other), files=old.files
    )
    manifest.manys["manifest/many.x.json"] = folded
    manifest.ones["manifest/one.new.json"] = new
    live = live_entries(manifest)
    assert live == {new.key: new, other.key: other}
    [laps] = [row.path for row in old.files if row.table == "laps"]
    [source] = sources(manifest, list(live.values()), "laps")
    assert (source.path, source.take) == (laps, (other.key,))


def test_an_address_that_is_no_lake_is_refused_with_what_to_do() -> None:
    for url, word in [
        ("", "--lake"), ("ftp://x/y", "s3://BUCKET"), ("s3://key:secret@b/p", "AWS_ACCESS_KEY_ID"),
        ("s3://b/p?region=x&tls=no", "tls"),
    ]:  # fmt: skip
        with pytest.raises(LakeError, match=word):
            open_storage(url)


def test_a_lake_gives_the_same_report_as_the_store_that_pushed_it(sonoma_lake: OneSession) -> None:
    lake = open_lake(str(sonoma_lake.lake))
    [work] = works_of(lake, lake.chosen())
    [outcome] = judge_works(str(sonoma_lake.lake), [], [work])
    assert outcome.failed == ""
    own = report_on(Facts(sonoma_lake.store), queries.session(sonoma_lake.store, sonoma_lake.session))
    found = msgspec.msgpack.decode(outcome.body or b"", type=SessionVerdict)
    assert [each.corner for each in found.opportunities] == [each.corner for each in own.opportunities]
    assert len(found.passes) == len(own.passes) > 50
    for far, near in zip(found.passes, own.passes, strict=True):
        # The lake keeps speeds in 32 bits.
        assert far.loss_s == pytest.approx(near.loss_s, abs=1e-5)
        assert far.throttle_m == pytest.approx(near.throttle_m)
