"""/coach/* and /jobs without a model: composed answers as events, refusals as sentences, words kept."""

from __future__ import annotations

from typing import Any

import pytest
from asked_daemon import CoachClient, answer_of, coached
from running_daemon import DEMO
from until import until

from pitwall.config import Home
from pitwall.contract.agents import AGENTS, named
from pitwall.daemon.app import Daemon

QUESTION = "how many laps did I do?"


async def rows(client: Any, sql: str) -> list[list[Any]]:
    told = await client.json("POST", "/sql", body={"sql": sql})
    assert "rows" in told, told
    return list(told["rows"])


ASKED: list[tuple[str, dict[str, Any], str]] = [
    ("ask", {"question": QUESTION}, "TelemetryAgent"),
    ("ask", {"question": QUESTION, "intent": "gold_lap"}, "GoldLapAgent"),
    ("ask", {"question": "how was turn 11?", "session": "last"}, "CornerCoachAgent"),
    ("brief", {}, "BriefPipeline"),
    ("brief", {"track": "sonoma"}, "BriefPipeline"),
    ("debrief", {}, "DebriefPipeline"),
    ("debrief", {"session": "2025"}, "DebriefPipeline"),
]


async def test_an_answer_is_a_stream_of_events_that_ends_with_it(coach_home: Home) -> None:
    async with coached(coach_home) as (_, client):
        for kind, body, agent in ASKED:
            events = await client.stream(kind, **body)
            assert [name for name, _ in events] == ["routed", "content", "done"]
            assert events[0][1]["agent"] == agent
            answer = answer_of(events)
            assert (events[1][1]["text"], events[1][1]["provisional"]) == (answer["text"], False)
            assert (answer["tier"], answer["model_calls"]) == ("rule", 0)
            assert answer["why"]
            assert len(answer["text"]) > 20


async def test_what_was_said_is_kept_in_one_place_only(coach_home: Home) -> None:
    async with coached(coach_home) as (_, client):
        answer = answer_of(await client.stream("ask", question=QUESTION))
        said = await rows(client, "SELECT role, text, session, detail FROM conversations ORDER BY id")
        [[session]] = await rows(client, "SELECT id FROM sessions")
        trail = await rows(client, "SELECT * FROM agent_events")
    assert [row[:3] for row in said] == [["driver", QUESTION, session], ["coach", answer["text"], session]]
    assert '"tier":"rule"' in said[1][3]
    assert QUESTION not in str(trail)


async def test_without_a_model_no_process_is_started(coach_home: Home) -> None:
    async with coached(coach_home) as (_, client):
        for _ in range(2):
            await client.stream("ask", question=QUESTION)
        paddock = (await client.json("GET", "/status?details=paddock"))["details"]["paddock"]
        assert (paddock["worker"], paddock["pid"], paddock["worker_starts"]) == ("none", None, 0)
        assert paddock["answered"] == {"rule": 2}


REFUSED: list[tuple[str, dict[str, Any], int, str]] = [
    ("ask", {"question": QUESTION, "intent": "Nobody"}, 422, "no agent is called 'Nobody'; name one of: br"),
    ("ask", {"question": ""}, 400, "$.question"),
    ("ask", {"question": " \t"}, 400, "$.question"),
    ("ask", {"question": "x" * 2001}, 400, "$.question"),
    ("ask", {"question": QUESTION, "colour": "red"}, 400, "colour"),
    ("ask", {"question": QUESTION, "session": "19990101"}, 404, "there is no session '19990101'"),
    ("ask", {"question": QUESTION, "session": "../x"}, 400, "$.session"),
    ("ask", {"question": QUESTION, "turns": [{"role": "god", "text": ""}]}, 400, "$.turns[0].role"),
    ("brief", {"track": "monza"}, 404, "nothing was driven at 'monza' yet"),
    ("analyze", {"question": ""}, 400, "$.question"),
]


async def test_what_can_not_be_asked_is_refused_with_a_sentence(coach_home: Home) -> None:
    async with coached(coach_home) as (_, client):
        for kind, body, status, what in REFUSED:
            told = await client.json("POST", f"/coach/{kind}", status, body)
            assert what in told["error"]
            assert told["what_to_do"]


