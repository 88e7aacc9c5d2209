"""The one call a job makes for a typed reply, against all that a model or its server does, either dialect."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from model_server import ModelServer, Reply, Script, serving, settings_of
from pydantic import BaseModel
from wire_trouble import ALWAYS, DECLINED, KINDS, LOOP, MALFORMED_CALL

from pitwall.paddock.adk.model_client import open_model
from pitwall.paddock.adk.single_calls import AdkCaller
from pitwall.paddock.controller.resources import JobWaits, ModelRequest, UnusableReply
from pitwall.paddock.roster import instruction


class Phrases(BaseModel):
    """A form for a test."""

    brake: str
    exit: str = ""


ASK = ModelRequest(
    agent="VoiceScriptAgent",
    instruction=instruction("VoiceScriptAgent"),
    prompt="The corner: turn_7",
    schema=Phrases,
)
GOOD = Reply(text=json.dumps({"brake": "Brake at the bridge"}))


@asynccontextmanager
async def calling(script: Script, kind: str) -> AsyncIterator[tuple[AdkCaller, ModelServer]]:
    async with serving(script) as server, open_model(settings_of(server.url, kind)) as model:
        assert model is not None
        yield AdkCaller(model), server


@pytest.mark.parametrize("kind", KINDS)
async def test_a_form_is_filled_in_by_one_request_without_tools(kind: str) -> None:
    async with calling(lambda asked: GOOD, kind) as (call, server):
        assert (await call(ASK))["brake"] == "Brake at the bridge"
    (asked,) = server.asked
    assert (asked.agent, asked.tools) == ("VoiceScriptAgent", [])
    assert "turn_7" in asked.text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("trouble", ["429", "503", "cut", "malformed", "wrong key"])
async def test_where_the_server_fails_the_job_waits(kind: str, trouble: str) -> None:
    reply, why = {**ALWAYS, "wrong key": (Reply(status=401), "The model refused the key")}[trouble]
    async with calling(lambda asked: reply, kind) as (call, _server):
        with pytest.raises(JobWaits) as raised:
            await call(ASK)
    assert why in str(raised.value)


USELESS = {
    "muddled": Reply(text="{not json"),
    "another form": Reply(text='{"exit": 3}'),
    "a list": Reply(text="[]"),
    "nothing": Reply(text=""),
    "looping": Reply(text=LOOP * 20, pieces=100),
}


@pytest.mark.parametrize(
    ("kind", "what"), [*(("gemini", what) for what in sorted(USELESS)), ("openai", "muddled")]
)
async def test_a_useless_reply_is_worth_asking_again(kind: str, what: str) -> None:
    async with calling(lambda asked: USELESS[what], kind) as (call, server):
        with pytest.raises(UnusableReply):
            await call(ASK)
        await server.gone()
    assert len(server.asked) == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_a_model_that_declines_or_calls_what_there_is_not_gives_no_form(kind: str) -> None:
    for reply in (DECLINED[kind], MALFORMED_CALL[kind], Reply(calls=[("telepathy", {})])):
        async with calling(lambda asked, reply=reply: reply, kind) as (call, server):  # type: ignore[misc]
            with pytest.raises(UnusableReply):
                await call(ASK)
        assert len(server.asked) == 1
