"""A lake in a bucket of a real S3 server: as in a folder, and nothing is half there when it is cut off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet_parts import invented, put_invented
from s3_server import CutWay, lake_at, s3_server
from test_fleet_many import check_pushed_at_once, check_readable

from pitwall.config import Home
from pitwall.contract.messages import Due
from pitwall.fleet.compact import compact
from pitwall.fleet.lake import open_lake
from pitwall.fleet.push import push
from pitwall.fleet.storage import LakeError, UnreachableError, open_storage


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.mark.long
def test_a_bucket_is_read_as_a_folder_is(server: str, tmp_path: Path) -> None:
    url, folder = lake_at(server, "read"), str(tmp_path / "lake")
    for number in range(3):
        entries = [put_invented(each, "d-1", number) for each in (url, folder)]
        assert entries[0].content == entries[1].content
    check_readable(url)
    compact(open_storage(url), grace_s=0.0)
    assert check_readable(url) == check_readable(folder)
    for table in ("laps", "frames"):
        ours, theirs = (
            open_lake(each).read(table).sort_by([("session", "ascending")]) for each in (url, folder)
        )
        assert ours.equals(theirs)


@pytest.mark.long
@pytest.mark.parametrize("after_bytes", [1_000, 9_000, 40_000])
def test_a_push_that_the_network_cuts_goes_on_where_it_was(
    server: str, tmp_path: Path, after_bytes: int
) -> None:
    url = lake_at(server, f"cut-{after_bytes}")
    way = CutWay(server, after_bytes)
    home = Home(tmp_path)
    wanted = Due("s-1", "d-1", "", "source-1")
    made = 0

    def gather() -> object:
        nonlocal made
        made += 1
        return invented(1, tmp_path)

    def through() -> int:
        storage = open_storage(lake_at(way.address, f"cut-{after_bytes}"))
        return push(storage, home, wanted, gather, "gt4")  # type: ignore[arg-type]

    with pytest.raises(UnreachableError):
        through()
    assert way.cuts
    assert check_readable(url) == set()
    way.mend()
    through()
    way.close()
    assert made <= 1, "what was ready is not made again"
    assert check_readable(url) == {("d-1", "s-1")}


def test_a_bucket_that_is_not_there_is_named(server: str) -> None:
    with pytest.raises(LakeError, match="nobodys-bucket") as raised:
        open_lake(f"s3://nobodys-bucket/x?endpoint=http://{server}").storage.put_bytes("a", b"b")
    assert not isinstance(raised.value, UnreachableError)


def test_a_server_that_is_away_may_be_there_later() -> None:
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
    with pytest.raises(UnreachableError):
        open_lake("s3://b/p?endpoint=http://127.0.0.1:9")


@pytest.mark.long
def test_processes_push_into_a_bucket_and_are_killed(server: str, tmp_path: Path) -> None:
    # More of them: test_fleet_many.py.
    check_pushed_at_once(lake_at(server, "many"), tmp_path, seed=0, drivers=2)
