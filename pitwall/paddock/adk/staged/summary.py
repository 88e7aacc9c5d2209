"""The answer: what the stages found as claims that cite their queries, and the queries at the end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from google.adk import Workflow
from google.adk.agents.context import Context
from google.adk.events import Event
from google.adk.workflow import START, Node

from pitwall.paddock.adk.staged.agents import SUMMARY
from pitwall.paddock.adk.staged.analysis_run import (
    AnalysisRun,
    blocks,
    done_shown,
    evidence_shown,
    problems_shown,
)
from pitwall.paddock.adk.staged.checks import checked
from pitwall.paddock.adk.staged.evidence import QueryLog, called_as
from pitwall.paddock.adk.staged.forms import SummaryForm
from pitwall.paddock.adk.staged.state import AnalysisState, Claim, Stage, StageDone
from pitwall.paddock.emotions import DEFAULT, EMOTIONS
from pitwall.paddock.runs import Runs

_MOST_CLAIMS = 8


@dataclass
class Summary:
    """The claims of the summary that stand; none where the model wrote no such claim."""

    claims: tuple[Claim, ...] = ()
    emotion: str = DEFAULT


class _SummaryNode(Node):
    """Asks for the summary, and once again where a claim does not stand. Wrong claims are left out."""

    rerun_on_resume: bool = True
    analysis: AnalysisRun
    summary: Summary
    runs: Runs

    async def run_node_impl(self, *, ctx: Context, node_input: Any) -> AsyncGenerator[Any, None]:
        analysis, done = self.analysis, self.analysis.state.done
        cited = cited_queries(claim for stage in done for claim in stage.claims)
        evidence = evidence_shown(analysis.queries.known(cited))
        shown = blocks(analysis.head, done_shown(done), evidence)
        faults = await self._ask(ctx, shown)
        if faults:
            self.runs.of(ctx.invocation_id).show_progress(f"Asked again: {faults[0]}")
            again = problems_shown("What was wrong with your last answer:", faults)
            await self._ask(ctx, blocks(shown, again))
        yield Event(output=len(self.summary.claims))

    async def _ask(self, ctx: Context, shown: str) -> list[str]:
        """Keep the claims that stand; what is wrong with the others."""
        run, analysis = self.runs.of(ctx.invocation_id), self.analysis
        form = await analysis.agents.ask(ctx, run, SUMMARY, SummaryForm, shown)
        claims, faults = checked(form.claims[:_MOST_CLAIMS], analysis.queries)
        if claims:
            self.summary.claims = claims
            self.summary.emotion = form.emotion if form.emotion in EMOTIONS else DEFAULT
        return faults


def summary_workflow(analysis: AnalysisRun, summary: Summary, runs: Runs) -> Workflow:
    """Fills in `summary`."""
    node = _SummaryNode(name="SummaryNode", analysis=analysis, summary=summary, runs=runs)
    return Workflow(name="Summary", edges=[(START, node)])


def text_of(claims: Sequence[Claim], missing: Sequence[str], queries: QueryLog) -> str:
    """The claims with their query ids, what is missing, and the cited queries."""
    sentences = " ".join(
        f"{claim.text.rstrip().rstrip('.')} [{', '.join(claim.queries)}]." for claim in claims
    )
    listed = [f"[{query.id}] {called_as(query)}" for query in queries.known(cited_queries(claims))]
    return blocks(
        sentences,
        problems_shown("Not in this answer:", missing),
        "\n".join(["Queries:", *listed]),
    )


def missing_of(state: AnalysisState, failed: Sequence[tuple[Stage, str]], why: str) -> list[str]:
    """The stages that failed, and those that were not reached because of `why`."""
    return [
        *(f"{stage.goal}: {problem}" for stage, problem in failed),
        *(f"{stage.goal}: {why}" for stage in state.stages),
    ]


def not_shown(done: Iterable[StageDone]) -> list[str]:
    """The unmet criteria of finished stages. Another run would not work on them."""
    return [f"{stage.goal}: not shown: {what}" for stage in done for what in stage.unmet]


def all_claims(done: Iterable[StageDone]) -> tuple[Claim, ...]:
    """Everything that the stages found, in order, each claim once."""
    return tuple(dict.fromkeys(claim for stage in done for claim in stage.claims))


def cited_queries(claims: Iterable[Claim]) -> list[str]:
    """The ids that claims cite, in order, each once."""
    return list(dict.fromkeys(one for claim in claims for one in claim.queries))
