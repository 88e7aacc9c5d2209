"""A track that is built beside the running daemon: known while the car stands, and driven on at once."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from club import club_circuit
from fast_service import CAR, CHANNELS, GPS, LAPS, Drive, Item, Running, running
from until import until

from pitwall.config import Home
from pitwall.daemon.sessions.place import KnownTracks, LapCount
from pitwall.drive.prepare import known_tracks, world_circuits
from pitwall.drive.rebuild import match_again
from pitwall.drive.replay import Replay, ReplayOptions, import_file
from pitwall.settings import LimitSettings
from pitwall.store.queries import SessionRow, corner_passes, cues, laps, sessions
from pitwall.store.store import Store
from pitwall.telemetry.frame import Frame
from pitwall.track.model import Track

# Sonoma's own shape, a degree further east: nobody knows it there.
EAST_DEG = 1.0
STANDS_S = 15.0
LAT, LON = CHANNELS[GPS].index("lat_deg"), CHANNELS[GPS].index("lon_deg")


def eastward(item: Item) -> Item:
    if item.lane != GPS:
        return item
    lon_deg = item.values[LON]
    assert lon_deg is not None
    return msgspec.structs.replace(
        item, values=(*item.values[:LON], lon_deg + EAST_DEG, *item.values[LON + 1 :])
    )


def there(item: Item, track: Track, place_deg: tuple[float, float]) -> Item:
    """The same reading as far from a place as it was from the track's first point."""
    if item.lane != GPS:
        return item
    values = list(item.values)
    for column, from_deg, to_deg in zip((LAT, LON), track.centreline[0], place_deg, strict=False):
        values[column] = (values[column] or from_deg) - from_deg + to_deg
    return msgspec.structs.replace(item, values=tuple(values))


def eastern_track(home: Home) -> Track:
    track = known_tracks(home)[0]["sonoma"]
    gate = track.gate
    return msgspec.structs.replace(
        track,
        id="east",
        name="East",
        gate=msgspec.structs.replace(
            gate, a_lon_deg=gate.a_lon_deg + EAST_DEG, b_lon_deg=gate.b_lon_deg + EAST_DEG
        ),
        centreline=[(lat, lon + EAST_DEG, alt) for lat, lon, alt in track.centreline],
        pit_lane=[(lat, lon + EAST_DEG, *rest) for lat, lon, *rest in track.pit_lane],
    )


def write(home: Home, track: Track) -> Path:
    path = home.track_data / f"{track.id}.json"
    path.write_bytes(msgspec.json.encode(track))
    return path


def standing(items: list[Item]) -> list[Item]:
    """The last reading of each lane again and again, and the car does not move."""
    last = {item.lane: item for item in items}
    still = {
        lane: [
            0.0 if "speed" in name else value for name, value in zip(CHANNELS[lane], item.values, strict=True)
        ]
        for lane, item in last.items()
    }
    return [
        Item(lane, item.t + tenth / 10.0, item.source_s + tenth / 10.0, tuple(still[lane]))
        for tenth in range(1, int(STANDS_S * 10))
        for lane, item in ((CAR, last[CAR]), (GPS, last[GPS]))
    ]


def later(item: Item) -> Item:
    return msgspec.structs.replace(item, t=item.t + STANDS_S, source_s=item.source_s + STANDS_S)


async def lap_on(run: Running, items: list[Item]) -> None:
    """Drive on until the track is recognised."""
    await run.drive(items[:6_000])
    track = run.service.keeper.current.path.track
    assert track is not None
    assert track.id == "east"


@pytest.mark.long
async def test_a_track_built_in_a_session_on_no_track_is_found_when_the_drive_goes_on(
    spoken_home: Home, drive: Drive
) -> None:
    items = [eastward(item) for item in drive.items]
    async with running(spoken_home) as run:
        await run.drive(items[:3_000])
        session = run.service.keeper.current.id
        assert session
        assert run.service.keeper.current.path.track is None
        await run.drive(standing(items[:3_000]))
        await until(run.service.keeper.parked.is_set)
        write(spoken_home, eastern_track(spoken_home))
        await until(lambda: "east" in run.service.known.tracks)
        await lap_on(run, [later(item) for item in items[3_000:]])
        assert run.service.keeper.current.id == session


