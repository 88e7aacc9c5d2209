"""The job `profile`: the driver's events and lessons of a session, computed without a model or network."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.analysis.tool_kit import ToolRefused
from pitwall.contract.jobs import JobResult, SessionInput
from pitwall.paddock.controller.checkpoint import Checkpoint, JobItem
from pitwall.paddock.controller.resources import JobFailed
from pitwall.paddock.controller.running_job import RunningJob


class ProfileWork:
    """A `JobWork` whose only item is the session. Doing it twice changes nothing."""

    def __init__(self, given: SessionInput) -> None:
        self._given = given

    async def discover(self, running: RunningJob) -> Sequence[JobItem]:
        return [JobItem(id=self._given.session)]

    async def plan(self, running: RunningJob) -> Sequence[str]:
        return [self._given.session]

    async def execute(self, running: RunningJob) -> str:
        return ""

    async def verify(self, running: RunningJob) -> Sequence[str]:
        return []

    async def commit(self, running: RunningJob) -> str:
        try:
            await running.write(running.state, running.resources.profile, self._given.session)
        except ToolRefused as refused:
            raise JobFailed(refused.error) from None
        return "kept"

    def result(self, state: Checkpoint) -> JobResult:
        return JobResult(done={item.id: item.outcome for item in state.items if item.state == "committed"})
