"""A driver is forgotten: nothing of theirs is left in any file of lake and phone, looked for byte by byte."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest
from fleet_parts import invented, put_invented
from test_fleet_many import check_readable

from pitwall.cli import main
from pitwall.config import Home
from pitwall.contract.messages import Due
from pitwall.fleet.compact import compact, pull, verify
from pitwall.fleet.forget import forget_in_lake, search_lake
from pitwall.fleet.lake import open_lake
from pitwall.fleet.push import ForgottenError, not_there, push
from pitwall.fleet.storage import open_storage
from pitwall.store.files import replace_file
from pitwall.store.reading import rows
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
            held = word in repr(pq.read_table(path).to_pylist()).encode()
        if held:
            found.append(str(path.relative_to(folder)))
    return found


@pytest.fixture
def two_drivers(made_once: Callable[..., Path], tmp_path: Path) -> Path:
    """A lake with two drivers: some sessions folded, some not, and the leaving of a push that was killed."""
    return Path(shutil.copytree(made_once("two-drivers", make_two_drivers), tmp_path / "lake"))


def make_two_drivers(lake: Path) -> None:
    for number in range(4):
        put_invented(str(lake), "d-anna", number)
        put_invented(str(lake), "d-max", number + 4)
    compact(open_storage(str(lake)), grace_s=0.0)
    compact(open_storage(str(lake)), grace_s=0.0)
    put_invented(str(lake), "d-anna", 8)
    left = lake / "frames" / "track=x" / "driver=d-anna" / "date=unknown" / "s-9.0.parquet"
    left.parent.mkdir(parents=True)
    replace_file(left, b"PAR1 broken off")


def test_nothing_of_a_driver_is_left_in_the_lake(two_drivers: Path, tmp_path: Path) -> None:
    storage = open_storage(str(two_drivers))
    before = set(open_lake(storage).entries)
    assert len(files_with(two_drivers, b"d-anna")) > 5
    gone = forget_in_lake(storage, "d-anna", ("Anna",))
    assert set(gone.sessions) == {f"s-{number}" for number in (0, 1, 2, 3, 8)}
    assert (gone.proof.found, gone.proof.unread) == ((), ())
    for word in (b"d-anna", *(f'"{each}"'.encode() for each in gone.sessions)):
        assert files_with(two_drivers, word) == []
    assert check_readable(str(two_drivers)) == {key for key in before if key[0] == "d-max"}
    due = Due("s-1", "d-anna", "Anna", "source-1")
    with pytest.raises(ForgottenError):
        push(storage, Home(tmp_path / "home"), due, lambda: invented(1, tmp_path), "")
    assert files_with(two_drivers, b"d-anna") == []


@pytest.mark.long
def test_a_damaged_folded_file_goes_too_and_others_push_again(two_drivers: Path, tmp_path: Path) -> None:
    """What can't be read can't be parted: who else stood in it is named, lacks rows, and is whole after the
    next push."""
    storage = open_storage(str(two_drivers))
    lake = open_lake(storage)
    [damaged, *_] = [path for path in lake.storage.listed("laps") if "s-" not in path.path]
    content = bytearray((two_drivers / damaged.path).read_bytes())
    content[4:-8] = bytes(len(content) - 12)
    (two_drivers / damaged.path).write_bytes(content)
    gone = forget_in_lake(storage, "d-anna")
    assert (gone.proof.found, gone.proof.unread, files_with(two_drivers, b"d-anna")) == ((), (), [])
    numbers = sorted(int(each.removeprefix("d-max/s-")) for each in gone.given_up)
    assert numbers
    assert damaged.path not in {found.path for found in storage.listed("")}
    assert verify(storage).damaged
    lacking = [Due(f"s-{number}", "d-max", "Max", f"source-{number}") for number in range(4, 8)]
    assert [int(each.session[2:]) for each in not_there(storage, lacking)] == numbers
    for each in numbers:
        put_invented(str(two_drivers), "d-max", each)
    for _ in range(2):
        assert not_there(storage, lacking) == []
        assert verify(storage).damaged == {}
        assert check_readable(str(two_drivers)) == {("d-max", each.session) for each in lacking}
        compact(storage, grace_s=0.0)


def test_a_manifest_that_names_files_outside_reaches_none_of_them(two_drivers: Path, tmp_path: Path) -> None:
    storage = open_storage(str(two_drivers))
    outside = tmp_path / "other.txt"
    outside.write_text("not the lake's")
    (two_drivers / "out").symlink_to(tmp_path)
    [mine] = (two_drivers / "manifest").glob("one.d-anna.s-8.*")
    entry = json.loads(mine.read_bytes())
    # One reader refuses them; by the last, a link, a path that looks well leads out.
    for led_out in ("../other.txt", f"{tmp_path}/other.txt", "frames/../../other.txt", "out/other.txt"):
        entry["files"][0]["path"] = led_out
        replace_file(mine, json.dumps(entry).encode())
        assert "leads out" in verify(storage).damaged[f"manifest/{mine.name}"], led_out
    pulled = pull(storage, open_storage(str(tmp_path / "pulled")))
    assert any("leads out" in each for each in pulled.damaged)
    compact(storage, grace_s=0.0)
    gone = forget_in_lake(storage, "d-anna", ("Anna",))
    assert (gone.proof.found, files_with(two_drivers, b"d-anna")) == ((), [])
    assert [each.partition(":")[0] for each in gone.proof.unread] == ["out"]
    assert outside.read_text() == "not the lake's"


def test_an_entry_that_names_a_file_of_somebody_else_takes_it_from_nobody(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path / "lake"))
    put_invented(storage.url, "d-anna", 0)
    theirs = put_invented(storage.url, "d-max", 2)
    [mine] = (tmp_path / "lake" / "manifest").glob("one.d-anna.*")
    entry = json.loads(mine.read_bytes())
    entry["files"] += json.loads(msgspec.json.encode(theirs))["files"]
    replace_file(mine, json.dumps(entry).encode())
    forget_in_lake(storage, "d-anna")
    assert verify(storage).damaged == {}
    assert set(open_lake(storage).entries) == {("d-max", "s-2")}


def test_compact_refuses_what_verify_would(tmp_path: Path) -> None:
    """A byte that is another one in a file that can be read, and more rows than a session can have."""
    storage = open_storage(str(tmp_path / "lake"))
    for number in range(0, 8, 2):
        put_invented(storage.url, "d-anna", number)
    changed = []
    for table in ("laps", "sessions"):
        path = next(each.path for each in storage.listed(table) if "month=2025-07" in each.path)
        content = bytearray((tmp_path / "lake" / path).read_bytes())
        content[-20] ^= 1  # in what the writer says of itself
        (tmp_path / "lake" / path).write_bytes(content)
        changed.append(path)
    [claim, *_] = sorted((tmp_path / "lake" / "manifest").glob("one.d-anna.s-6.*"))
    entry = json.loads(claim.read_bytes())
    next(each for each in entry["files"] if each["table"] == "laps")["rows"] = 3_000_000
    replace_file(claim, json.dumps(entry).encode())
    wrong = verify(storage).damaged
    assert set(wrong) == {*changed, f"manifest/{claim.name}"}
    assert "more than 1 sessions can have" in wrong[f"manifest/{claim.name}"]
    done = compact(storage, grace_s=0.0)
    assert set(wrong.values()) <= set(done.damaged)
    assert set(verify(storage).damaged) == set(wrong)


def test_the_search_finds_what_is_left(two_drivers: Path) -> None:
    """In a compressed column, in a name, and in a file that is no Parquet file."""
    found = search_lake(open_storage(str(two_drivers)), ["d-max"]).found
    kinds = {path.partition("/")[0] for path in found}
    assert kinds >= {"frames", "laps", "sessions", "manifest"}
    assert set(found) == set(files_with(two_drivers, b"d-max"))


@pytest.mark.long
def test_a_pulled_lake_is_the_same_and_a_damaged_file_is_named(two_drivers: Path, tmp_path: Path) -> None:
    storage = open_storage(str(two_drivers))
    target = open_storage(str(tmp_path / "pulled"))
    assert (pull(storage, target, driver="d-max").sessions, pull(storage, target).sessions) == (4, 5)
    assert (pull(storage, target).sessions, check_readable(target.url)) == (0, check_readable(storage.url))
    ours, theirs = (
        {key: entry.content for key, entry in open_lake(each).entries.items()} for each in (storage, target)
    )
    assert ours == theirs
    [frames] = [row.path for row in open_lake(target).entries["d-max", "s-4"].files if row.table == "frames"]
    content = bytearray((tmp_path / "pulled" / frames).read_bytes())
    content[len(content) // 2] ^= 0xFF
    (tmp_path / "pulled" / frames).write_bytes(content)
    wrong = verify(target).damaged
    assert list(wrong) == [frames]
    assert frames in wrong[frames]
    assert verify(storage).unnamed == 1, "the leaving of the push that was killed"


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

    assert len(fleet("push", "--all")["sessions"]) == 2  # type: ignore[arg-type]
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
    again = fleet("push", "--all")
    assert (again["sessions"], again["there"]) == ([], 1)


def test_what_is_damaged_in_a_lake_is_whole_again_after_a_push(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = home.root.parent / "lake"
    with Store(home) as store:
        store.open()
        drive(store, "max-drove", "Max", 33.0)

    def fleet(*words: str) -> str:
        main(["--home", str(home.root), "fleet", *words, "--lake", str(lake), "--json"])
        return capsys.readouterr().out

    fleet("push", "--all")
    [frames] = (lake / "frames").rglob("*.parquet")
    frames.write_bytes(frames.read_bytes()[:-100])
    assert "push its session again with --again" in fleet("verify")
    # A push sees the same entry, and has nothing to bring.
    fleet("push", "--all")
    assert frames.name in fleet("verify")
    fleet("push", "--all", "--again")
    assert json.loads(fleet("verify"))["damaged"] == {}
    [entry] = (lake / "manifest").glob("one.*")
    entry.write_bytes(entry.read_bytes()[:-10])
    wrong = json.loads(fleet("verify"))
    assert wrong["sessions"] == 0
    assert "push its session again" in wrong["damaged"][f"manifest/{entry.name}"]
    fleet("push", "--all")
    mended = json.loads(fleet("verify"))
    assert (mended["sessions"], mended["damaged"]) == (1, {})
