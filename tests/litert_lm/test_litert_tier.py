"""The tier between the paddock's model and the composed sentences, through the orchestrator."""

from __future__ import annotations

from pathlib import Path

import pytest
from litert_parts import ABORTS_AT, FACTS, PLENTY_S, TINY, local_model
from model_server import Asked, Reply
from opened_paddock import opened_paddock

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


async def test_prose_is_no_answer_and_leaves_the_composed_text(tmp_path: Path) -> None:
    async with local_model(tmp_path) as local:
        answer = await answered("Where do I lose time?", FACTS, local)
    assert (answer.tier, answer.text) == ("rule", FACTS)
    assert answer.local_trouble == "The model on this phone named no fact."


async def test_it_orders_facts_and_may_leave_none_out() -> None:
    shown: list[str] = []

    async def local(question: str, facts: str, seconds: float) -> str:
        shown.append(facts)
        return 'Sure: [{"fact": "F2", "comment": "Smooth hands pay"}, {"fact": "F7"}, {"fact": "F'

    answer = await answered("Where do I lose time?", f"{FACTS}\n\n{OTHER_FACTS}", local)
    assert shown == [f"F1: {FACTS}\nF2: {OTHER_FACTS}"]
    assert (answer.tier, answer.text) == ("litert", f"{OTHER_FACTS} {FACTS}")


async def test_a_model_file_that_aborts_leaves_the_facts(tmp_path: Path) -> None:
    async with local_model(tmp_path, TINY.read_bytes()[:ABORTS_AT]) as local:
        for _ in range(2):
            answer = await answered("Where do I lose time?", FACTS, local)
            assert (answer.tier, answer.text) == ("rule", FACTS)
            assert "SIGABRT" in answer.local_trouble


@pytest.mark.long
async def test_a_model_that_hangs_leaves_the_composed_answer(tmp_path: Path) -> None:
    def hangs(_: Asked) -> Reply:
        return Reply(text="Too late.", wait_s=PLENTY_S)

    async with (
        local_model(tmp_path) as local,
        opened_paddock(hangs, compose=lambda _agent, _question: FACTS, local=local, answer_s=8.0) as opened,
        await opened[0].ask("Where do I lose time?") as stream,
    ):
        answer = await stream.answer()
    assert (answer.tier, answer.text, answer.verdict) == ("rule", FACTS, "TIMEOUT")
