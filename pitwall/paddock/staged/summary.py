"""The answer: what the stages found as claims that cite their queries, and the queries at the end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from google.adk import Workflow
from google.adk.agents.context import Context
from google.adk.events import Event
from google.adk.workflow import START, Node

from pitwall.paddock.emotions import DEFAULT, EMOTIONS
from pitwall.paddock.runs import Runs
from pitwall.paddock.staged.agents import StagedAgent, ask_form
from pitwall.paddock.staged.analysis_run import (
    AnalysisRun,
    blocks,
    done_shown,
    evidence_shown,
    problems_shown,
)
from pitwall.paddock.staged.checks import checked
from pitwall.paddock.staged.evidence import QueryLog, called_as
from pitwall.paddock.staged.forms import SummaryForm
from pitwall.paddock.staged.state import AnalysisState, Claim, Stage, StageDone

_MOST_CLAIMS = 8


@dataclass
class Summary:
    """What the summary came to: empty where the model had nothing to say that stands."""

    claims: tuple[Claim, ...] = ()
    emotion: str = DEFAULT


class _Tell(Node):
    """Asks for the summary, once again where a claim does not stand; what still does not is left out."""

    rerun_on_resume: bool = True
    desk: AnalysisRun
    summary: Summary
    member: StagedAgent
    runs: Runs

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        run, desk = self.runs.of(ctx.invocation_id), self.desk
        cited = behind(claim for stage in desk.state.done for claim in stage.claims)
        shown = blocks(
            desk.head, done_shown(desk.state.done), evidence_shown(desk.ledger.known(cited))
        )  # fmt: skip
        faults = await self._told(ctx, shown)
        if faults:
            run.tell(f"Asked again: {faults[0]}")
            again = problems_shown("What was wrong with your last answer:", faults)
            await self._told(ctx, blocks(shown, again))
        yield Event(output=len(self.summary.claims))

    async def _told(self, ctx: Context, shown: str) -> list[str]:
        """Take what stands of the next answer; what is wrong with the rest."""
        form = await ask_form(ctx, self.runs.of(ctx.invocation_id), self.member, SummaryForm, shown)
        claims, faults = checked(form.claims[:_MOST_CLAIMS], self.desk.ledger, self.desk.state.question)
        if claims:
            self.summary.claims = claims
            self.summary.emotion = form.emotion if form.emotion in EMOTIONS else DEFAULT
        return faults


def summary_workflow(desk: AnalysisRun, summary: Summary, runs: Runs) -> Workflow:
    """The summary as a graph; what it came to stands in `summary`."""
    tell = _Tell(name="Tell", desk=desk, summary=summary, member=desk.team.summary(), runs=runs)
    return Workflow(name="Telling", edges=[(START, tell)])


def text_of(claims: Sequence[Claim], missing: Sequence[str], ledger: QueryLog) -> str:
    """The claims with their ids, what is missing, and at the end the queries that were cited."""
    told = " ".join(f"{_open_ended(claim.text)} [{', '.join(claim.queries)}]." for claim in claims)
    listed = [f"[{query.id}] {called_as(query)}" for query in ledger.known(behind(claims))]
    return blocks(
        told,
        problems_shown("Not in this answer:", missing),
        "\n".join(["Queries:", *listed]),
    )


def missing_of(state: AnalysisState, failed: Sequence[tuple[Stage, str]], why: str) -> list[str]:
    """What is still to be done: the stages that failed, and those not reached because of `why`."""
    return [
        *(f"{stage.goal}: {problem}" for stage, problem in failed),
        *(f"{stage.goal}: {why}" for stage in state.stages),
    ]


def not_shown(done: Iterable[StageDone]) -> list[str]:
    """The criteria of finished stages that nothing showed: no more work would be done on them."""
    return [f"{stage.goal}: not shown: {what}" for stage in done for what in stage.unmet]


def plain_claims(done: Iterable[StageDone]) -> tuple[Claim, ...]:
    """What to tell without a summary: all that the stages found, in order, each once."""
    return tuple(dict.fromkeys(claim for stage in done for claim in stage.claims))


def behind(claims: Iterable[Claim]) -> list[str]:
    """The ids that claims cite, in order, each once."""
    return list(dict.fromkeys(one for claim in claims for one in claim.queries))


def _open_ended(text: str) -> str:
    return text.rstrip().rstrip(".")
