"""What the routes answer: what the commands print, what DuckDB has, and refusals that one understands."""

from __future__ import annotations

import api_daemon
import pytest
from api_client import Client, asking

from pitwall.config import Home


async def test_a_trace_is_what_duckdb_has(driven: Home) -> None:
    async with api_daemon.running(driven) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        trace = await client.json("/sessions/last/laps/2/trace")
        lap = trace["lap"]
        cursor = daemon.store.cursor()
        names = ", ".join(trace["columns"])
        inside = cursor.execute(
            f"SELECT {names} FROM frames WHERE t BETWEEN ? AND ? ORDER BY t", [lap["start_t"], lap["end_t"]]
        ).fetchall()
        cursor.close()
    rows = [tuple(row) for row in trace["rows"]]
    assert lap["time_s"] == pytest.approx(lap["end_t"] - lap["start_t"])
    assert len(rows) > 1000
    assert rows[1:-1] == inside
    assert rows[0][0] < lap["start_t"] < rows[1][0]
    assert rows[-2][0] < lap["end_t"] < rows[-1][0]


async def test_a_session_may_be_named_by_its_beginning_and_an_unknown_one_is_told(driven: Home) -> None:
    async with api_daemon.running(driven) as (_, port, token), asking(port, token) as session:
        client = Client(session, port)
        [row] = await client.json("/sessions")
        assert await client.json(f"/sessions/{row['id'][:10]}") == row
        assert await client.json("/sessions/last") == row
        async with session.get(client.base + "/sessions") as response:
            assert response.headers["Cache-Control"] == "no-store"
            assert response.headers["X-Content-Type-Options"] == "nosniff"
        told = await client.json("/sessions/nosuch/laps", 404)
        assert row["id"] in told["error"]
        told = await client.json("/sessions/last/laps/77/trace", 404)
        assert "has no lap 77" in told["error"]
        assert "0 to" in told["error"]
        told = await client.json("/tracks/nosuch", 404)
        assert "sonoma" in told["error"]
        told = await client.json("/sessions?sort=best", 400)
        assert "sort" in told["error"]


async def test_sql_answers_and_refusals_are_values_and_any_value_is_json(driven: Home) -> None:
    async with api_daemon.running(driven) as (_, port, token), asking(port, token) as session:
        client = Client(session, port)
        answer = await client.sql("SELECT count(*) AS laps FROM laps WHERE kind = 'flying'")
        assert answer == {"type": "answer", "columns": ["laps"], "rows": [[5]], "more": False}
        refusal = await client.sql("DROP TABLE laps")
        assert refusal["type"] == "refusal"
        assert "DROP" in refusal["reason"]
        odd = await client.sql(
            "SELECT 'nan'::DOUBLE, 170141183460469231731687303715884105727::HUGEINT, 'ab'::BLOB, "
            "MAP {[1]: 'x'}, DATE '2026-01-02', INTERVAL 3 DAY, 1.5::DECIMAL(9,2), uuid() IS NOT NULL, "
            "{'a': [1, NULL]}, '\\u0000'"
        )
        [row] = odd["rows"]
        assert row[0] is None
        # An integer that is longer than any machine's comes as text.
        assert row[1] == "170141183460469231731687303715884105727"
        assert row[4] == "2026-01-02"
        assert row[7:9] == [True, {"a": [1, None]}]
        told = await client.json("/sql", 400, method="POST", json={"sql": 5})
        assert "$.sql" in told["error"]


async def test_status_is_the_daemons_own_and_the_phone_is_told(driven: Home) -> None:
    async with api_daemon.running(driven) as (daemon, port, token), asking(port, token) as session:
        client = Client(session, port)
        for report in ({"battery_pct": 41.0, "heat": "severe"}, {"battery_pct": 40.0}):
            async with session.post(client.base + "/phone", json=report) as response:
                assert (response.status, await response.read()) == (204, b"")
        status = (await client.json("/status?details=all"))["details"]
        told = await client.json("/phone", 400, method="POST", json={"battery_pct": 140})
        assert "$.battery_pct" in told["error"]
        daemon.store.close()
        assert "not open" in (await client.json("/sessions", 503))["error"]
    assert status["phone"]["report"]["battery_pct"] == 40.0
    assert status["phone"]["report"]["heat"] == "severe"
    assert status["live"]["clients"] == 0
