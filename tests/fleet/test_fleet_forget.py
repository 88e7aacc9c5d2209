"""A driver is forgotten: nothing of theirs is left in any file of lake and phone, looked for byte by byte."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fleet_parts import SHELF, check_readable, invented, put_invented

from pitwall.cli import main
from pitwall.config import Home, OutsideError
from pitwall.contract.messages import Due
from pitwall.fleet.answers import leaderboard
from pitwall.fleet.build import build
from pitwall.fleet.forget import forget_in_lake, search
from pitwall.fleet.lake import list_sessions, open_storage
from pitwall.fleet.push import ForgottenError, not_there, push
from pitwall.store.queries import rows
from pitwall.store.store import Store
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings.journal import SessionMeta
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.track.lap import Lap, Position

STREAM = Stream(0, "car", (Channel("speed_mps", "m/s", "velocity"), Channel("battery_v", "V", "Battery")))
# Telltales of Anna: an odd speed that stands in each of her samples.
HER_SPEED = 41.123456789


def files_with(folder: Path, word: bytes) -> list[str]:
    """Files of which the name, the bytes, or a value of a Parquet file hold this."""
    found = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        held = word in str(path.relative_to(folder)).encode() or word in path.read_bytes()
        if path.suffix == ".parquet" and not held and path.read_bytes().endswith(b"PAR1"):
            held = word in repr(pq.ParquetFile(path).read().to_pylist()).encode()
        if held:
            found.append(str(path.relative_to(folder)))
    return found


@pytest.fixture
def two_drivers(tmp_path: Path) -> Path:
    """A lake with two drivers that was built, and the leaving of a push that was killed."""
    storage = open_storage(str(tmp_path / "lake"))
    for number in range(3):
        put_invented(storage.url, "d-anna", number)
        put_invented(storage.url, "d-max", number + 3)
    build(storage, SHELF)
    (tmp_path / "lake/sessions/driver=d-anna/.abc.new").write_bytes(b"PAR1 broken off")
    return tmp_path / "lake"


def test_nothing_of_a_driver_is_left_in_the_lake(two_drivers: Path, tmp_path: Path) -> None:
    storage = open_storage(str(two_drivers))
    before = {each[:2] for each in list_sessions(storage)}
    assert len(files_with(two_drivers, b"d-anna")) > 5
    gone = forget_in_lake(storage, "d-anna", SHELF, ("Anna",))
    assert set(gone.sessions) == {"s-0", "s-1", "s-2"}
    assert (gone.found, gone.unread) == ((), ())
    for word in (b"d-anna", *(f"{each}".encode() for each in gone.sessions)):
        assert files_with(two_drivers, word) == []
    assert not list(two_drivers.rglob("*d-anna*"))
    assert check_readable(str(two_drivers)) == {key for key in before if key[0] == "d-max"}
    assert {row["driver"] for row in leaderboard(storage, "sonoma")["rows"]} == {"d-max"}
    due, home = Due("s-1", "d-anna", "Anna", "source-1"), Home(tmp_path / "home")
    with pytest.raises(ForgottenError):
        push(storage, home, due, invented(1, tmp_path), "", SHELF)
    assert files_with(two_drivers, b"d-anna") == []
    assert not_there(storage, home, [due], again=True) == [due]
    push(storage, home, due, invented(1, tmp_path), "", SHELF)
    assert ("d-anna", "s-1") in check_readable(str(two_drivers))


def test_the_search_finds_what_is_left(two_drivers: Path) -> None:
    """In a compressed column, in a name, in a file that is no Parquet; what can't be read is named."""
    (two_drivers / "note.txt").write_text("d-max was here")
    found = search(open_storage(str(two_drivers)), ["d-max"]).found
    assert {path.partition("/")[0] for path in found} == {"sessions", "derived", "note.txt"}
    assert set(found) == set(files_with(two_drivers, b"d-max"))
    [laps] = (two_drivers / "derived" / "laps").rglob("*.parquet")
    laps.write_bytes(laps.read_bytes()[:-20])
    assert len(search(open_storage(str(two_drivers)), ["d-max"]).unread) == 1
    # What is derived is made again rather than left unread.
    gone = forget_in_lake(open_storage(str(two_drivers)), "d-anna", SHELF)
    assert (gone.found, gone.unread) == ((), ())