async def test_nothing_recorded_yet_is_an_answer(home: Home) -> None:
    async with coached(home) as (_, client):
        answer = answer_of(await client.stream("ask", question=QUESTION))
        assert answer["tier"] == "rule"
        assert answer["text"]


async def test_jobs_are_made_listed_shown_and_ended(coach_home: Home) -> None:
    async with coached(coach_home) as (_, client):
        made = await client.json(
            "POST", "/jobs", 201, {"kind": "voice_scripts", "input": {"track": "sonoma"}}
        )
        assert (made["state"], made["input"]["track"], made["result"]) == ("waiting", "sonoma", None)
        debrief = await client.json("POST", "/jobs", 201, {"kind": "debrief"})
        [[session]] = await rows(client, "SELECT id FROM sessions")
        assert debrief["input"]["session"] == session, "the last one of now, not of when it runs"
        listed = await client.json("GET", "/jobs")
        assert [job["id"] for job in listed] == [debrief["id"], made["id"]]
        assert await client.json("GET", f"/jobs/{made['id']}") == made
        given = {"question": QUESTION, "budget": {"iterations": 3}}
        small = await client.json("POST", "/jobs", 201, {"kind": "analysis", "input": given})
        assert small["input"]["budget"]["iterations"] == 3
        given["budget"] = {"iterations": 3.5}
        await client.json("POST", "/jobs", 400, {"kind": "analysis", "input": given})
        ended = await client.json("POST", f"/jobs/{made['id']}/cancel")
        assert ended["state"] == "cancelled"
        again = await client.json("POST", f"/jobs/{made['id']}/cancel")
        assert again["state"] == "cancelled"


NO_JOBS: list[tuple[dict[str, Any], int, str]] = [
    ({"kind": "voice_scripts"}, 400, "input"),
    ({"kind": "voice_scripts", "input": {}}, 400, "track"),
    ({"kind": "voice_scripts", "input": {"track": "monza"}}, 404, "there is no track monza"),
    ({"kind": "analysis", "input": {"question": 3}}, 400, "$.input.question"),
    ({"kind": "answer", "input": {"question": QUESTION, "intent": "Nobody"}}, 422, "no agent is called"),
    ({"kind": "debrief", "input": {"session": "1999"}}, 404, "there is no session"),
    ({"kind": "laundry"}, 400, "laundry"),
]


async def test_a_job_that_makes_no_sense_is_not_begun(coach_home: Home) -> None:
    async with coached(coach_home) as (_, client):
        for job, status, what in NO_JOBS:
            assert what in (await client.json("POST", "/jobs", status, job))["error"]
        assert await client.json("GET", "/jobs") == []
        assert (await client.json("GET", "/jobs/nosuch", 404))["what_to_do"]
        assert (await client.json("POST", "/jobs/nosuch/cancel", 404))["error"]


def test_every_agent_can_be_named_and_no_other() -> None:
    assert len(set(AGENTS)) == len(AGENTS)
    assert {named(agent) for agent in AGENTS} == set(AGENTS)
    assert named("gold lap") == "GoldLapAgent"
    assert named("NarrativeAgent") is None


async def profiled(service: Daemon, client: CoachClient) -> None:
    """The one session's profile is worked out, and is there."""
    await until(lambda: service.paddock.status().jobs_ended == {"done": 1})
    [job] = await client.json("GET", "/jobs")
    [[session]] = await rows(client, "SELECT id FROM sessions")
    assert (job["kind"], job["state"], job["input"]["session"]) == ("profile", "done", session)
    [[events]] = await rows(client, "SELECT count(*) FROM driver_events WHERE kind LIKE 'profile.%'")
    assert events > 0


@pytest.mark.long
async def test_a_session_that_ended_tells_of_its_driver_without_being_asked(spoken_home: Home) -> None:
    car = f'[limits]\nclose_silent_s = 1\n[sources.car]\nuri = "replay:{DEMO}?live=true&speed=60"\n'
    async with coached(spoken_home, car) as (service, client):
        await profiled(service, client)
