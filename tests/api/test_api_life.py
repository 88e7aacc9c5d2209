"""The API's own life: it ends with everything open, stops what nobody waits for, and never piles it up."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import api_daemon
import pytest
from api_client import Client, asking, mute

from pitwall.api.app import ServeError
from pitwall.coach.cue import Callout
from pitwall.config import Home
from pitwall.contract.problems import Refused
from pitwall.store.readers import SLOTS, THREADS, Pool, Reader
from pitwall.store.store import Store

LONG = "SELECT sum(sin(range)) FROM range(100000000000)"


class Watched:
    """The real SQL gate, with a light at its beginning and its end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began, self.ended = threading.Event(), threading.Event()
        # What ends the question in these tests must be the client, not the clock.
        monkeypatch.setattr("pitwall.store.sqlgate.TIME_LIMIT_S", 600.0)
        monkeypatch.setattr("pitwall.store.readers.TIME_LIMIT_S", 600.0)
        real = Reader.ask

        def ask(reader: Reader, sql: str) -> object:
            self.began.set()
            try:
                return real(reader, sql)
            finally:
                self.ended.set()

        monkeypatch.setattr(Reader, "ask", ask)


async def seen(light: threading.Event) -> bool:
    return await asyncio.to_thread(light.wait, 20)


async def test_a_client_that_goes_away_takes_his_question_with_him(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(monkeypatch)
    async with api_daemon.running(home) as (_, port, token):
        async with asking(port, token) as session:
            asked = asyncio.create_task(Client(session, port).sql(LONG))
            assert await seen(watched.began)
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
        assert await seen(watched.ended)


async def test_it_ends_with_everything_open_and_leaves_nothing_behind(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(monkeypatch)
    before, threads = asyncio.all_tasks(), threading.active_count()
    async with aiohttp.ClientSession() as session:
        async with api_daemon.running(home) as (daemon, port, token):
            base, shown = f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {token}"}
            events = await session.get(base + "/live", headers=shown)
            asked = asyncio.create_task(session.post(base + "/sql", json={"sql": LONG}, headers=shown))
            assert await seen(watched.began)
            assert daemon.live.status().clients == 1
        assert watched.ended.is_set()
        text = await events.text()
        assert text.startswith("data: ")
        answer = await asyncio.gather(asked, return_exceptions=True)
        assert isinstance(answer[0], aiohttp.ClientError) or answer[0].status == 503  # type: ignore[union-attr]
        for response in (*answer, events):
            if isinstance(response, aiohttp.ClientResponse):
                response.release()
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get(base + "/health")
    await asyncio.sleep(0)
    assert {task for task in asyncio.all_tasks() if not task.done()} <= before
    assert not [each.name for each in threading.enumerate() if each.name.startswith("api")]
    assert threading.active_count() <= threads + 1  # asyncio.to_thread's own, of this test


async def test_an_address_that_is_taken_is_an_error_that_names_it(home: Home) -> None:
    async with api_daemon.running(home) as (daemon, port, token):
        with pytest.raises(ServeError, match=f"127.0.0.1:{port} can't be had"):
            async with api_daemon.serve(api_daemon.make_app(daemon, token=token), "127.0.0.1", port):
                pass
        async with asking(port, token) as session:
            assert (await Client(session, port).json("/health"))["ok"]


@contextmanager
def opened(home: Home) -> Iterator[Store]:
    with Store(home) as store:
        store.open()
        yield store


async def test_questions_wait_in_a_short_line_and_the_rest_is_sent_away(home: Home) -> None:
    go, arrived = threading.Event(), threading.Semaphore(0)

    def work(reader: Reader) -> int:
        arrived.release()
        go.wait(20)
        return 1

    with opened(home) as store:
        pool = Pool()
        tasks = [asyncio.create_task(pool.run(store, work)) for _ in range(SLOTS)]
        for _ in range(THREADS):
            assert await asyncio.to_thread(arrived.acquire, timeout=120)
        with pytest.raises(Refused) as refused:
            await pool.run(store, work)
        assert refused.value.status == 429
        assert refused.value.headers["Retry-After"] == "1"
        assert not arrived.acquire(blocking=False)
        go.set()
        assert await asyncio.gather(*tasks) == [1] * SLOTS
        assert await pool.run(store, work) == 1
        assert pool.busy == 0
        await pool.close()


def test_the_port_and_the_hub_load_no_aiohttp() -> None:
    code = "import sys, pitwall.api.port, pitwall.api.answers; print('aiohttp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


async def test_clients_that_do_not_answer_do_not_hold_up_the_end(home: Home) -> None:
    with opened(home) as store:
        daemon = api_daemon.SmallDaemon(store)
        serving = api_daemon.serve(api_daemon.make_app(daemon, token="x" * 43), "127.0.0.1", 0)
        port = await serving.__aenter__()
        clients = [mute(port, path, "x" * 43) for path in ("/live", "/live", "/health")]
        for client in clients:
            assert await asyncio.to_thread(client.recv, 8) == b"HTTP/1.1"
        # Until both viewers are stuck in a write.
        async with asyncio.timeout(30):
            while daemon.live.status().missed < 1000:
                daemon.live.publish_callout(Callout(1, 0.1, "Brake at the bridge", 1.5, False))
                await asyncio.sleep(0)  # a turn of the loop, after each publication
        # All that `pitwall run` has for its end.
        async with asyncio.timeout(3):
            await serving.__aexit__(None, None, None)
        for client in clients:
            client.close()
    assert daemon.live.status().clients == 0
