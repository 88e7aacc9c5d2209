"""A model on the phone answers in the worker: the real engine, and nothing of it left whoever is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from worker_rig import Rig, ended, rigged

from pitwall.store.store import Store

pytest.importorskip("litert_lm", reason="the extra llm is not installed")

TINY = Path(__file__).resolve().parents[1] / "litert_lm" / "tiny.litertlm"
QUESTION = "Where do I lose time?"
# The small model speaks prose, so it names no fact; that it was asked can be told by that.
ASKED = "The model on this phone named no fact."


def engine_of(rig: Rig) -> int:
    """The process that the worker has started."""
    assert rig.worker.pid is not None
    tasks = Path(f"/proc/{rig.worker.pid}/task").glob("*/children")
    (engine,) = [int(pid) for task in tasks for pid in task.read_text().split()]
    return engine


async def test_offline_the_phones_model_is_asked_and_the_facts_stand_where_it_names_none(
    driven: Store,
) -> None:
    async with rigged(driven, local_model=str(TINY)) as rig:
        answer = await rig.answer(QUESTION)
        engine = engine_of(rig)
    assert (answer.tier, answer.why) == ("rule", "No model is set.")
    assert answer.local_trouble == ASKED
    assert answer.text
    await ended(engine)


@pytest.mark.long
async def test_a_killed_worker_takes_the_engine_with_it(driven: Store) -> None:
    async with rigged(driven, local_model=str(TINY)) as rig:
        await rig.answer(QUESTION)
        engine = engine_of(rig)
        assert rig.worker.pid is not None
        os.kill(rig.worker.pid, signal.SIGKILL)
        await ended(engine)
        assert (await rig.answer(QUESTION)).local_trouble == ASKED


@pytest.mark.long
async def test_a_model_file_that_is_not_there_leaves_the_facts(driven: Store) -> None:
    async with rigged(driven, local_model=str(TINY.with_name("no-such.litertlm"))) as rig:
        answer = await rig.answer(QUESTION)
    assert answer.tier == "rule"
    assert answer.text


@pytest.mark.long
async def test_a_spared_phone_is_told_the_facts_until_it_has_recovered(driven: Store) -> None:
    async with rigged(driven, local_model=str(TINY)) as rig:
        asked = []
        for spare in (None, True, False):
            if spare is not None:
                rig.tell(spare=spare)
            asked.append((await rig.answer(QUESTION)).local_trouble == ASKED)
    assert asked == [True, False, True]
