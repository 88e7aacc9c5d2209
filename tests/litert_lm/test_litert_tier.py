"""The tier between the paddock's model and the composed sentences, through the orchestrator."""

from __future__ import annotations

from pathlib import Path

import pytest
from litert_parts import ABORTS_AT, FACTS, PLENTY_S, TINY, local_model
from model_server import Asked, Reply
from opened_paddock import opened_paddock
from tiny_words import FIGURES, HOW_MUCH, PLAIN

from pitwall.contract.events import Answer
from pitwall.paddock.fallback import LocalModel
from pitwall.paddock.offline import OfflineOrchestrator

OTHER_FACTS = "Turn 7: 0.82 s slower than the reference at the entry."


async def answered(question: str, facts: str, local: LocalModel) -> Answer:
    crew = OfflineOrchestrator(compose=lambda _agent, _question: facts, local=local, answer_s=60.0)
    try:
        async with await crew.ask(question) as stream:
            return await stream.answer()
    finally:
        await crew.aclose()


@pytest.mark.parametrize(
    ("question", "facts", "tier", "text", "trouble"),
    [
        ("Where do I lose time?", FACTS, "litert", PLAIN, ""),
        (f"What did the exit give, {HOW_MUCH}", FACTS, "litert", FIGURES, ""),
        (f"What did the exit give, {HOW_MUCH}", OTHER_FACTS, "rule", OTHER_FACTS, "in no fact"),
    ],
)
async def test_its_words_count_where_every_figure_is_in_the_facts(
    tmp_path: Path, question: str, facts: str, tier: str, text: str, trouble: str
) -> None:
    async with local_model(tmp_path) as local:
        answer = await answered(question, facts, local)
    assert (answer.tier, answer.text) == (tier, text)
    assert trouble in answer.local_trouble
    assert bool(trouble) == bool(answer.local_trouble)


async def test_a_model_file_that_aborts_leaves_the_facts(tmp_path: Path) -> None:
    async with local_model(tmp_path, TINY.read_bytes()[:ABORTS_AT]) as local:
        for _ in range(2):
            answer = await answered("Where do I lose time?", FACTS, local)
            assert (answer.tier, answer.text) == ("rule", FACTS)
            assert "SIGABRT" in answer.local_trouble


@pytest.mark.long
async def test_a_model_that_hangs_leaves_the_answer_to_the_one_on_this_machine(tmp_path: Path) -> None:
    def hangs(_: Asked) -> Reply:
        return Reply(text="Too late.", wait_s=PLENTY_S)

    async with (
        local_model(tmp_path) as local,
        opened_paddock(hangs, compose=lambda _agent, _question: FACTS, local=local, answer_s=8.0) as opened,
        await opened[0].ask("Where do I lose time?") as stream,
    ):
        answer = await stream.answer()
    assert (answer.tier, answer.text, answer.verdict) == ("litert", PLAIN, "TIMEOUT")
