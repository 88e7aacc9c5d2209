"""The driver's profile of a session as a job: worked out by code, with neither model nor network."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.analysis.tool_kit import ToolRefused
from pitwall.contract.job_inputs import SessionInput
from pitwall.contract.jobs import JobResult
from pitwall.paddock.controller.checkpoint import Checkpoint, Item
from pitwall.paddock.controller.means import JobFailed
from pitwall.paddock.controller.working import Working


class Profile:
    """The work of one such job: its only item is the session. Done twice it comes to the same."""

    def __init__(self, given: SessionInput) -> None:
        self._given = given

    async def discover(self, working: Working) -> Sequence[Item]:
        return [Item(id=self._given.session)]

    async def plan(self, working: Working) -> Sequence[str]:
        return [self._given.session]

    async def execute(self, working: Working) -> str:
        return ""

    async def verify(self, working: Working) -> Sequence[str]:
        return []

    async def commit(self, working: Working) -> str:
        try:
            await working.write(working.state, working.means.profile, self._given.session)
        except ToolRefused as refused:
            raise JobFailed(refused.error) from None
        return "kept"

    def result(self, state: Checkpoint) -> JobResult:
        return JobResult(done={item.id: item.outcome for item in state.items if item.state == "committed"})
