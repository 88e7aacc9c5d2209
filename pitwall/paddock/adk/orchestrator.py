"""PitwallOrchestrator: Python routes the question, ADK runs the agents, the deadline ends them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import msgspec
from google.adk.models.base_llm import BaseLlm
from google.adk.runners import Runner

from pitwall.analysis.places import corners_in, find_corners
from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.events import Answer, Error
from pitwall.contract.messages import Turn
from pitwall.paddock.adk.crew import NoNarrative, build_workflow
from pitwall.paddock.adk.engine import Engine, Translator
from pitwall.paddock.adk.model_client import LEAST_REST_S, causes, rest_after, sentence
from pitwall.paddock.adk.plugins import BeforeCall
from pitwall.paddock.context import BuiltPrompt, Section, build_prompt
from pitwall.paddock.fallback import FallbackAnswer
from pitwall.paddock.model_text import split_emotion
from pitwall.paddock.offline import AnswerMeans, OfflineOrchestrator, PendingQuestion
from pitwall.paddock.points import PointFacts, points_in, take_up_composed
from pitwall.paddock.question_kind import asks_for_change
from pitwall.paddock.roster import EFFECTS, PIPELINES, speaker_of
from pitwall.paddock.runs import Run
from pitwall.paddock.tellers import NEUTRAL

# A pipeline in which every agent is asked again makes 14 calls. A model that makes more gives no answer.
_MAX_MODEL_CALLS = 24
# What a question needs is in its prompt, so one call answers it; so many leave room for more tools.
_MAX_QUESTION_CALLS = 8
_NO_DATA = "The model answered without looking at the data."
_NO_POINT = "The model named no fact that can be told."
_CUT = "the rest of the model's answer"

ContextSource = Callable[[str, str], Sequence[Section]]
# (agent, question, tools, or () for those that it always needs) -> their results by name.
Fetch = Callable[[str, str, tuple[str, ...]], Mapping[str, Any]]


class PitwallOrchestrator(OfflineOrchestrator):
    """Answers questions until it is closed; several at once.

    `toolbox`: the tools by name. `context(agent, question)` gives the blocks of a prompt, `fetch` the results
    that are always needed, so that the model is called once. They are called in threads. `before_call` is
    awaited before each call of the model. For the rest see OfflineOrchestrator.
    """

    compose_at = 0.6

    def __init__(
        self,
        model: BaseLlm,
        toolbox: Toolbox,
        *,
        context: ContextSource | None = None,
        before_call: BeforeCall | None = None,
        fetch: Fetch | None = None,
        **common: Unpack[AnswerMeans],
    ) -> None:
        super().__init__(**common)
        self._model, self._toolbox, self._context = model, toolbox, context
        self._fetch = fetch
        self._engine = Engine(before_call)
        self._runners: dict[str, Runner] = {}

    async def aclose(self) -> None:
        """Close ADK's runners. Whoever opened the model closes it."""
        for runner in self._runners.values():
            await runner.close()
        self._runners.clear()

    async def _best(self, asked: PendingQuestion, fallback: FallbackAnswer) -> Answer:
        """The model's answer, or the fallback with the reason."""
        prompt, agent, turns, run = asked.prompt, asked.agent, asked.turns, asked.run
        run.question, run.change, run.facts = prompt, asks_for_change(prompt), PointFacts(self._words)
        if self._track is not None:
            run.named_by, run.corners = self._named, self._asked_for(prompt, turns)
        left_out: tuple[str, ...] = ()
        rest_s = 0.0
        try:
            async with asyncio.timeout_at(run.deadline):
                built = await self._prompt(agent, prompt, turns)
                run.prompt, left_out = built.text, built.left_out
                await self._fetch_facts(agent, run)
                text = await self._run_workflow(agent, run)
        except TimeoutError:
            run.verdicts[agent] = "TIMEOUT"
            why, rest_s = "The model took too long.", LEAST_REST_S
        # A model, its server and ADK may raise anything. The driver gets the fallback and a sentence.
        except Exception as error:
            rest_s = rest_after(error)
            if any(isinstance(one, NoNarrative) for one in causes(error)):
                # The pipeline ended because its data agents did: theirs is the reason.
                why = " ".join(dict.fromkeys(held.partition(": ")[2] for held in run.missing.values()))
            else:
                why = sentence(error)
        else:
            # Nothing else is told of an answer that used no data, but that a change was not made.
            unverified = run.verdict() == "ESCALATED" and not (run.change or agent in PIPELINES)
            answer = None if unverified else self._of_points(text or run.heard, agent, run, left_out)
            if answer is not None:
                return answer
            why = "The model answered nothing."
            if text:
                why = _NO_DATA if unverified else _NO_POINT
            if run.declined:
                why = f"The model declined to answer ({run.declined})."
        # What it had said to the end before it failed stands.
        run.cut[speaker_of(agent)] = why
        broken = self._of_points(run.heard, agent, run, left_out) if run.heard else None
        if broken is not None and run.verdict() != "ESCALATED":
            return msgspec.structs.replace(broken, rest_s=rest_s)
        run.emit(Error(why))
        return msgspec.structs.replace(await fallback.answer(run, why), rest_s=rest_s)

    async def _prompt(self, agent: str, question: str, turns: Sequence[Turn] = ()) -> BuiltPrompt:
        sections = await asyncio.to_thread(self._context, agent, question) if self._context else ()
        return build_prompt(question, sections, turns)

    def _of_points(self, text: str, agent: str, run: Run, left_out: tuple[str, ...]) -> Answer | None:
        """The answer that a model's points make with the certain facts, None where it gave no point."""
        given = points_in(text)
        points = run.facts.kept(given.points)
        saved = any(not EFFECTS.isdisjoint(tools) for tools in run.succeeded.values())
        if not points and not (run.change and (saved or run.verdict() == "ESCALATED")):
            return None
        # A data agent that was cut is missing, and told as such.
        speaker = speaker_of(agent)
        cut = () if given.whole and not run.cut.get(speaker) else (f"{_CUT}: it was cut off",)
        verdict = run.verdict()
        missing = [held.partition(":")[0] for held in run.missing.values()]
        lacking = [self._words.say("nothing this time", what=", ".join(missing))] if missing else []
        if run.change and not saved:
            lacking.append(self._words.say("not saved"))
        return Answer(
            text=" ".join(filter(None, [run.facts.told(points), *lacking])),
            emotion=given.emotion or run.mood,
            agent=speaker,
            tier="paddock",
            verdict=verdict,
            unverified=verdict == "ESCALATED",
            missing=(*run.missing.values(), *cut),
            left_out=(*left_out, *run.left_out),
            audit=tuple(run.audit),
            model_calls=run.model_calls,
        )

    def _named(self, corner: str) -> str:
        found = find_corners(self._track, corner) if self._track else []
        return found[0].id if len(found) == 1 else ""

    def _asked_for(self, prompt: str, turns: Sequence[Turn]) -> tuple[str, ...]:
        """The corners that a question names, else those of the latest words of the driver that name one."""
        texts = [prompt, *(turn.text for turn in reversed(turns) if turn.role == "driver")]
        named = (corners_in(self._track, text) for text in texts) if self._track else ()
        return next(filter(None, named), ())

    async def _fetch_facts(self, agent: str, run: Run) -> None:
        """Call what is always needed before the model is asked, and tell it: that is certain."""
        composed, run.mood = split_emotion(await asyncio.to_thread(self._compose, agent, run.question))
        if not run.change:
            take_up_composed(run.facts, composed, certain=run.mood != NEUTRAL)
        if self._fetch is None:
            return
        if agent not in PIPELINES:
            run.fetched(agent, await asyncio.to_thread(self._fetch, agent, run.question, ()))
            return
        for part in PIPELINES[agent].parts:
            run.fetched(
                part.agent, await asyncio.to_thread(self._fetch, part.agent, run.question, part.fetches)
            )

    async def _run_workflow(self, agent: str, run: Run) -> str:
        """Run ADK to its end; the text of the last node that gives plain text."""
        if agent not in self._runners:
            root = build_workflow(
                agent, self._model, self._toolbox, self._engine.runs, fetched=self._fetch is not None
            )
            self._runners[agent] = self._engine.runner(root)
        most = _MAX_MODEL_CALLS if agent in PIPELINES else _MAX_QUESTION_CALLS
        output = await self._engine.run(
            self._runners[agent], run, Translator(agent, run), max_model_calls=most
        )
        return output if isinstance(output, str) else ""
