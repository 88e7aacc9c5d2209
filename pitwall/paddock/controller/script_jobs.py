"""The job `voice_scripts`: phrases for all corners of a track, one model call each, checked, written once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from pitwall.analysis.tool_kit import Result
from pitwall.coach.cue import PHASES
from pitwall.coach.phrases import can_say
from pitwall.coach.scripts import OWN, PHASE_KEYS, check_script, keep_own, own_keys
from pitwall.contract.jobs import JobResult, ScriptsInput
from pitwall.paddock.context import FACTS, cut
from pitwall.paddock.controller.resources import JobFailed, JobWaits, ModelRequest
from pitwall.paddock.controller.running_job import Checkpoint, JobItem, RunningJob
from pitwall.paddock.controller.work import JobResources, JobWork
from pitwall.paddock.model_text import clean
from pitwall.paddock.roster import PROMPTS
from pitwall.track.model import Track

if TYPE_CHECKING:
    from pydantic import BaseModel

AGENT = "VoiceScriptAgent"
# A corner's phrases, landmarks and losses are about 900 characters.
_FACTS_CHARS = 4_000


class VoiceScriptWork(JobWork):
    """The work in its phases; items are the track's corners. BudgetSpent, JobWaits."""

    def __init__(self, given: ScriptsInput, resources: JobResources) -> None:
        self._given, self._resources = given, resources

    async def discover(self, running: RunningJob) -> Sequence[JobItem]:
        """The items, each with its facts. JobFailed where they can't be known."""
        track = await self._track(running)
        sessions = await running.read(self._resources.records.sessions)
        session = next((row.id for row in reversed(sessions) if row.track == track.id), None)
        tool, found = self._resources.toolbox["audio_script_context"], list[dict[str, Any]]()
        for corner in track.corners if session is not None else ():
            context: Result = await running.tool(tool, corner=corner.id, session=session)
            if "corners" not in context:
                break
            found += context["corners"]
        if len(found) < len(track.corners):
            found = await self._corners_without_session(running, track)
        return [JobItem(id=corner["corner"], facts=_json(corner)) for corner in found]

    async def plan(self, running: RunningJob) -> Sequence[JobItem]:
        """The most time to gain first."""
        return sorted(running.state.items, key=lambda item: -_loss_s(msgspec.json.decode(item.facts)))

    async def execute(self, running: RunningJob) -> str:
        """A draft of the current item. UnusableReply."""
        request = ModelRequest(
            agent=AGENT,
            instruction=PROMPTS["voice_script_job"],
            prompt=self._prompt(running.state.item),
            schema=phrases_form(),
        )
        return _json(tidied(await running.call(self._resources.caller, running.state.item.id, request)))

    async def verify(self, running: RunningJob) -> tuple[str, Sequence[str]]:
        """The check of every writer; phases that would fall silent."""
        item, track = running.state.item, await self._track(running)
        script = _script(item)
        now = (await running.read(self._resources.records.scripts, track)).get(item.id, {})
        silent = [phase for phase in PHASES if phase in now and phase not in script]
        missing = [f"{', '.join(silent)} is missing: give a phrase for each of these"] if silent else []
        return item.draft, [*check_script(item.id, script, track), *missing]

    async def commit(self, running: RunningJob) -> str:
        """Save the intention first, so that nothing is written twice after a kill."""
        item, track = running.state.item, await self._track(running)
        script = _script(item)
        intention = digest(script)
        now = (await running.read(self._resources.records.scripts, track)).get(item.id, {})
        if tidied(now) == tidied(script):
            return "written" if item.intention == intention else "as it was"
        # The pieces of advice are not asked for: they stay, and so do the driver's own words.
        own = own_keys(now)
        script |= {key: text for key, text in now.items() if key in own or key not in (*PHASE_KEYS, OWN)}
        script = keep_own(now, script)
        intended = running.state.with_item(intention=intention)
        save_script = self._resources.records.save_script
        try:
            through = f"job {running.job}"
            return await running.write(intended, save_script, track, item.id, script, through, through)
        except OSError as error:
            raise JobWaits(f"the script of {item.id} can't be written: {error.strerror or error}") from error

    def result(self, state: Checkpoint) -> JobResult:
        """The result of a job that has ended."""
        return JobResult(
            done={item.id: item.outcome for item in state.items if item.state == "committed"},
            given_up={item.id: item.outcome for item in state.items if item.state == "given_up"},
        )

    def _prompt(self, item: JobItem) -> str:
        blocks = [f"The corner: {item.id}", f"{FACTS}\n{cut(item.facts, _FACTS_CHARS)}"]
        if self._given.wish:
            blocks.append(f"The driver's wish: {self._given.wish}")
        if item.problems:
            blocks.append(f"Your last reply was refused: {'; '.join(item.problems)}.")
        if item.problems and item.draft:
            blocks.append(f"It was:\n{cut(item.draft, _FACTS_CHARS)}")
        return "\n\n".join(blocks)

    async def _track(self, running: RunningJob) -> Track:
        track = await running.read(self._resources.records.track, self._given.track)
        if track is None:
            raise JobFailed(f"no track {self._given.track} is known any more")
        return track

    async def _corners_without_session(self, running: RunningJob, track: Track) -> list[dict[str, Any]]:
        now = await running.read(self._resources.records.scripts, track)
        return [
            {
                "corner": corner.id,
                "name": corner.name,
                "phrases": now.get(corner.id, {}),
                "can_say": can_say(track, corner),
            }
            for corner in track.corners
        ]


@cache
def phrases_form() -> type[BaseModel]:
    """The typed reply: one text for each phase and each short form, "" where there is none."""
    # Pydantic takes a third of ADK's import time, and a profile needs no model.
    from pydantic import create_model

    from pitwall.paddock.reply_forms import AnswerForm

    fields: dict[str, Any] = dict.fromkeys(PHASE_KEYS, (str, ""))
    return create_model("VoiceScript", __base__=AnswerForm, **fields)


def tidied(reply: Mapping[str, Any]) -> dict[str, str]:
    """The reply as a script: keys in their order, single blanks, no empty texts."""
    texts = {key: " ".join(str(reply.get(key) or "").split()) for key in PHASE_KEYS}
    return {key: text for key, text in texts.items() if text}


def digest(script: Mapping[str, str]) -> str:
    """Return what a commit intends to write, in 32 hexadecimal digits."""
    return hashlib.blake2b(msgspec.json.encode(dict(script), order="sorted"), digest_size=16).hexdigest()


def _loss_s(corner: Mapping[str, Any]) -> float:
    return (corner.get("opportunity") or {}).get("loss_s") or 0.0


def _script(item: JobItem) -> dict[str, str]:
    return msgspec.json.decode(item.draft, type=dict[str, str])


def _json(value: Any) -> str:
    return msgspec.json.encode(clean(value)).decode()
