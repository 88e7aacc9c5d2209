"""Stored sessions are changed over the API: told as it goes on, in the paddock only."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from api_client import Client, asking
from api_daemon import running

from pitwall.analysis.port import Facts
from pitwall.analysis.session_view import SessionView, session_view
from pitwall.api import judged
from pitwall.config import Home
from pitwall.contract.changes import Changed, ChangeEvent, Working
from pitwall.store import queries
from pitwall.store.store import Store


async def change(client: Client, **body: object) -> list[ChangeEvent]:
    async with client.session.post(client.base + "/changes", json=body) as response:
        assert response.status == 200, await response.text()
        assert response.content_type == "text/event-stream"
        text = await response.text()
    return [
        msgspec.json.decode(line.removeprefix("data: "), type=ChangeEvent)
        for line in text.splitlines()
        if line.startswith("data: ")
    ]


async def test_a_change_is_told_and_its_end_is_the_last_event(
    driven: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As of a change that takes long: the connection is kept by comments meanwhile.
    monkeypatch.setattr("pitwall.api.coach.KEEP_ALIVE_S", 0.001)
    async with running(driven) as (_, port, token), asking(port, token) as session:
        client = Client(session, port)
        [before] = await client.json("/sessions")
        assert isinstance(
            (await change(client, change="rename", session="last", name="the demo"))[-1], Changed
        )
        renamed = await client.json("/sessions/the%20demo")
        assert (renamed["id"], renamed["name"]) == (before["id"], "the demo")
        events = await change(client, change="match", sessions=["the demo"])
        assert [type(event) for event in events] == [Working, Changed] or len(events) > 2
        after = await client.json("/sessions/last")
        assert (after["track"], after["laps"], after["best_lap_s"]) == (
            before["track"], before["laps"], before["best_lap_s"],
        )  # fmt: skip
        assert (await change(client, change="delete", sessions=["the demo"]))[-1].sessions == (before["id"],)  # type: ignore[union-attr]
        assert await client.json("/sessions") == []
        await change(client, change="restore", sessions=[before["id"]])
        assert (await client.json("/sessions/the%20demo"))["laps"] == before["laps"]


async def test_a_view_is_worked_out_once_until_something_of_it_changes(
    driven: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def counted(*given: Any) -> SessionView:
        made.append(given[1].name)
        return session_view(*given)

    monkeypatch.setattr(judged, "session_view", counted)
    async with running(driven) as (_, port, token), asking(port, token) as session:
        client = Client(session, port)
        first = await client.json("/sessions/last/view")
        assert await client.json("/sessions/last/view") == first
        async with session.get(
            f"{client.base}/sessions/last/view", headers={"Accept-Encoding": "identity"}
        ) as plain:
            assert await plain.json() == first
        assert made == [""]
        await change(client, change="rename", session="last", name="the demo")
        assert (await client.json("/sessions/last/view"))["session"] == "the demo"
        assert made == ["", "the demo"]
        sent = {str(lap["lap"]): lap["columns"] for lap in first["laps"] if lap["columns"]}
        seen = [str(lap["lap"]) for lap in first["laps"] if lap["seen"]]
        assert 2 < len(sent) < len(seen), "a view comes with the laps that are looked at first"
        every = await client.json(f"/sessions/last/columns?laps={','.join(seen)}")
        assert list(every) == seen
        assert sent.items() <= every.items()
        await client.json("/sessions/last/columns?laps=all", 400)
        for kept in driven.would.iterdir():
            kept.write_bytes(kept.read_bytes()[:8] + b"cut")
        assert (await client.json("/sessions/last/view"))["session"] == "the demo"
        assert len(made) == 3, "a damaged one is made again"


def test_a_kept_view_is_old_only_where_a_row_of_it_changed(driven: Home) -> None:
    with Store(driven) as store:
        store.open()
        row = queries.session(store, "last")

        def stamp(**changed: object) -> str:
            facts = Facts(store)
            others = [
                msgspec.structs.replace(row, id="of another", source_digest="other", kind="live", **changed)
            ]
            facts.sessions = lambda: [row, *others]  # type: ignore[method-assign]
            return judged._stamp_of_view(facts, row, ())

        alone = stamp(best_lap_s=None)
        assert stamp(best_lap_s=1.0, driver="a friend") == alone
        assert stamp(best_lap_s=1.0, track="elsewhere") == alone
        assert stamp(best_lap_s=1.0) != alone, "his own best lap here is one that the view speaks of"


async def test_what_can_t_be_changed_is_refused(driven: Home) -> None:
    async with running(driven) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)

        async def refused(status: int, **body: object) -> Any:
            return await client.json("/changes", status, method="POST", json=body)

        unknown = await refused(404, change="rename", session="nosuch", name="x")
        assert "pitwall sessions" in unknown["what_to_do"]
        await refused(409, change="restore", sessions=["nosuch"])
        await refused(400, change="rename", session="last", name="../x")
        await refused(400, change="burn", session="last")
        daemon.life = "flying"
        moving = await refused(409, change="rename", session="last", name="x")
        assert "paddock" in moving["what_to_do"]


async def test_any_recorded_signal_is_listed_and_read_by_lap(driven: Home) -> None:
    async with running(driven) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        names = {each["name"]: each["unit"] for each in await client.json("/sessions/last/signals")}
        assert (names["rpm"], names["altitude_m"]) == ("1/min", "m")
        laps = {each["lap"]: each for each in await client.json("/sessions/last/laps")}
        found = await client.json("/sessions/last/signal?name=altitude_m&laps=1,2")
        for number in (1, 2):
            lap, read = laps[number], found[str(number)]
            sql = "SELECT t, altitude_m FROM frames WHERE lap = ? AND altitude_m IS NOT NULL ORDER BY t"
            truth = daemon.store.cursor().execute(sql, [number]).fetchall()
            assert len(read) > 0.9 * len(truth)
            by_t = {round(t - lap["start_t"], 3): value for t, value in truth}
            assert all(by_t.get(round(t, 3)) == value for t, value in read[1:-1])
        assert await client.json("/sessions/last/signal?name=no_such&laps=1") == {"1": []}
