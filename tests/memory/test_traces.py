"""Traces and lessons as they are exported: from the store, by the command, and over the API."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import aiohttp
import api_daemon
import msgspec
import pytest
from api_client import Client, asking
from lesson_drives import NAMES, session
from planted_secrets import DRIVERS, KEY, NAMED, SHAPED
from running_daemon import Daemon
from typed import Typed, typed

from pitwall.analysis.lessons import judge
from pitwall.analysis.traces import export_lines
from pitwall.config import Home
from pitwall.store import jobs
from pitwall.store.lessons import Lesson, put_lessons
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import SessionMeta

PLANTED = SHAPED | {text: gone for text, gone in NAMED.items() if "xx" not in text}
LEARNED = judge(
    [*session(0, faults={"turn_7": "more_apex_speed"}), *session(1, faults={"turn_7": "more_apex_speed"})],
    [],
    NAMES,
)
QUESTION = "why am I slow in turn 7, Ann?"


def fill(home: Home) -> str:
    """Traces with something planted wherever text can be; the id of the job."""
    (home.root / "pitwall.toml").write_text(f'[paddock.model]\nkind = "gemini"\napi_key = "{KEY}"\n')
    with Store(home) as store:
        store.open()
        for number, driver in enumerate(DRIVERS):
            meta = SessionMeta(
                id=f"s{number}", kind="import", created_utc_s=1.0, driver=driver, vehicle="BMW M3 GTR",
                source_name="/home/x/sonoma_monday-evening.vbo",
            )  # fmt: skip
            store.begin(meta, lossless=True).close()
        job = jobs.create(
            store, "answer", json.dumps({"question": QUESTION, "session": "s0", "wish": "Lewis"})
        )
        jobs.begin(store, job.id)
        jobs.finish(
            store, job.id, "done", json.dumps({"answer": {"text": "Slow hands, Lewis.", "took_s": 2.5}})
        )
        for number, text in enumerate(PLANTED):
            detail = {
                "tool": "lap_delta",
                "latency_s": 0.25,
                "why": f"it failed: {text}",
                "arguments": ["lap"],
            }
            store.put(
                "INSERT INTO agent_events VALUES (?, ?, ?, ?, ?)",
                [
                    job.id if number == 0 else None,
                    float(number),
                    "TelemetryAgent",
                    "tool",
                    json.dumps(detail),
                ],
            )
            store.put(
                "INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?)",
                [number, "s0", float(number), "driver", f"look: {text} !", "{}"],
            )
        put_lessons(store, LEARNED)
        assert store.flush()
    return job.id


@pytest.fixture
def filled(home: Home) -> tuple[Home, str]:
    return home, fill(home)


def lessons(home: Home, *options: str) -> Typed:
    return typed(home, "debrief", "--all-days", "--only", "lessons", *options)


def rows(text: str | bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def nothing_came_out(text: str) -> None:
    for planted, gone in PLANTED.items():
        assert gone not in text, planted
    assert KEY not in text


def test_an_export_tells_what_was_done_and_not_what_was_said(filled: tuple[Home, str]) -> None:
    home, job = filled
    done = typed(home, "traces", "export")
    assert done.returncode == 0, done.stderr
    nothing_came_out(done.stdout)
    head, told, *events = rows(done.stdout)
    assert head == {"what": "traces", "version": head["version"], "with_words": False, "job": ""}
    assert (told["what"], told["id"], told["state"]) == ("job", job, "done")
    assert told["input"] == {
        "question": f"[words: {len(QUESTION)} characters]", "session": "s0", "wish": "[words: 5 characters]",
    }  # fmt: skip
    assert told["result"]["answer"] == {"text": "[words: 18 characters]", "took_s": 2.5}
    assert len(events) == len(PLANTED)
    assert {each["what"] for each in events} == {"agent_event"}
    assert all(
        each["detail"]["tool"] == "lap_delta" and each["detail"]["latency_s"] == 0.25 for each in events
    )
    assert [each["at_utc_s"] for each in events] == sorted(each["at_utc_s"] for each in events)


def test_with_words_the_words_are_there_and_the_names_are_not(filled: tuple[Home, str]) -> None:
    home, job = filled
    told = typed(home, "traces", "export", "--with-words").stdout
    nothing_came_out(told)
    by_what: dict[str, list[dict[str, Any]]] = {}
    for row in rows(told):
        by_what.setdefault(row["what"], []).append(row)
    assert by_what["job"][0]["input"]["question"] == "why am I slow in turn 7, [name]?"
    assert by_what["job"][0]["result"]["answer"]["text"] == "Slow hands, [name]."
    assert len(by_what["turn"]) == len(PLANTED)
    assert all(row["text"].startswith("look: ") for row in by_what["turn"])
    of_job = rows(typed(home, "traces", "export", "--with-words", "--job", job).stdout)
    assert [row["what"] for row in of_job] == ["traces", "job", "agent_event"]


def test_an_export_goes_into_a_new_file_that_is_the_users_alone(
    filled: tuple[Home, str], tmp_path: Path
) -> None:
    home, _ = filled
    out = tmp_path / "traces.jsonl"
    done = typed(home, "traces", "export", "--out", str(out))
    assert (done.returncode, done.stdout) == (0, "")
    assert f"{len(PLANTED) + 2} lines in {out}" in done.stderr
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    before = out.read_bytes()
    again = typed(home, "traces", "export", "--out", str(out))
    assert (again.returncode, out.read_bytes()) == (2, before)
    assert again.stderr == f"pitwall: {out} is there already; name a new file\n"
    nowhere = typed(home, "traces", "export", "--out", str(tmp_path / "no" / "folder"))
    assert (nowhere.returncode, "No such file" in nowhere.stderr) == (2, True)


def test_the_newest_are_told_where_there_are_too_many(filled: tuple[Home, str]) -> None:
    home, _ = filled
    with Store(home) as store:
        store.open()
        found = rows(b"".join(export_lines(store, most=3)))
    times = [row["at_utc_s"] for row in found if row["what"] == "agent_event"]
    assert times == [float(len(PLANTED) - 3 + each) for each in range(3)]


def test_lessons_are_listed_found_and_shown_with_their_evidence(filled: tuple[Home, str]) -> None:
    home, _ = filled
    everything = lessons(home)
    assert everything.stdout.splitlines() == [
        LEARNED[0].text,
        "  fault, club, Ann",
        "  s000-Ann-club: laps 2, 3, 4, 0.40 s a lap",
        "  s001-Ann-club: laps 2, 3, 4, 0.41 s a lap",
    ]
    found = lessons(home, "--about", "the carousel", "--json").stdout
    assert msgspec.json.decode(found, type=list[Lesson]) == LEARNED
    assert lessons(home, "--about", "weather").stdout == "nothing was learned about that yet\n"


def test_a_retired_lesson_is_shown_when_asked_for(home: Home) -> None:
    slow = {"turn_7": "more_apex_speed"}
    retired = judge([*session(0, faults=slow), *session(1, faults=slow), *session(2)], [], NAMES)
    with Store(home) as store:
        store.open()
        put_lessons(store, retired)
    assert lessons(home, "--json").stdout == "[]\n"
    shown = lessons(home, "--retired").stdout
    assert "no longer: on 2026-05-03 it was driven without it" in shown
    assert "s002-Ann-club: laps 2, 3, 4, 5 (against it)" in shown


@pytest.mark.long
def test_with_the_daemon_running_the_same_comes_over_its_api(filled: tuple[Home, str]) -> None:
    home, job = filled
    alone = {words: typed(home, *words).stdout for words in COMMANDS}
    with (home.root / "pitwall.toml").open("a") as file:
        file.write('[api]\nport = 0\n[audio]\nplayer = "none"\n')
    with Daemon(home) as daemon:
        for words in COMMANDS:
            over = typed(home, *words)
            assert (over.returncode, over.stdout) == (0, alone[words]), over.stderr
        assert typed(home, "traces", "export", "--job", job).stdout.count("\n") == 3
        assert daemon.end() == 0


COMMANDS = (
    ("debrief", "--all-days", "--only", "lessons", "--json"),
    ("debrief", "--all-days", "--only", "lessons", "--about", "carousel"),
    ("traces", "export"),
    ("traces", "export", "--with-words"),
)


async def test_the_routes_bounds_and_refusals(filled: tuple[Home, str]) -> None:
    home, job = filled
    async with api_daemon.running(home) as (daemon, port, token), asking(port, token) as http:
        client = Client(http, port)
        async with http.get(f"{client.base}/traces?most=2&with_words=true") as response:
            assert (response.status, response.content_type) == (200, "application/x-ndjson")
            found = rows(await response.text())
        assert [row["what"] for row in found] == ["traces", "job", *["agent_event"] * 2, *["turn"] * 2]
        assert token not in json.dumps(found)
        async with http.get(f"{client.base}/traces?job={job}") as response:
            assert [row["what"] for row in rows(await response.text())] == ["traces", "job", "agent_event"]
        for wrong in ("job=../../etc/passwd", "most=0", "most=10001", "with_words=maybe", "other=1"):
            problem = await client.json(f"/traces?{wrong}", 400)
            assert problem["error"].startswith("query: ")
        assert await client.json("/lessons?words=carousel") == await client.json("/lessons")
        await client.json(f"/lessons?words={'x' * 301}", 400)
        daemon.life = "flying"
        problem = await client.json("/traces", 409)
        assert problem["error"] == "the car is being driven, nothing is exported now"
        async with aiohttp.ClientSession() as stranger, stranger.get(f"{client.base}/traces") as response:
            assert response.status == 401
