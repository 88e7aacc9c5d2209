"""Sessions become objects named by their content: safe to push again, by many, killed anywhere; what is wrong
is named, and what is private stays."""

from __future__ import annotations

import os
import random
import signal
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fleet_parts import (
    SHELF,
    SONOMA,
    OneSession,
    check_readable,
    frames_file,
    invented,
    push_at_once,
    put_invented,
)
from msgspec.structs import replace
from s3_server import CutWay, lake_at, s3_server
from stored_facts import report_on

from pitwall.analysis.port import Facts
from pitwall.config import Home
from pitwall.contract.messages import Due
from pitwall.fleet.analyse import analyse
from pitwall.fleet.answers import leaderboard
from pitwall.fleet.build import build
from pitwall.fleet.lake import (
    FRAMES,
    LEAVINGS_S,
    DamagedFileError,
    LakeError,
    UnreachableError,
    all_objects,
    clear_leavings,
    list_sessions,
    make_object,
    open_storage,
    pull,
    put_forgotten_mark,
    read_object,
)
from pitwall.fleet.material import due, gather, pushable
from pitwall.fleet.push import not_there, object_of, push
from pitwall.store import queries
from pitwall.store.queries import rows
from pitwall.track.geometry import Projection
from pitwall.track.near import NEAR_M, NearTrack


def test_an_object_holds_the_rows_of_the_store(sonoma_lake: OneSession) -> None:
    facts, frames = read_object(open_storage(str(sonoma_lake.lake)), sonoma_lake.item)
    sql = "SELECT t, speed_mps::FLOAT, distance_m, lat_deg, status FROM frames ORDER BY t, seq"
    stored = rows(sonoma_lake.store, sql, [])
    near = NearTrack(SONOMA)
    kept = [row for row in stored if near.keeps(row[3], SONOMA.centreline[0][1])]
    names = ["t", "speed_mps", "distance_m", "lat_deg", "status"]
    assert [tuple(row.values()) for row in frames.select(names).to_pylist()] == kept
    assert len(kept) > 0.9 * len(stored)
    assert list(facts.passes) == queries.corner_passes(sonoma_lake.store, sonoma_lake.session)
    assert (facts.car_class, facts.track) == ("gt4", "sonoma")


def test_a_lake_gives_the_same_report_as_the_store_that_pushed_it(sonoma_lake: OneSession) -> None:
    outcome = analyse(open_storage(str(sonoma_lake.lake)), sonoma_lake.item, SHELF)
    found = outcome.rows
    own = report_on(Facts(sonoma_lake.store), queries.session(sonoma_lake.store, sonoma_lake.session))
    assert [each["corner"] for each in found["facts"]] == [each.corner for each in own.opportunities]
    measured = [each["throttle_m"] for each in found["passes"] if each.get("throttle_m") is not None]
    expected = [each.throttle_m for each in own.passes if each.throttle_m is not None]
    assert measured == pytest.approx(expected)
    assert len(expected) > 30


def test_no_place_far_from_the_track_and_no_word_of_a_person_leaves_the_home(tmp_path: Path) -> None:
    """A drive from a home 40 km away to the track and back, with a stretch of no fix on the way."""
    material = invented(0, tmp_path)
    projection = Projection(*SONOMA.centreline[0][:2])
    far = [40_000.0, 2_000.0, NEAR_M + 400.0, None, 300.0, 0.0, None, 0.0, 300.0, 2_000.0, None, 40_000.0]
    # Straight down from the southernmost point of the line.
    south, lon, _ = min(SONOMA.centreline)
    line_x, line_y = projection.xy(south, lon)
    places = [(None, None) if m is None else projection.lat_lon(line_x, line_y - m) for m in far]
    frames = {name: [None] * len(far) for name in FRAMES.names} | {
        "t": [float(at) for at in range(len(far))],
        "lat_deg": [lat for lat, _ in places], "lon_deg": [lon for _, lon in places],
        "fix_age_s": [0.0] * len(far), "g_from_gps": [False] * len(far),
    }  # fmt: skip
    material = replace(material, frames_file=frames_file(frames, tmp_path))
    path, content = object_of(material, "d-anna", "gt4", SHELF)
    kept = pq.read_table(pa.BufferReader(content))
    assert kept["t"].to_pylist() == [4.0, 5.0, 6.0, 7.0, 8.0]
    for lat, _ in places[:3] + places[-1:]:
        assert struct.pack("<d", lat) not in content
    for word in ("her phone", "WBS1234", "my venue", "a note", "a name", "free words", "said", "why"):
        assert word.encode() not in content
        assert word not in str(kept.to_pylist())
    assert path.startswith("sessions/driver=d-anna/s-0.")


