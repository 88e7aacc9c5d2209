"""What a job does, and the means that it gets for that."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitwall.analysis.tool_kit import Toolbox
from pitwall.contract.events import Answer
from pitwall.contract.jobs import AnalysisInput, JobResult
from pitwall.contract.messages import AskRun
from pitwall.paddock.controller.resources import ModelCaller
from pitwall.paddock.controller.running_job import Checkpoint, JobItem, RunMeter, RunningJob
from pitwall.paddock.offline import NO_MODEL
from pitwall.paddock.records import RemoteRecords

if TYPE_CHECKING:
    from pitwall.paddock.offline import AnswerStream


# Opens the stream of the answer to a question within this number of seconds. The meter counts its calls.
OpenAnswer = Callable[[AskRun, float, RunMeter], AbstractAsyncContextManager["AnswerStream"]]


class JobWork:
    """What a job does in its phases. BudgetSpent, JobWaits, JobFailed; `execute`: UnusableReply."""

    most_attempts = 3

    async def discover(self, running: RunningJob) -> Sequence[JobItem]:
        """The things to do; none where the plan makes them."""
        return ()

    async def plan(self, running: RunningJob) -> Sequence[JobItem]:
        """The items in the order in which to work on them."""
        raise NotImplementedError

    async def execute(self, running: RunningJob) -> str:
        """A draft of the current item."""
        raise NotImplementedError

    async def verify(self, running: RunningJob) -> tuple[str, Sequence[str]]:
        """The draft as it is now, and what is wrong with it."""
        raise NotImplementedError

    async def commit(self, running: RunningJob) -> str:
        """Keep the draft; the outcome."""
        return ""

    async def reflect(self, running: RunningJob, state: Checkpoint) -> Checkpoint:
        """The state with what remains to be done after the current item."""
        return state

    async def aclose(self) -> None:
        """Close what is open for it."""

    def trimmed(self, running: RunningJob, state: Checkpoint) -> Checkpoint:
        """The state without items that the budget has no room for."""
        return state

    def begins(self, state: Checkpoint) -> str:
        """The sentence for an item that begins."""
        done, many = sum(item.state != "open" for item in state.items), len(state.items)
        return f"{state.current}: {done + 1} of {many}." if many > 1 else ""

    def again(self, item: JobItem) -> str:
        """The sentence for an item that is tried again."""
        return f"{item.id} is asked again: {'; '.join(item.problems)}"

    def result(self, state: Checkpoint) -> JobResult:
        """What came of the job."""
        raise NotImplementedError

    def told(self, state: Checkpoint, why: str, rest_s: float) -> Answer | None:
        """What is said of it now to somebody who waits; None: nothing. `why` it goes no further."""
        return None


OpenAnalysis = Callable[[AnalysisInput], Awaitable[JobWork]]


@dataclass(kw_only=True)
class JobResources:
    """The means of every job; the last three are None without a model, `why` says why."""

    records: RemoteRecords
    toolbox: Toolbox
    why: str = NO_MODEL
    caller: ModelCaller | None = None
    open_answer: OpenAnswer | None = None
    open_analysis: OpenAnalysis | None = None
