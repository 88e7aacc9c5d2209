"""Voice scripts for all corners of a track: one model call each, checked as every writer is, written once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pitwall.analysis.tool_kit import Result
from pitwall.contract.job_inputs import ScriptsInput
from pitwall.contract.jobs import JobResult
from pitwall.paddock.clean import clean
from pitwall.paddock.context import cut
from pitwall.paddock.controller import phrasing
from pitwall.paddock.controller.checkpoint import Checkpoint, JobItem
from pitwall.paddock.controller.resources import JobFailed, JobWaits, ModelRequest, UnusableReply
from pitwall.paddock.controller.running_job import RunningJob
from pitwall.paddock.roster import prompt
from pitwall.track.model import Track

AGENT = "VoiceScriptAgent"
# A corner's phrases, landmarks and losses are about 900 characters.
_FACTS_CHARS = 4_000


class VoiceScriptWork:
    """The work of one job: its items are the corners of the track."""

    def __init__(self, given: ScriptsInput) -> None:
        self._given = given

    async def discover(self, running: RunningJob) -> Sequence[JobItem]:
        track = await self._track(running)
        sessions = await running.read(running.resources.facts.sessions)
        session = next((row.id for row in reversed(sessions) if row.track == track.id), None)
        context: Result = {}
        if session is not None:
            context = await running.tool(running.resources.toolbox["audio_script_context"], session=session)
        # Nobody drove here yet, or nothing that can be judged: the landmarks and phrases are enough to write.
        corners = context.get("corners") or await self._bare(running, track)
        return [JobItem(id=corner["corner"], facts=_json(corner)) for corner in corners]

    async def plan(self, running: RunningJob) -> Sequence[str]:
        """Most time to gain first; a wish may name another order, which only a model can read."""
        corners = [msgspec.json.decode(item.facts) for item in running.state.items]
        corners.sort(key=lambda corner: -((corner.get("opportunity") or {}).get("loss_s") or 0.0))
        order = [corner["corner"] for corner in corners]
        if not self._given.wish:
            return order
        losses = [
            f"{corner['corner']} ({corner['name']}): {(corner.get('opportunity') or {}).get('loss_s') or 0} s"
            for corner in corners
        ]
        asked = f"The driver's wish: {self._given.wish}\n\nCorners, with the time lost there:\n" + "\n".join(
            losses
        )
        ask = ModelRequest(
            agent=AGENT,
            instruction=prompt("voice_script_order"),
            prompt=asked,
            schema=phrasing.order_form(),
        )
        try:
            reply = await running.call("", ask)
        except UnusableReply:
            return order
        return phrasing.in_order(reply["corners"], order)

    async def execute(self, running: RunningJob) -> str:
        ask = ModelRequest(
            agent=AGENT,
            instruction=prompt("voice_script_job"),
            prompt=self._prompt(running.state.item),
            schema=phrasing.phrases_form(),
        )
        return _json(phrasing.tidied(await running.call(running.state.item.id, ask)))

    async def verify(self, running: RunningJob) -> Sequence[str]:
        item, track = running.state.item, await self._track(running)
        now = await running.read(running.resources.facts.scripts, track)
        known = [msgspec.json.decode(item.facts), self._given.wish]
        return phrasing.problems_of(item.id, _script(item), now.get(item.id, {}), track, known)

    async def commit(self, running: RunningJob) -> str:
        """Kept as an intention first: after a kill, what lies there as intended is not written again."""
        item, track = running.state.item, await self._track(running)
        script = _script(item)
        intention = phrasing.digest(script)
        now = await running.read(running.resources.facts.scripts, track)
        if phrasing.same_words(now.get(item.id, {}), script):
            return "written" if item.intention == intention else "as it was"
        intended = running.state.with_item(intention=intention)
        try:
            return await running.write(intended, running.resources.facts.save_script, track, item.id, script)
        except OSError as error:
            raise JobWaits(f"the script of {item.id} can't be written: {error.strerror or error}") from error

    def result(self, state: Checkpoint) -> JobResult:
        return JobResult(
            done={item.id: item.outcome for item in state.items if item.state == "committed"},
            given_up={item.id: item.outcome for item in state.items if item.state == "given_up"},
        )

    def _prompt(self, item: JobItem) -> str:
        blocks = [f"The corner: {item.id}", f"Facts:\n{cut(item.facts, _FACTS_CHARS)}"]
        if self._given.wish:
            blocks.append(f"The driver's wish: {self._given.wish}")
        if item.problems:
            blocks.append(f"Your last reply was refused: {'; '.join(item.problems)}.")
        if item.problems and item.draft:
            blocks.append(f"It was:\n{cut(item.draft, _FACTS_CHARS)}")
        return "\n\n".join(blocks)

    async def _track(self, running: RunningJob) -> Track:
        track = await running.read(running.resources.facts.track, self._given.track)
        if track is None:
            raise JobFailed(f"no track {self._given.track} is known any more")
        return track

    async def _bare(self, running: RunningJob, track: Track) -> list[dict[str, Any]]:
        now = await running.read(running.resources.facts.scripts, track)
        return [
            {"corner": corner.id, "name": corner.name, "phrases": now.get(corner.id, {})}
            for corner in track.corners
        ]


def _script(item: JobItem) -> dict[str, str]:
    return msgspec.json.decode(item.draft, type=dict[str, str])


def _json(value: Any) -> str:
    return msgspec.json.encode(clean(value)).decode()