def test_a_drive_without_a_track_goes_only_where_it_is_named(sonoma_lake: OneSession) -> None:
    row = queries.session(sonoma_lake.store, sonoma_lake.session)
    assert pushable([row, replace(row, id="road", track="")]) == [row]


def test_a_session_goes_over_once_and_the_newer_state_takes_the_older_ones_place(
    sonoma_lake: OneSession, tmp_path: Path
) -> None:
    storage, home = open_storage(str(tmp_path / "lake")), Home(tmp_path / "home")
    [wanted] = due(sonoma_lake.store, [queries.session(sonoma_lake.store, sonoma_lake.session)])
    material = gather(sonoma_lake.store, sonoma_lake.session)
    assert push(storage, home, wanted, material, "gt4", SHELF) > 0
    assert not_there(storage, home, [wanted]) == []
    assert not_there(storage, home, [replace(wanted, source="another")]) != []
    again = gather(sonoma_lake.store, sonoma_lake.session)
    assert push(storage, home, wanted, again, "gt3", SHELF) > 0
    [item] = all_objects(storage)
    assert read_object(storage, item)[0].car_class == "gt3"
    (tmp_path / "lake" / item.path).unlink()
    assert not_there(storage, home, [wanted]) == [wanted]


def test_a_flipped_byte_is_found_and_a_push_mends_it(tmp_path: Path) -> None:
    storage, home = open_storage(str(tmp_path / "lake")), Home(tmp_path / "home")
    wanted = Due("s-1", "d-1", "", "source-1")
    push(storage, home, wanted, invented(1, tmp_path), "gt4", SHELF)
    [item] = list_sessions(storage)
    whole = (tmp_path / "lake" / item.path).read_bytes()
    for at in (4, len(whole) // 2, len(whole) - 9):
        content = bytearray(whole)
        content[at] ^= 1
        (tmp_path / "lake" / item.path).write_bytes(content)
        with pytest.raises(DamagedFileError, match="push its session again with --again"):
            read_object(storage, item)
        assert pull(storage, open_storage(str(tmp_path / "other"))).damaged
    # What a push that was killed long ago left half written goes; what was written now may be under way.
    for name, age_s in ((".old.new", 2 * LEAVINGS_S), (".now.new", 0.0)):
        left = tmp_path / "lake" / "sessions" / "driver=d-1" / name
        left.write_bytes(b"PAR1")
        os.utime(left, (time.time() - age_s,) * 2)
    clear_leavings(storage)
    left = {each.path.rpartition("/")[2] for each in storage.listed("sessions")}
    assert (".now.new" in left, ".old.new" in left) == (True, False)
    assert not_there(storage, home, [wanted], again=True) == [wanted]
    push(storage, home, wanted, invented(1, tmp_path), "gt4", SHELF, again=True)
    assert read_object(storage, list_sessions(storage)[0])[0].session == "s-1"


def test_an_object_that_says_it_is_another_session_is_refused(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path))
    path = put_invented(str(tmp_path), "d-1", 1)
    [item] = list_sessions(storage)
    facts, frames = read_object(storage, item)
    for wrong in (replace(facts, session="s-2"), replace(facts, pitwall_session=9)):
        storage.delete(path)
        path, content = make_object(wrong, frames.to_batches(), None)
        path = path.replace("s-2", "s-1")
        storage.put(path, content)
        with pytest.raises(LakeError):
            read_object(storage, list_sessions(storage)[0])


def test_a_pull_brings_what_lacks_and_forgets_what_was_forgotten(tmp_path: Path) -> None:
    storage, target = open_storage(str(tmp_path / "lake")), open_storage(str(tmp_path / "copy"))
    for driver, number in (("d-1", 0), ("d-1", 1), ("d-2", 2)):
        put_invented(storage.url, driver, number)
    assert (pull(storage, target, driver="d-2").sessions, pull(storage, target).sessions) == (1, 2)
    assert pull(storage, target).there == 3
    assert check_readable(target.url) == check_readable(storage.url)
    put_forgotten_mark(storage, "d-1")
    pull(storage, target)
    assert {each.driver for each in all_objects(target)} == {"d-2"}


