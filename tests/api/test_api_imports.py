"""A recording that is handed in: taken whole or not at all, imported in the paddock, nothing left behind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import api_daemon
import msgspec
import pytest
from api_client import Client, asking
from typed import typed

from pitwall.api import changes, imports
from pitwall.api.token import published_address
from pitwall.config import Home
from pitwall.contract.push import ImportDone, ImportFailed, ImportLine, ImportProgress
from pitwall.drive.replay import Imported
from pitwall.store import queries
from pitwall.store.queries import rows as stored_rows
from pitwall.store.store import Store
from pitwall.telemetry.recordings import open_recording

DEMO = api_daemon.DEMO


async def lines(response: aiohttp.ClientResponse) -> AsyncIterator[ImportLine]:
    assert response.status == 200, await response.text()
    assert response.content_type == "application/x-ndjson"
    async for line in response.content:
        yield msgspec.json.decode(line, type=ImportLine)


def post(client: Client, content: Any, query: str = "name=demo.vbo") -> Any:
    return client.session.post(f"{client.base}/imports?{query}", data=content)


async def emptied(home: Home) -> None:
    """Wait until the folder of files on their way is empty."""
    while list((home.root / "incoming").iterdir()):  # noqa: ASYNC110 - a thread removes it
        await asyncio.sleep(0.01)


def kept(home: Home) -> list[Path]:
    """What is kept of recordings, wherever it is."""
    return [path for folder in (home.journals, home.damaged) for path in folder.iterdir()]


async def test_a_file_is_imported_told_twice_and_judged(home: Home) -> None:
    home = msgspec.structs.replace(home, driver="Anna")  # the file names nobody
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        async with post(client, DEMO.read_bytes()) as response:
            told = [line async for line in lines(response)]
        done = told[-1]
        assert isinstance(done, ImportDone)
        assert (done.known, done.samples) == (False, 8547)
        assert all(isinstance(line, ImportProgress) for line in told[:-1])
        async with post(client, DEMO.read_bytes(), "name=another+name.vbo") as response:
            [again] = [line async for line in lines(response)]
        assert again == ImportDone(done.session, True, 0)
        [row] = queries.sessions(daemon.store)
        told_of = row.source_name, row.track, row.complete, row.driver
        assert told_of == ("demo.vbo", "sonoma", True, "Anna")
        await emptied(home)
        [job] = await client.json("/jobs")
        assert (job["kind"], job["input"]["session"]) == ("profile", row.id)


async def test_a_log_beside_it_and_named_channels_are_handed_in_too(home: Home, tmp_path: Path) -> None:
    drive = tmp_path / "drive.vbo"
    drive.write_bytes(b"".join(DEMO.read_bytes().splitlines(keepends=True)[:2500]))
    samples = [sample for sample in open_recording(drive).samples() if sample.t > 60.0][::2]
    names = [channel.name for channel in open_recording(drive).info.streams[0].channels]
    at = names.index("speed_mps")
    rows = [
        f"{each.t:.3f},{(each.values[at] or 0.0) * 3.6:.2f},{n % 7 + 80}" for n, each in enumerate(samples)
    ]
    ecu = tmp_path / "ecu.csv"
    ecu.write_text("Time (s),Vehicle Speed (km/h),zz9 (C)\n" + "\n".join(rows) + "\n")
    words = ("import", drive, "--with", ecu, "--channel", "coolant_c=zz9:C")
    async with api_daemon.running(home) as (_, port, _):
        with published_address(home, os.getpid(), f"http://127.0.0.1:{port}"):
            told = await asyncio.to_thread(typed, home, *words)
            known = await asyncio.to_thread(typed, home, "import", drive)
        assert (told.returncode, f"{ecu} joined, shifted by" in told.stderr) == (0, True), told.stderr
        assert "already stored" in known.stdout
        await emptied(home)
    alone = Home(tmp_path / "alone")
    assert typed(alone, *words).returncode == 0
    sql, found = "SELECT count(coolant_c), sum(coolant_c), count(*) FROM frames", []
    for each in (home, alone):
        with Store(each) as store:
            store.open()
            found += stored_rows(store, sql, [])
    assert found[0] == found[1]
    assert found[0][0] > 500


async def test_a_file_that_is_no_recording_is_refused_in_the_readers_words(home: Home) -> None:
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        async with post(client, b"\x00no recording\x00" * 100, "name=notes.txt") as response:
            [failed] = [line async for line in lines(response)]
        assert isinstance(failed, ImportFailed)
        assert failed.error.startswith("notes.txt:1: is of no format we know")
        assert str(home.root) not in failed.error
        await emptied(home)
        assert (queries.sessions(daemon.store), kept(home)) == ([], [])


async def test_a_name_from_outside_becomes_no_path(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    import_recording = changes.import_recording

    def seen(store: Store, path: Path, **options: Any) -> Imported:
        taken.append(path.name)
        return import_recording(store, path, **options)

    monkeypatch.setattr(changes, "import_recording", seen)
    # No file on this disk could have the name: it is too long.
    name = "€" * 116 + ".vbo"
    beginning = b"".join(DEMO.read_bytes().splitlines(keepends=True)[:600])
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        async with post(client, beginning, f"name={name}") as response:
            told = [line async for line in lines(response)]
        assert isinstance(told[-1], ImportDone)
        assert [row.source_name for row in queries.sessions(daemon.store)] == [f"{name[:79]}…"]
        async with post(client, b"\x00no recording\x00" * 100, "name=day.xrk") as response:
            [failed] = [line async for line in lines(response)]
        assert isinstance(failed, ImportFailed)
        assert failed.error.startswith("day.xrk:1: is of no format we know")
    assert taken == ["recording"], "the other one was refused by the process that read it"


async def test_what_can_not_be_taken_now_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        daemon.life = "flying"
        async with post(client, b"x") as response:
            assert response.status == 409
            assert (await response.json())["error"] == "the car is being driven, nothing is imported now"
        daemon.life = "paddock"
        status = daemon.status

        def full() -> Any:
            found = status()
            disk = msgspec.structs.replace(found.disk, free_bytes=600_000_000, floor_bytes=600_000_000)
            return msgspec.structs.replace(found, disk=disk)

        monkeypatch.setattr(daemon, "status", full)
        async with post(client, b"x") as response:
            assert response.status == 507
            assert (await response.json())["error"] == "600 MB are free, and 600 MB must stay free"
        monkeypatch.setattr(daemon, "status", status)
        monkeypatch.setattr(imports, "MOST_BYTES", 10)
        async with post(client, b"more than ten bytes") as response:
            assert response.status == 413
        async with aiohttp.ClientSession() as stranger, post(Client(stranger, port), b"x") as response:
            assert response.status == 401
        assert kept(home) == []


async def test_a_broken_upload_leaves_nothing_behind(home: Home) -> None:
    async with api_daemon.running(home) as (daemon, port, token):
        content = DEMO.read_bytes()
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        head = (
            f"POST /imports?name=demo.vbo HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode() + content[: len(content) // 2])
        await writer.drain()
        incoming = home.root / "incoming"
        while not list(incoming.glob("*/recording")):  # noqa: ASYNC110 - another thread makes it
            await asyncio.sleep(0.01)
        writer.close()
        await emptied(home)
        assert (queries.sessions(daemon.store), kept(home)) == ([], [])


@pytest.mark.long
async def test_an_import_waits_while_the_car_is_driven(home: Home) -> None:
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        async with post(client, DEMO.read_bytes()) as response:
            told = lines(response)
            assert isinstance(await anext(told), ImportProgress)
            daemon.life = "flying"
            while not (line := await anext(told)).waiting:  # type: ignore[union-attr]
                assert isinstance(line, ImportProgress)
            async with post(client, b"x") as other:
                assert other.status in (409, 429)
            daemon.life = "paddock"
            assert isinstance([line async for line in told][-1], ImportDone)


@pytest.mark.long
async def test_a_second_file_waits_for_its_turn_and_the_end_keeps_nothing_of_the_first(home: Home) -> None:
    async with asking(1, "") as session:
        async with api_daemon.running(home) as (daemon, port, token):
            client = Client(session, port)
            session.headers["Authorization"] = f"Bearer {token}"
            response = await post(client, DEMO.read_bytes())
            told = lines(response)
            await anext(told)
            daemon.life = "flying"
            while not (await anext(told)).waiting:  # type: ignore[union-attr]
                pass
            daemon.life = "paddock"
            async with post(client, b"x") as other:
                assert (other.status, other.headers["Retry-After"]) == (429, "5")
            daemon.life = "flying"
        assert kept(home) == []
        assert not list((home.root / "incoming").iterdir())
    with api_daemon.Store(home) as store:
        store.open()
        assert (queries.sessions(store), store.pending) == ([], [])


def test_every_line_is_one_of_three() -> None:
    for line in (ImportProgress(1, True), ImportDone("s", False, 2, ("note",)), ImportFailed("why")):
        assert msgspec.json.decode(msgspec.json.encode(line), type=ImportLine) == line
