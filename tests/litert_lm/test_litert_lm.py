"""The real LiteRT-LM with a tiny model: it answers, keeps its time, and survives what is given to it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest
from litert_parts import ABORTS_AT, FACTS, PLENTY_S, TINY, Watched, local_model, names
from tiny_words import AT_LENGTH, FIGURES, HOW_MUCH, LONG, LOOP, ON_AND_ON, PLAIN

from pitwall.helpers.child_process import MessageChannel
from pitwall.paddock.litert import EngineGone, EngineProcess, LiteRtLm, LocalModelProblem, prompt
from pitwall.paddock.litert_child import (
    ANSWER_TOKENS,
    AnswerPiece,
    AnswerPrompt,
    FromEngine,
    ModelOpened,
    OpenModel,
    StopAnswer,
    ToEngine,
)


async def test_the_same_question_gets_the_same_words_from_one_warm_process(tmp_path: Path) -> None:
    async with local_model(tmp_path) as local:
        assert local.pid is None
        assert await local("Where do I lose time?", FACTS, PLENTY_S) == PLAIN
        pid = local.pid
        for _ in range(3):
            assert await local("Where do I lose time?", FACTS, PLENTY_S) == PLAIN
        assert await local(f"And the exit, {HOW_MUCH}", FACTS, PLENTY_S) == FIGURES
        assert await local(f"Tell me {AT_LENGTH}", FACTS, PLENTY_S) == LONG
        assert local.pid == pid
        process = Watched(pid or 0)
    assert process.gone(), "closing it ends the process"
    process.close()


async def test_facts_as_long_as_a_debrief_are_read(tmp_path: Path) -> None:
    async with local_model(tmp_path) as local:
        # So far from what it was taught on, the tiny model is not sure of every word.
        answer = await local("Was that any good?", f"{FACTS} " * 25, PLENTY_S)
        assert answer.startswith("Brake at the bridge")


async def test_questions_at_once_are_answered_one_after_the_other(tmp_path: Path) -> None:
    async with local_model(tmp_path) as local:
        answers = await asyncio.gather(
            local("First?", FACTS, PLENTY_S),
            local(f"Second, {HOW_MUCH}", FACTS, PLENTY_S),
            local("Third?", FACTS, PLENTY_S),
        )
        assert answers == [PLAIN, FIGURES, PLAIN]


async def test_a_long_answer_is_stopped_at_its_deadline_and_the_engine_stays(tmp_path: Path) -> None:
    async with local_model(tmp_path) as local:
        await local("Ready?", FACTS, PLENTY_S)
        loop, pid, took_s = asyncio.get_running_loop(), local.pid, []
        for _ in range(3):
            began = loop.time()
            await local(f"Tell me {AT_LENGTH}", FACTS, PLENTY_S)
            took_s.append(loop.time() - began)
        with pytest.raises(LocalModelProblem, match="too slow"):
            await local(f"Tell me {AT_LENGTH}", FACTS, min(took_s) / 10)
        assert await local("Still there?", FACTS, PLENTY_S) == PLAIN
        assert local.pid == pid


async def test_an_answer_nobody_waits_for_is_stopped_between_two_words(tmp_path: Path) -> None:
    engine = await EngineProcess.start(TINY, tmp_path / "cache" / "tiny")
    try:
        assert isinstance(await engine.opened(), ModelOpened)
        async with aclosing(engine.answer("Speak.", prompt(f"Go {ON_AND_ON}", FACTS))) as pieces:
            said = [await anext(pieces) for _ in range(3)]
        assert LOOP.startswith("".join(said).strip())
        async with aclosing(engine.answer("Speak.", prompt("And now?", FACTS))) as pieces:
            assert "".join([piece async for piece in pieces]) == PLAIN
        assert engine.alive
    finally:
        await engine.aclose()


async def test_a_stop_reaches_the_engine_and_not_only_its_reader(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "pitwall.paddock.litert_child", str(theirs.fileno())]
    process = await asyncio.create_subprocess_exec(*command, pass_fds=[theirs.fileno()])
    theirs.close()
    channel: MessageChannel[FromEngine, ToEngine] = await MessageChannel.over(ours, FromEngine)

    async def pieces(number: int, stop_after: int) -> int:
        channel.post(AnswerPrompt(number=number, system="Speak.", text=prompt(f"Go {ON_AND_ON}", FACTS)))
        count = 0
        while isinstance(await channel.receive(), AnswerPiece):
            count += 1
            if count == stop_after:
                channel.post(StopAnswer(number))
        return count

    channel.post(OpenModel(model=str(TINY), cache=str(tmp_path / "cache" / "tiny")))
    assert isinstance(await channel.receive(), ModelOpened)
    assert await pieces(2, stop_after=3) < await pieces(1, stop_after=0)
    channel.close()
    assert await process.wait() == 0


async def test_an_answer_without_an_end_has_one(tmp_path: Path) -> None:
    engine = await EngineProcess.start(TINY, tmp_path / "cache" / "tiny")
    try:
        await engine.opened()
        async with aclosing(engine.answer("Speak.", prompt(f"Go {ON_AND_ON}", FACTS))) as pieces:
            count = len([piece async for piece in pieces])
        assert len(LOOP.split()) * 10 < count <= ANSWER_TOKENS
    finally:
        await engine.aclose()


async def test_a_model_that_repeats_itself_is_stopped(tmp_path: Path) -> None:
    async with local_model(tmp_path) as local:
        with pytest.raises(LocalModelProblem, match="repeated itself"):
            await local(f"Go {ON_AND_ON}", FACTS, PLENTY_S)
        pid = local.pid
        assert await local("And now?", FACTS, PLENTY_S) == PLAIN
        assert local.pid == pid


async def test_an_engine_that_does_not_obey_is_ended_and_the_next_question_gets_another(
    tmp_path: Path,
) -> None:
    async with local_model(tmp_path) as local:
        await local("Ready?", FACTS, PLENTY_S)
        stuck = local.pid or 0
        process = Watched(stuck)
        os.kill(stuck, signal.SIGSTOP)
        with pytest.raises(LocalModelProblem, match="too slow"):
            await local("Anybody there?", FACTS, 0.1)
        assert await asyncio.to_thread(process.gone), "a stop that is not obeyed ends the process"
        process.close()
        assert await local("And now?", FACTS, PLENTY_S) == PLAIN
        assert local.pid != stuck


async def test_opening_goes_on_for_the_next_question(tmp_path: Path) -> None:
    async with local_model(tmp_path) as local:
        # Enough to start a process, never to load the engine in it.
        with pytest.raises(LocalModelProblem, match="was not ready"):
            await local("Quick?", FACTS, 0.05)
        first = local.pid
        assert await local("Ready?", FACTS, PLENTY_S) == PLAIN
        assert first in (None, local.pid)


async def test_giving_up_on_an_opening_does_not_end_it(tmp_path: Path) -> None:
    engine = await EngineProcess.start(TINY, tmp_path / "cache" / "tiny")
    try:
        os.kill(engine.pid, signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(engine.opened(), 0.01)
        os.kill(engine.pid, signal.SIGCONT)
        assert isinstance(await engine.opened(), ModelOpened)
    finally:
        await engine.aclose()


async def test_a_file_that_aborts_its_process_is_set_aside_until_it_changes(tmp_path: Path) -> None:
    async with local_model(tmp_path, TINY.read_bytes()[:ABORTS_AT]) as local:
        for _ in range(2):
            with pytest.raises(
                LocalModelProblem, match=r"model\.litertlm ended LiteRT-LM while it was opened \(SIGABRT\)"
            ):
                await local("Where do I lose time?", FACTS, PLENTY_S)
            assert local.pid is None
        (tmp_path / "model.litertlm").write_bytes(TINY.read_bytes())
        assert await local("Where do I lose time?", FACTS, PLENTY_S) == PLAIN


async def test_a_file_set_aside_starts_no_process(tmp_path: Path) -> None:
    async with local_model(tmp_path, TINY.read_bytes()[:ABORTS_AT]) as local:
        with pytest.raises(LocalModelProblem, match="SIGABRT"):
            await local("Where do I lose time?", FACTS, PLENTY_S)
        # A process could not say so within no time.
        with pytest.raises(LocalModelProblem, match="SIGABRT"):
            await local("Where do I lose time?", FACTS, 0.001)


async def test_a_process_that_aborts_in_an_answer_sets_its_file_aside(tmp_path: Path) -> None:
    async with local_model(tmp_path) as local:
        await local("Ready?", FACTS, PLENTY_S)
        pid = local.pid or 0
        os.kill(pid, signal.SIGSTOP)
        asked = asyncio.create_task(local(f"Tell me {AT_LENGTH}", FACTS, PLENTY_S))
        await asyncio.sleep(0)
        os.kill(pid, signal.SIGABRT)
        os.kill(pid, signal.SIGCONT)
        with pytest.raises(LocalModelProblem, match=r"while it answered \(SIGABRT\)"):
            await asked
        with pytest.raises(LocalModelProblem, match="not used any more"):
            await local("And now?", FACTS, PLENTY_S)
        assert local.pid is None


@pytest.mark.parametrize(
    "content",
    [b"", b"not a model " * 1000, TINY.read_bytes()[: TINY.stat().st_size // 2]],
    ids=["empty", "text", "half"],
)
async def test_a_file_that_is_no_model_is_said(tmp_path: Path, content: bytes) -> None:
    async with local_model(tmp_path, content) as local:
        with pytest.raises(LocalModelProblem, match=r"model\.litertlm is no model that LiteRT-LM can open"):
            await local("Where do I lose time?", FACTS, PLENTY_S)
        assert local.pid is None


async def test_no_file_and_a_folder_are_said(tmp_path: Path) -> None:
    for path, what in (
        (tmp_path / "none.litertlm", r"no model at .*none\.litertlm"),
        (tmp_path, "is no file"),
    ):
        async with LiteRtLm(path, tmp_path / "cache") as local:
            with pytest.raises(LocalModelProblem, match=what):
                await local("Where do I lose time?", FACTS, PLENTY_S)


async def test_without_the_extra_the_cure_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "litert_lm.py").write_text("raise ModuleNotFoundError(\"No module named 'litert_lm'\")")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with local_model(tmp_path) as local:
        with pytest.raises(LocalModelProblem, match=r'No module named .*: pip install "pitwall\[llm\]"'):
            await local("Where do I lose time?", FACTS, PLENTY_S)


async def test_more_facts_than_fit_are_refused_and_the_engine_stays(tmp_path: Path) -> None:
    async with local_model(tmp_path) as local:
        assert await local("Ready?", FACTS, PLENTY_S) == PLAIN
        pid = local.pid
        with pytest.raises(LocalModelProblem, match="more facts than"):
            await local("Ready?", f"{FACTS} " * 500, PLENTY_S)
        # Short enough for the usual four characters a token, not for what a tiny vocabulary makes of figures.
        with pytest.raises(LocalModelProblem, match="could not answer"):
            await local("Ready?", "9" * 9000, PLENTY_S)
        assert await local("Ready?", FACTS, PLENTY_S) == PLAIN
        assert local.pid == pid


async def test_nothing_is_written_beside_the_model_and_only_its_own_cache_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    async with local_model(folder) as local:
        await local("Ready?", FACTS, PLENTY_S)
    (first,) = names(folder / "cache")
    assert names(folder / "cache" / first), "the engine keeps something"
    async with local_model(folder, TINY.read_bytes() + b"\0") as local:
        await local("Ready?", FACTS, PLENTY_S)
    (second,) = names(folder / "cache")
    assert second != first
    assert names(folder) == {"model.litertlm", "cache"}


async def test_without_a_place_for_its_cache_it_answers_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    async with local_model(tmp_path) as local:
        assert await local("Ready?", FACTS, PLENTY_S) == PLAIN
    assert names(tmp_path) == {"model.litertlm", "cache"}


async def test_a_cache_whose_making_was_broken_off_is_not_trusted(tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "tiny"
    model = tmp_path / "tiny.litertlm"
    shutil.copyfile(TINY, model)
    # As adb leaves it: without a fraction the engine would take one of two names for its cache.
    os.utime(model, (1_795_811_712, 1_795_811_712))
    engine = await EngineProcess.start(model, cache)
    await engine.opened()
    await engine.aclose()
    whole = names(cache)
    assert any("1795811712" in name for name in whole)
    (cache / "half of it").touch()
    (cache / "opening").touch()
    engine = await EngineProcess.start(model, cache)
    await engine.opened()
    await engine.aclose()
    assert names(cache) == whole


async def test_a_process_that_was_closed_says_so(tmp_path: Path) -> None:
    engine = await EngineProcess.start(TINY, tmp_path / "cache" / "tiny")
    await engine.opened()
    await engine.aclose()
    with pytest.raises(EngineGone) as gone:
        async with aclosing(engine.answer("Speak.", "Anything?")) as pieces:
            await anext(pieces)
    assert gone.value.killed == "closing"


@pytest.mark.parametrize("question", ["Ready?", f"Go {ON_AND_ON}"], ids=["idle", "answering"])
def test_a_killed_owner_leaves_no_engine_and_nothing_on_its_terminal(tmp_path: Path, question: str) -> None:
    program = (
        "import asyncio, sys\n"
        "from contextlib import aclosing\n"
        "from pathlib import Path\n"
        "from pitwall.paddock.litert import EngineProcess\n"
        "async def main():\n"
        "    engine = await EngineProcess.start(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "    await engine.opened()\n"
        "    async with aclosing(engine.answer('Speak.', 'Question: ' + sys.argv[3])) as pieces:\n"
        "        await anext(pieces)\n"
        "        print(engine.pid, flush=True)\n"
        "        await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(TINY), str(tmp_path / "cache"), question],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        engine = Watched(int(owner.stdout.readline()))
        owner.kill()
        out, err = owner.communicate()
    assert engine.gone()
    engine.close()
    assert (out, err) == ("", "")