def test_an_address_that_is_no_lake_is_refused_with_what_to_do() -> None:
    for url, word in [
        ("", "--lake"), ("ftp://x/y", "s3://BUCKET"), ("s3://key:secret@b/p", "AWS_ACCESS_KEY_ID"),
        ("s3://b/p?region=x&tls=no", "tls"),
    ]:  # fmt: skip
        with pytest.raises(LakeError, match=word):
            open_storage(url)


# A process that pushes three sessions makes about as many calls.
CALLS = 9_000


def check_pushed_at_once(lake: str, homes: Path, seed: int, drivers: int) -> None:
    """Two processes for each driver push three of four sessions each, two of them the same. All are killed
    somewhere; then all go on to their end."""
    chance = random.Random(seed)
    spans = [(f"d-{at % drivers}", *((0, 3) if at < drivers else (1, 4))) for at in range(2 * drivers)]
    ended = push_at_once(lake, homes, [f"{d}:{a}:{b}:{chance.randrange(1, CALLS)}" for d, a, b in spans])
    assert set(ended) <= {0, -signal.SIGKILL}
    assert ended.count(-signal.SIGKILL) > drivers // 2
    check_readable(lake)
    assert push_at_once(lake, homes, [f"{d}:{a}:{b}:0" for d, a, b in spans]) == [0] * len(spans)
    wanted = {(f"d-{driver}", f"s-{number}") for driver in range(drivers) for number in range(4)}
    assert check_readable(lake) == wanted
    assert len(all_objects(open_storage(lake))) == len(wanted)


@pytest.mark.long
def test_processes_push_the_same_and_other_sessions_and_are_killed(tmp_path: Path) -> None:
    # The same at its full size, into a bucket too: scripts/fleet-faults.
    check_pushed_at_once(str(tmp_path / "lake"), tmp_path, seed=1, drivers=2)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.mark.long
def test_a_bucket_is_as_a_folder_is(server: str, tmp_path: Path) -> None:
    url, folder = lake_at(server, "read"), str(tmp_path / "lake")
    assert put_invented(url, "d-1", 3) == put_invented(folder, "d-1", 3)
    assert check_readable(url) == check_readable(folder) == {("d-1", "s-3")}
    storage = open_storage(url)
    target = open_storage(str(tmp_path / "copy"))
    assert pull(storage, target).sessions == 1
    boards = []
    for each in (storage, target):
        assert build(each, SHELF).failed == ()
        boards.append(leaderboard(each, "sonoma"))
    assert boards[0] == boards[1]
    assert boards[0]["rows"]
    storage.delete_folder("derived")
    storage.delete_folder("sessions/driver=d-1")
    assert [each.path for each in storage.listed()] == []
    with pytest.raises(LakeError, match="nobodys-bucket") as raised:
        open_storage(f"s3://nobodys-bucket/x?endpoint=http://{server}").put("a", b"b")
    assert not isinstance(raised.value, UnreachableError)


@pytest.mark.long
@pytest.mark.parametrize("after_bytes", [1_000, 7_000])
def test_a_push_that_the_network_cuts_is_done_by_the_next(
    server: str, tmp_path: Path, after_bytes: int
) -> None:
    url, home = lake_at(server, f"cut-{after_bytes}"), Home(tmp_path)
    way = CutWay(server, after_bytes)
    wanted = Due("s-1", "d-1", "", "source-1")

    def through() -> int:
        storage = open_storage(lake_at(way.address, f"cut-{after_bytes}"))
        return push(storage, home, wanted, invented(1, tmp_path), "gt4", SHELF)

    with pytest.raises(UnreachableError):
        through()
    assert way.cuts
    assert not_there(open_storage(url), home, [wanted]) == [wanted]
    way.mend()
    through()
    way.close()
    assert check_readable(url) == {("d-1", "s-1")}


def test_a_server_that_is_away_may_be_there_later() -> None:
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
    with pytest.raises(UnreachableError):
        list_sessions(open_storage("s3://b/p?endpoint=http://127.0.0.1:9"))
