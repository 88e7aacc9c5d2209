"""CrewChief, the door for code to the App: `run(prompt)` and `ask`; and what answers a question in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Unpack

import msgspec
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm

from pitwall.analysis.places import corners_in, find_corners
from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.events import Answer, Error
from pitwall.paddock.adk.app import AgentTurn, Engine, Step, pitwall_app
from pitwall.paddock.adk.crew import Crew, NoNarrative, asked_pipeline, asked_specialist
from pitwall.paddock.adk.model_client import LEAST_REST_S, causes, rest_after, sentence
from pitwall.paddock.adk.translator import Translator
from pitwall.paddock.context import BuiltPrompt, Section, build_prompt
from pitwall.paddock.facts import SESSION_FACTS
from pitwall.paddock.fallback import FallbackAnswer
from pitwall.paddock.intents import route
from pitwall.paddock.offline import AnswerMeans, OfflineOrchestrator
from pitwall.paddock.points import MOST_TOLD, PointFacts, points_in, take_up_composed
from pitwall.paddock.question_kind import asks_for_change
from pitwall.paddock.roster import DUTIES, EFFECTS, NARRATIVE, PIPELINES, speaker_of
from pitwall.paddock.runs import BeforeCall, Run, Runs
from pitwall.paddock.tellers import NEUTRAL

# A pipeline in which every agent is asked again makes 14 calls.
_MAX_MODEL_CALLS = 24
# One call answers a question whose facts are in its prompt; the rest is for more tools.
_MAX_QUESTION_CALLS = 8
_NO_DATA = "The model answered without looking at the data."
_NO_POINT = "The model named no fact that can be told."
_TOO_LONG = "The model's answer was cut off before it named a fact."
_CUT = "the rest of the model's answer"

ContextSource = Callable[[str, str], Sequence[Section]]
# (agent, question, tools, or () for those that it always needs) -> their results by name.
Fetch = Callable[[str, str, tuple[str, ...]], Mapping[str, Any]]


class CrewChief(OfflineOrchestrator):
    """Answers questions. `context` gives a prompt's blocks, `fetch` tools' results."""

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
        self._fetch, self._before_call = fetch, before_call
        self.engine = Engine()
        self.crew = Crew(model, toolbox, fetched=fetch is not None)

    async def aclose(self) -> None:
        """Close ADK's runner. The caller that opened the model closes it."""
        await self.engine.aclose()

    def app(self) -> App:
        """The App for ADK's own commands: its questions come by no door of ours."""

        def unannounced() -> Run:
            now = asyncio.get_running_loop().time()
            return Run("", now + self._answer_s, emit=lambda _event: None)

        agents = [self.crew.agent(duty) for duty in DUTIES.values() if duty.name != NARRATIVE]
        return pitwall_app(Runs(unannounced), answers=self.answer, agents=agents)

    async def answer(self, turn: AgentTurn, run: Run) -> Answer:
        """The answer to a question that came by ADK's own way."""
        chosen = route(run.question, self._track)
        fallback = FallbackAnswer(self._compose, chosen.agent, run.question, run.deadline + 1.0, self._words)
        run.most_model_calls = _most_calls(chosen.agent)
        try:
            return await self._answered(chosen.agent, run, fallback, lambda step: step(turn, run))
        finally:
            await fallback.close()

    async def _best(self, agent: str, run: Run, fallback: FallbackAnswer) -> Answer:
        def through(step: Step) -> Awaitable[Any]:
            translator = Translator(agent, run)
            return self.engine.run(step, run, translator, max_model_calls=_most_calls(agent))

        return await self._answered(agent, run, fallback, through)

    async def _answered(
        self, agent: str, run: Run, fallback: FallbackAnswer, through: Callable[[Step], Awaitable[Any]]
    ) -> Answer:
        """`through` runs a step inside the App."""
        run.change, run.facts = asks_for_change(run.question), PointFacts(self._words)
        run.before_call = self._before_call
        if self._track is not None:
            run.named_by, run.corners = self._named, self._asked_for(run)
        rest_s = 0.0
        try:
            async with asyncio.timeout_at(run.deadline):
                built = await self._prompt(agent, run.question)
                run.prompt, run.left_out = built.text, built.left_out
                await self._fetch_facts(agent, run, fallback)
                text = await through(lambda turn, own: self._asked(turn, own, agent))
        except TimeoutError:
            run.verdicts[agent] = "TIMEOUT"
            why, rest_s = "The model took too long.", LEAST_REST_S
        # A model, its server and ADK may raise anything: the driver gets the fallback and a
        # sentence.
        except Exception as error:
            rest_s = rest_after(error)
            if any(isinstance(one, NoNarrative) for one in causes(error)):
                # The pipeline ended because its data agents did: theirs is the reason.
                why = " ".join(dict.fromkeys(held.partition(": ")[2] for held in run.missing.values()))
            else:
                why = sentence(error)
        else:
            # Of an answer that used no data only a change that was not made is said.
            unverified = run.verdict() == "ESCALATED" and not (run.change or agent in PIPELINES)
            answer = None if unverified else self._of_points(text or run.heard, agent, run)
            if answer is not None:
                return answer
            why = "The model answered nothing."
            if text:
                too_long = run.cut.get(speaker_of(agent)) == "MAX_TOKENS"
                why = _NO_DATA if unverified else _TOO_LONG if too_long else _NO_POINT
            if run.declined:
                why = f"The model declined to answer ({run.declined})."
        # What it had said to the end before it failed stands.
        run.cut[speaker_of(agent)] = why
        broken = self._of_points(run.heard, agent, run) if run.heard else None
        if broken is not None and run.verdict() != "ESCALATED":
            return msgspec.structs.replace(broken, rest_s=rest_s)
        run.emit(Error(why))
        return msgspec.structs.replace(await fallback.answer(run, why), rest_s=rest_s)

    async def _prompt(self, agent: str, question: str) -> BuiltPrompt:
        sections = await asyncio.to_thread(self._context, agent, question) if self._context else ()
        return build_prompt(question, sections)

    def _of_points(self, text: str, agent: str, run: Run) -> Answer | None:
        """The answer of a model's points and the certain facts, None where it gave no point."""
        given = points_in(text)
        figures = () if agent in PIPELINES else run.figures
        points = run.facts.kept(given.points) or run.facts.kept(figures)
        saved = any(not EFFECTS.isdisjoint(tools) for tools in run.succeeded.values())
        if not points and not (run.change and (saved or run.verdict() == "ESCALATED")):
            return None
        # A data agent that was cut is named as missing.
        speaker = speaker_of(agent)
        cut = () if given.whole and not run.cut.get(speaker) else (f"{_CUT}: it was cut off",)
        verdict = run.verdict()
        missing = [held.partition(":")[0] for held in run.missing.values()]
        lacking = [self._words.say("nothing this time", what=", ".join(missing))] if missing else []
        if run.change and not saved:
            lacking.append(self._words.say("not saved"))
        return Answer(
            text=" ".join(filter(None, [run.facts.told(points), *lacking])),
            emotion=_mood(given.emotion, run.mood),
            agent=speaker,
            tier="paddock",
            verdict=verdict,
            unverified=verdict == "ESCALATED",
            missing=(*run.missing.values(), *cut),
            left_out=run.left_out,
            audit=tuple(run.audit),
            model_calls=run.model_calls,
        )

    def _named(self, corner: str) -> str:
        found = find_corners(self._track, corner) if self._track else []
        return found[0].id if len(found) == 1 else ""

    def _asked_for(self, run: Run) -> tuple[str, ...]:
        """The corners that a question names, else those of the driver's latest words."""
        texts = [run.question, *(turn.text for turn in reversed(run.turns) if turn.role == "driver")]
        named = (corners_in(self._track, text) for text in texts) if self._track else ()
        return next(filter(None, named), ())

    async def _fetch_facts(self, agent: str, run: Run, fallback: FallbackAnswer) -> None:
        """Call what is always needed before the model is asked, and tell it: that is certain."""
        composed, run.mood = await fallback.composed()
        small: Sequence[Any] = ()
        if agent in PIPELINES:
            if self._fetch is not None:
                found = await asyncio.to_thread(self._fetch, agent, run.question, (SESSION_FACTS,))
                small = found.get(SESSION_FACTS, {}).get("facts", ())
            run.facts.most = MOST_TOLD if small else run.facts.most
            run.take_small_facts([part.agent for part in PIPELINES[agent].parts], small)
        # A model that finds nothing either is no reason to say that there is none.
        if not run.change and not small and composed != self._words.say("asked nothing read"):
            reading = agent not in PIPELINES
            take_up_composed(run.facts, composed, certain=run.mood != NEUTRAL, reading=reading)
        if self._fetch is not None and agent not in PIPELINES:
            run.fetched(agent, await asyncio.to_thread(self._fetch, agent, run.question, ()))

    async def _asked(self, turn: AgentTurn, run: Run, agent: str) -> str:
        ask = asked_pipeline if agent in PIPELINES else asked_specialist
        return await ask(turn, run, self.crew, agent)


# Moods that the data has to give.
_EARNED = frozenset(("proud", "excited"))


def _mood(given: str, composed: str) -> str:
    """The model's mood, unless it is glad of what the data is not."""
    return composed if not given or (given in _EARNED and composed not in _EARNED) else given


def _most_calls(agent: str) -> int:
    return _MAX_MODEL_CALLS if agent in PIPELINES else _MAX_QUESTION_CALLS
