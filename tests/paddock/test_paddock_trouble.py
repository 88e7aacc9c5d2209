"""Servers that fail, stall and hang up, drivers that go away: an answer in time, and nothing left."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest
from model_server import Asked, Reply, settings_of
from opened_paddock import Open, answer, composed
from pit_facts import TOOLBOX, obedient, points
from wire_trouble import BUSY, DECLINED, FAILED, LOOP, PASSING, passing

from pitwall.contract.events import Answer, Content, Done, Error, Token
from pitwall.contract.messages import Turn
from pitwall.contract.settings import ModelSettings
from pitwall.paddock.adk.model_client import ModelProblem, open_model
from pitwall.paddock.adk.orchestrator import CrewChief
from pitwall.paddock.context import Section
from pitwall.paddock.offline import OfflineOrchestrator

# Gemini's way of telling of a wrong key.
NOT_A_KEY = json.dumps(
    {
        "error": {
            "code": 400,
            "message": "API key not valid. Please pass a valid API key.",
            "status": "INVALID_ARGUMENT",
            "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
        }
    }
)


class Failure(NamedTuple):
    """One way in which a model or its network fails: what the driver reads, and what it costs."""

    name: str
    reply: Reply | Callable[[int], Reply]
    """The answer to each call, or to the call of this number."""
    why: str
    calls: int
    rest_s: float = 0.0
    """For how long the model is left alone afterwards: 0 where the next question may ask it at once."""
    hung_up: bool = False
    """Whether the request is given up before the server is done."""
    kinds: tuple[str, ...] = ("gemini", "openai")


LATE, LOOPS = "The model took too long.", "The model repeated itself and was stopped."
BAD_KEY = "The model refused the key: check paddock.model in the settings."
REFUSED = "The model refused the question as it was sent. (HTTP 400)"
DECLINES, BROKEN = "The model declined to answer (SAFETY).", "The connection to the model broke off."
UNSEEN = "The model answered without looking at the data."
NO_TOOL = "The model called a tool that does not exist."
ENDLESS = "The model went on calling tools without answering and was stopped."
GEMINI, OPENAI = ("gemini",), ("openai",)
FAILURES = [
    Failure("busy", Reply(status=429), BUSY, calls=2, rest_s=1.0),
    Failure("busy, says until when", Reply(status=429, rest_s=30), BUSY, calls=1, rest_s=30.0),
    Failure("server fails", Reply(status=503), FAILED, calls=2, rest_s=1.0),
    Failure("wrong key", Reply(status=401), f"{BAD_KEY} (HTTP 401)", calls=1, rest_s=1.0),
    Failure("wrong key, Gemini's way", Reply(status=400, raw=NOT_A_KEY), BAD_KEY, calls=1, kinds=GEMINI),
    Failure("question refused", Reply(status=400), REFUSED, calls=1),
    Failure("malformed", Reply(raw="data: {not json\r\n\r\n"), "could not be used", calls=1),
    Failure("cut", Reply(text="half an answer", cut=True), BROKEN, calls=1, rest_s=1.0),
    Failure("empty", Reply(text=""), "The model answered nothing.", calls=3),
    Failure("declined", DECLINED["gemini"], DECLINES, calls=1, kinds=GEMINI),
    Failure("declined, OpenAI's way", DECLINED["openai"], DECLINES, calls=1, kinds=OPENAI),
    Failure("no data used", Reply(text="Best pass lap 9 with 4.76 s."), UNSEEN, calls=3),
    Failure("hung", Reply(text="late", wait_s=30), LATE, calls=1, rest_s=1.0, hung_up=True),
    Failure("slow", Reply(text="word " * 60, pace_s=0.5, pieces=60), LATE, calls=1, rest_s=1.0, hung_up=True),
    Failure("loops", Reply(text=LOOP * 20, pieces=200, pace_s=0.002), LOOPS, calls=1),
    Failure("a megabyte", Reply(text="x" * 1_000_000, pieces=64, pace_s=0.01), LOOPS, calls=1),
    Failure("a tool that is none", Reply(calls=[("open_the_door", {})]), NO_TOOL, calls=2),
    Failure("the same call", Reply(calls=[("reference_lap_comparison", {})]), LOOPS, calls=5),
    Failure(
        "endless calls",
        lambda number: Reply(calls=[("tell_figure", {"measure": f"measure {number}"})]),
        ENDLESS,
        calls=8,
    ),
]
EVERY_FAILURE = [
    # What both protocols have is tried over the other one in the long run.
    pytest.param(
        kind,
        failure,
        id=f"{kind}: {failure.name}",
        marks=[pytest.mark.long] if kind != failure.kinds[-1] else [],
    )
    for failure in FAILURES
    for kind in failure.kinds
]


@pytest.mark.parametrize(("kind", "failure"), EVERY_FAILURE)
async def test_a_failure_ends_in_composed_sentences_says_why_and_costs_no_more(
    paddock: Open, kind: str, failure: Failure
) -> None:
    numbers, reply = itertools.count(), failure.reply
    # Time enough for all that ends by itself, under load too; what hangs is only waited for so long.
    seconds = 2.5 if failure.why == LATE else 30.0

    def script(_: Asked) -> Reply:
        return reply if isinstance(reply, Reply) else reply(next(numbers))

    async with paddock(script, kind=kind, answer_s=seconds) as (crew, server):
        stream = await crew.ask("where do I lose time", intent="GoldLapAgent")
        events = [event async for event in stream]
        await server.gone()
    done = events[-1]
    assert isinstance(done, Done)
    given = done.answer
    assert failure.why in given.why
    assert (given.tier, given.text) == ("rule", "Composed for GoldLapAgent.")
    assert Error(given.why) in events
    assert events[-2] == Content("GoldLapAgent", "Composed for GoldLapAgent.")
    assert (len(server.asked), given.rest_s) == (failure.calls, failure.rest_s)
    assert (given.verdict == "TIMEOUT") == (failure.why == LATE)
    assert not failure.hung_up or server.asked[0].dropped


async def test_a_call_that_was_refused_is_repeated_once_and_no_more(paddock: Open) -> None:
    def again(asked: Asked) -> Reply:
        return Reply(calls=[("tell_figure", {"measure": "nowhere"})])

    def refusing(measure: str) -> dict[str, Any]:
        """One figure."""
        return {"error": "no such measure"}

    tools = {**TOOLBOX, "tell_figure": refusing}
    async with paddock(again, toolbox=tools) as (crew, server):
        given = await answer(crew)
    assert (given.tier, given.why) == ("rule", "The model repeated itself and was stopped.")
    assert len(server.asked) == 3


@pytest.mark.parametrize("kind", ["gemini", "openai"])
@pytest.mark.parametrize("once", PASSING)
async def test_what_passes_is_ridden_out(paddock: Open, kind: str, once: str) -> None:
    seen: list[str] = []

    def hiccup(asked: Asked) -> Reply:
        seen.append(once)
        return passing(once, kind) if len(seen) == 1 else obedient(asked)

    async with paddock(hiccup, kind=kind) as (crew, _server):
        given = await answer(crew)
    assert given.tier == "paddock"
    assert given.verdict in ("PASSED", "RETRY_SUCCEEDED")


@pytest.mark.parametrize("kind", ["gemini", "openai"])
async def test_nobody_listening_is_composed(unused_tcp_port: int, kind: str) -> None:
    async with open_model(settings_of(f"http://127.0.0.1:{unused_tcp_port}", kind)) as model:
        crew = CrewChief(model, TOOLBOX, compose=composed)
        given = await answer(crew)
        await crew.aclose()
    assert (given.tier, given.why) == ("rule", "The model can't be reached.")


@pytest.fixture
def deaf_port() -> Iterator[int]:
    """A port behind which nobody picks up: its queue is full, so that a connection is never made."""
    with ExitStack() as sockets:
        listening = sockets.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
        yield listening.getsockname()[1]


@pytest.mark.long
async def test_a_server_that_is_never_reached_does_not_take_the_whole_budget(deaf_port: int) -> None:
    async def one(kind: str) -> Answer:
        async with open_model(settings_of(f"http://127.0.0.1:{deaf_port}", kind)) as model:
            crew = CrewChief(model, TOOLBOX, compose=composed, answer_s=120.0)
            given = await answer(crew)
            await crew.aclose()
        return given

    for given in await asyncio.gather(one("gemini"), one("openai")):
        assert (given.tier, given.why) == ("rule", "The model can't be reached.")
        assert given.verdict != "TIMEOUT"


async def test_a_composer_that_fails_still_leaves_a_sentence() -> None:
    def broken(agent: str, question: str) -> str:
        raise OSError("no database")

    crew = OfflineOrchestrator(compose=broken)
    said = await crew.run("debrief me please")
    assert "ask again later" in said["text"]


async def test_a_composer_that_hangs_does_not_pass_the_hard_stop() -> None:
    go = threading.Event()

    def hanging(agent: str, question: str) -> str:
        go.wait(20)
        return "too late"

    crew = OfflineOrchestrator(compose=hanging, answer_s=0.4)
    given = await answer(crew)
    go.set()
    assert "ask again later" in given.text


async def test_the_brief_has_a_budget_of_its_own(paddock: Open) -> None:
    async with paddock(lambda asked: Reply(wait_s=30), brief_s=2.5) as (crew, _server):
        given = await answer(crew, intent="BriefPipeline")
    assert given.tier == "rule"
    assert given.missing == ()


async def test_a_stream_that_is_closed_before_it_began_ends_for_its_reader_too(paddock: Open) -> None:
    async with paddock(obedient) as (crew, server):
        stream = await crew.ask("where do I lose time", intent="GoldLapAgent")
        await stream.aclose()
        # Twice: whoever asks again is not left waiting either.
        async with asyncio.timeout(30):
            assert [event async for event in stream] == []
            assert [event async for event in stream] == []
    assert server.asked == []


async def test_a_client_that_goes_away_while_a_tool_works_does_not_wait_for_it(paddock: Open) -> None:
    entered = asyncio.Event()
    left: list[str] = []

    async def reference_lap_comparison() -> dict[str, Any]:
        """Works for long."""
        entered.set()
        try:
            await asyncio.sleep(30)
        finally:
            left.append("left")
        return {}

    toolbox = {**TOOLBOX, "reference_lap_comparison": reference_lap_comparison}
    async with paddock(obedient, toolbox=toolbox) as (crew, _server):
        stream = await crew.ask("where do I lose time", intent="GoldLapAgent")
        await entered.wait()
        await stream.aclose()
    assert left == ["left"]


async def test_the_same_honest_answer_is_no_loop_however_often_it_is_asked_for(paddock: Open) -> None:
    told = '{"fact": "F1", "comment": "Smooth hands keep a car calm and its tyres under it."}, ' * 2
    turns = [Turn("driver", "and now?"), Turn("coach", told)] * 3

    def script(asked: Asked) -> Reply:
        return Reply(text=told) if asked.called else obedient(asked)

    async with paddock(script) as (crew, server):
        given = await answer(crew, turns=turns)
    assert (given.tier, given.why) == ("paddock", "")
    assert server.asked[0].body["generationConfig"]["maxOutputTokens"] == 4096


async def test_facts_and_turns_are_in_the_prompt_and_what_had_no_room_is_recorded(paddock: Open) -> None:
    def context(agent: str, question: str) -> list[Section]:
        big = Section(title="every lap", text="1:52.3 " * 5_000, rank=9)
        return [Section(title="session", text="Sonoma, 12 laps", rank=0), *([big] * 3)]

    async with paddock(obedient, context=context) as (crew, server):
        given = await answer(crew, turns=[Turn("driver", "hello there")])
    assert "Sonoma, 12 laps" in server.asked[0].text
    assert server.asked[0].texts[0] == "hello there"
    assert "every lap" in given.left_out


def test_settings_that_can_not_work_say_which() -> None:
    for settings, what in (
        (ModelSettings(kind="gemini"), "api_key"),
        (ModelSettings(kind="gemini", project="p"), "location"),
        (ModelSettings(kind="openai"), "base_url"),
    ):
        with pytest.raises(ModelProblem, match=what):
            asyncio.run(_opened(settings))


async def _opened(settings: ModelSettings) -> None:
    async with open_model(settings):
        pass


async def test_tokens_come_before_the_server_has_finished(paddock: Open) -> None:
    def script(asked: Asked) -> Reply:
        return Reply(text=points(asked), pieces=9, pace_s=0.05) if asked.called else obedient(asked)

    async with paddock(script) as (crew, server):
        stream = await crew.ask("where do I lose time", intent="GoldLapAgent")
        first = [event async for event in stream if isinstance(event, Token)]
    assert len(first) > 1
    assert [token.text for token in first] == ["Composed for GoldLapAgent. ", "Turn 11 costs 0.62 s. "]
    assert time.monotonic() >= server.asked[0].ended_s