@pytest.mark.long
async def test_a_circuit_that_nobody_knows_is_built_while_it_is_driven(
    spoken_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fast_service.LAPS", 5)
    monkeypatch.setattr("pitwall.daemon.sessions.place.LOOK_EVERY_S", 0.1)
    drive = Drive(spoken_home, club_circuit((-30.1, 21.2)))
    built_t = drive.lap(4).start_t + 5.0
    async with running(spoken_home) as run:
        keeper, known = run.service.keeper, run.service.known
        await run.drive(item for item in drive.items if item.t < built_t)
        assert keeper.current.path.track is None
        await until(lambda: any(name.startswith("new_circuit") for name in known.tracks))
        await run.drive(item for item in drive.items if item.t >= built_t)
        track, session = keeper.current.path.track, keeper.current.id
        assert track is not None
        assert track.corners[0].name == "Turn 1"
    with Store(spoken_home) as store:
        store.open()
        corners = {each.corner for each in corner_passes(store, session) if each.lap}
        assert corners == {corner.id for corner in track.corners}


def test_laps_of_a_road_are_none_and_a_build_that_failed_is_tried_again() -> None:
    counter = LapCount()
    for second in range(400):
        counter.feed(Frame(float(second), -30.1 + second * 2e-4, 21.2))
    assert (counter.laps, counter.due()) == (0, False)
    due = []
    for second in range(1_000):  # a ring of 1 km in 50 s
        angle = 2.0 * math.pi * second / 50.0
        counter.feed(Frame(400.0 + second, -31.0 + 1.4e-3 * math.sin(angle), 21.2 + 1.6e-3 * math.cos(angle)))
        if counter.due():
            due.append(counter.laps)
    assert due == [3, 5, 7, 9]


async def test_a_bad_file_is_a_note_and_one_that_goes_is_forgotten(spoken_home: Home) -> None:
    path = write(spoken_home, eastern_track(spoken_home))
    async with running(spoken_home) as run:
        assert "east" in run.service.known.tracks
        path.write_text("{}")
        await until(lambda: "east" not in run.service.known.tracks)
        assert any(str(path) in note for note in run.service.status().notes)
        assert "sonoma" in run.service.known.tracks


async def test_on_a_known_track_nothing_changes_under_the_car(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.daemon.sessions.place.LOOK_EVERY_S", 0.0)
    known = KnownTracks(home)
    write(home, eastern_track(home))
    driven_on, told = 20, list[object]()

    def free() -> bool:
        nonlocal driven_on
        driven_on -= 1
        assert driven_on < 0 or "east" not in known.tracks
        return driven_on < 0

    following = asyncio.create_task(known.follow(free, told.append))
    await until(lambda: bool(told))
    following.cancel()
    assert told == [["east"]]


async def test_a_car_that_stands_at_a_circuit_of_the_world_finds_it_known(
    spoken_home: Home, drive: Drive
) -> None:
    spa = known_tracks(spoken_home)[0]["sonoma"], (50.4433, 5.9650)
    moved = [there(item, *spa) for item in standing(drive.items[:3_000])]
    async with running(spoken_home) as run:
        await run.drive(moved)
        await until(lambda: "spa_francorchamps" in run.service.known.tracks)
    assert (spoken_home.track_data / "spa_francorchamps.json").is_file()


async def test_a_car_that_drives_where_no_track_is_known_finds_the_circuits_around_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.daemon.sessions.place.LOOK_EVERY_S", 0.0)
    known, told = KnownTracks(home), list[list[str]]()
    place: tuple[float, float] | None = (50.4433, 5.9650)
    following = asyncio.create_task(
        known.follow(lambda: False, lambda changed: told.append(list(changed)), lambda: place)
    )
    await until(lambda: bool(told))
    following.cancel()
    assert "spa_francorchamps" in told[0]
    assert known.tracks["spa_francorchamps"].corners


@pytest.mark.long
async def test_another_layout_than_the_known_one_is_found_under_the_car(
    spoken_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Cup course, where the home knows the long one."""
    monkeypatch.setattr("pitwall.daemon.sessions.place.LOOK_EVERY_S", 0.0)
    circuits = world_circuits()
    cup = circuits.get("sonoma_raceway_sonoma_cup")
    assert cup is not None
    drive = Drive(spoken_home, circuits.track(cup))
    lap_s = drive.times()[1]
    async with running(spoken_home) as run:
        keeper = run.service.keeper

        def track() -> str:
            return keeper.current.path.track.id if keeper.current.path.track is not None else ""

        parts = (0.0, 0.2 * lap_s, 1.6 * lap_s, 1e9)
        for number, (begin_s, end_s) in enumerate(pairwise(parts)):
            if number == 1:
                assert track() == "sonoma"
            elif number == 2:
                await until(lambda: cup.id in run.service.known.tracks)
            await run.drive(item for item in drive.items if begin_s <= item.t < end_s)
        assert track() == cup.id
        session = keeper.current.id
    assert (spoken_home.track_data / f"{cup.id}.json").is_file()
    with Store(spoken_home) as store:
        store.open()
        assert stored_session(store, session).track == cup.id
        last = [lap for lap in laps(store, session) if lap.kind == "flying"][-1]
        assert last.time_s == pytest.approx(drive.times()[LAPS], abs=0.1)


@pytest.mark.long
async def test_a_session_on_a_known_track_keeps_it(spoken_home: Home, drive: Drive) -> None:
    write(spoken_home, eastern_track(spoken_home))
    items = [eastward(item) for item in drive.items]
    async with running(spoken_home) as run:
        assert run.service.off_track()
        await lap_on(run, items)
        assert not run.service.off_track()
        await run.drive(standing(items[:6_000]))
        await until(run.service.keeper.parked.is_set)
        assert not run.service.off_track()


@pytest.mark.long
async def test_a_session_that_is_over_is_measured_again_once_its_track_is_known(
    spoken_home: Home, drive: Drive
) -> None:
    limits = LimitSettings(continue_within_s=0.0)
    async with running(spoken_home, limits=limits) as run:
        await run.drive(eastward(item) for item in drive.items)
        session = run.service.keeper.current.id
    async with running(spoken_home, limits=limits) as run:
        store = run.service.store
        await until(lambda: store.pending == [] and bool(laps(store, session)))
        assert (stored_session(store, session).track, laps(store, session)[-1].time_s) == ("", None)
        assert not corner_passes(store, session)
        write(spoken_home, eastern_track(spoken_home))
        await until(lambda: any(session in note and "east" in note for note in run.service.status().notes))
        assert stored_session(store, session).track == "east"
        times = {lap.number: lap.time_s for lap in laps(store, session) if lap.kind == "flying"}
        assert times.keys() == drive.times().keys()
        for number, time_s in drive.times().items():
            assert times[number] == pytest.approx(time_s, abs=0.03)
        corners = {each.id for each in eastern_track(spoken_home).corners}
        assert {each.corner for each in corner_passes(store, session) if each.lap == 1} == corners
        frames = count(store, "frames", session)
    with Store(spoken_home) as store:
        store.open()
        assert store.pending == []
        assert count(store, "frames", session) == frames == len({*seqs(store, session)})


def stored_session(store: Store, session: str) -> SessionRow:
    return next(row for row in sessions(store) if row.id == session)


def seqs(store: Store, session: str) -> list[int]:
    rows = store.cursor().execute("SELECT seq FROM frames WHERE session = ?", [session]).fetchall()
    return [seq for (seq,) in rows]


def count(store: Store, table: str, session: str) -> int:
    rows = store.cursor().execute(f"SELECT count(*) FROM {table} WHERE session = ?", [session]).fetchall()
    return int(rows[0][0])


@pytest.mark.long
async def test_a_drive_of_another_phone_is_imported_with_its_laps_and_its_ledger(
    spoken_home: Home, drive: Drive, tmp_path: Path
) -> None:
    async with running(spoken_home) as run:
        await run.drive(drive.items)
        session = run.service.keeper.current.id
    with Store(spoken_home) as store:
        store.open()
        driven = (laps(store, session), corner_passes(store, session), cues(store, session))
    journal = spoken_home.journals / f"{session}.pwj"
    assert any(cue.outcome == "spoken" for cue in driven[2])
    home = Home(tmp_path / "elsewhere")
    shutil.copytree(spoken_home.clips, home.clips, copy_function=os.link)
    with Store(home) as store:
        store.open()
        imported = import_file(journal, home, store).session
        assert stored_session(store, imported).track == "sonoma"
        for again in (False, True):
            if again:
                match_again(home, store, imported)
            found = (laps(store, imported), corner_passes(store, imported), cues(store, imported))
            assert found == driven
        replay = Replay(home.journals / f"{imported}.pwj", home, store, ReplayOptions())
        assert replay.track_name == "Sonoma Raceway, long course"