def test_a_link_in_a_lake_leads_nowhere(two_drivers: Path, tmp_path: Path) -> None:
    storage = open_storage(str(two_drivers))
    (tmp_path / "out").mkdir()
    [path, *_] = sorted((two_drivers / "sessions" / "driver=d-max").glob("s-3.*"))
    path.rename(tmp_path / "out" / path.name)
    path.symlink_to(tmp_path / "out" / path.name)
    (two_drivers / "sessions" / "driver=d-evil").symlink_to(tmp_path / "out")
    with pytest.raises(OutsideError):
        storage.put("sessions/driver=d-evil/s-9.x", b"x")
    with pytest.raises(OutsideError):
        storage.read(f"sessions/driver=d-max/{path.name}")
    storage.delete_folder("sessions/driver=d-max")
    assert (tmp_path / "out" / path.name).is_file()


def drive(store: Store, session: str, driver: str, speed_mps: float) -> None:
    """A short live session of a driver."""
    meta = SessionMeta(
        id=session, kind="live", created_utc_s=1.75e9, track="sonoma", driver=driver, start_utc_s=1.75e9
    )
    writer = store.begin(meta, lossless=True)
    writer.keep_stream(STREAM)
    writer.row_stream(STREAM)
    for number in range(300):
        sample = Sample(0, number / 10, (speed_mps, 12.0 + number))
        place = Position(sample.t, float(number), 0.5, "on")
        writer.row(writer.keep(sample), Frame(sample.t, speed_mps=speed_mps), place, 1)
    writer.lap(Lap(1, "flying", 0.0, 29.9, 29.9))
    writer.close()


def test_forgotten_on_the_phone_too(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """By name, with the command; the other driver's sessions are as they were."""
    lake = str(home.root.parent / "lake")
    with Store(home) as store:
        store.open()
        drive(store, "anna-drove", "Anna Bell", HER_SPEED)
        drive(store, "max-drove", "Max", 33.0)
        store.put(
            "INSERT INTO lessons (id, track, corner, text, evidence, verified, created_utc_s, kind, driver) "
            "VALUES ('fault-1', 'sonoma', 'turn_7', 'Anna Bell brakes', '[]', true, 1, 'fault', 'Anna Bell')",
            [],
        )
        store.put(
            "INSERT INTO conversations VALUES (1, 'anna-drove', 1.0, 'driver', 'Anna Bell asks', '')", []
        )
    (home.damaged / "anna-drove.pwj.tail").write_bytes(b"Anna Bell")

    def fleet(*words: str) -> dict[str, object]:
        code = main(["--home", str(home.root), "fleet", *words, "--lake", lake, "--json"])
        told: dict[str, object] = json.loads(capsys.readouterr().out) | {"code": code}
        return told

    assert len(fleet("push", "--all")["result"]["done"]) == 2  # type: ignore[index]
    her_bytes = struct.pack(">d", HER_SPEED)
    assert any(her_bytes in path.read_bytes() for path in home.journals.iterdir())
    told = fleet("forget", "anna  bell")
    assert (told["code"], told["sessions"]) == (0, ["anna-drove"])
    for word in (b"Anna Bell", b"anna-drove", her_bytes, struct.pack("<d", HER_SPEED)):
        assert files_with(home.root, word) == []
        assert files_with(Path(lake), word) == []
    with Store(home) as store:
        store.open()
        assert not store.lines
        assert rows(store, "SELECT id, driver FROM sessions", []) == [("max-drove", "Max")]
        assert rows(store, "SELECT count(*) FROM lessons", []) == [(0,)]
        assert rows(store, "SELECT count(*) FROM frames", []) == [(300,)]
    again: dict[str, object] = fleet("push", "--all")["result"]  # type: ignore[assignment]
    assert (again["done"], again["there"]) == ({}, 1)
