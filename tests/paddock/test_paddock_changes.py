"""A phrase that was to be changed is changed, or the answer is marked: "saved" is not enough."""

from __future__ import annotations

import pytest
from model_server import Asked, Reply
from opened_paddock import Open

from pitwall.paddock.question_kind import asks_for_change

LOOK = ("audio_script_context", {"corner": "turn_7"})
SAVE = ("save_voice_scripts", {"corner_name": "turn_7", "phrases": {"brake": "Brake at the board"}})
SAID = Reply(text="[calm] Saved: brake at the bridge.")


@pytest.mark.parametrize(
    "question",
    [
        "change the script for turn 7",
        "Say 'brake at the bridge' at turn 7",
        "make it say something else at seven",
        "please rename the call at the hairpin",
        "could you reword the one at seven",
        "at turn 7 say patience instead of wait",
        "what do you say at 7? Change it to 'wait'",
        "write new scripts for all corners",
        "I want a different phrase into the hairpin",
        "the script for turn 4 needs rewriting",
    ],
)
def test_a_request_for_other_words_is_one(question: str) -> None:
    assert asks_for_change(question)


@pytest.mark.parametrize(
    "question",
    [
        "what does the script say at 11",
        "how do I change what it tells me",
        "read me the lines you have",
        "which audio is played",
        "do you say brake too early",
        "you said brake too late at 7",
        "the voice is too loud",
        "make it louder",
        "audio is too quiet",
        "when do you say brake",
    ],
)
def test_a_question_about_the_words_is_none(question: str) -> None:
    assert not asks_for_change(question)


@pytest.mark.parametrize("kind", ["gemini", "openai"])
async def test_saying_saved_is_asked_again_until_it_was(paddock: Open, kind: str) -> None:
    def script(asked: Asked) -> Reply:
        if not asked.called and "Already found" not in asked.text:
            return Reply(calls=[LOOK])
        again = "Call save_voice_scripts now" in asked.text
        return Reply(calls=[SAVE]) if again and SAVE[0] not in asked.called else SAID

    async with paddock(script, kind=kind) as (crew, _server):
        given = await (
            await crew.ask("change the brake phrase at turn 7", intent="VoiceScriptAgent")
        ).answer()
    assert (given.verdict, given.unverified) == ("RETRY_SUCCEEDED", False)
    assert [call.tool for call in given.audit] == ["audio_script_context", "save_voice_scripts"]


async def test_what_was_never_saved_is_unverified(paddock: Open) -> None:
    def script(asked: Asked) -> Reply:
        return SAID if asked.called or "Already found" in asked.text else Reply(calls=[LOOK])

    async with paddock(script) as (crew, _server):
        changed = await (await crew.ask("rewrite turn 7", intent="VoiceScriptAgent")).answer()
        asked = await (await crew.ask("what is said at turn 7", intent="VoiceScriptAgent")).answer()
    assert (changed.verdict, changed.unverified) == ("ESCALATED", True)
    assert (asked.verdict, asked.unverified) == ("PASSED", False)
