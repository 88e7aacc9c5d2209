"""BriefPipeline says what to do in the next run: the instructor, then the narrative."""

from __future__ import annotations

from pitwall.analysis.compose import compose_brief
from pitwall.analysis.port import Facts
from pitwall.analysis.report import brief_facts
from pitwall.analysis.tools import Tools
from pitwall.paddock.agents import DataPart, Pipeline

PEDAGOGY = DataPart("PedagogyAgent", "pedagogy_data", "what to work on", ("reference_lap_comparison",))


def _composed(tools: Tools, facts: Facts) -> tuple[str, str]:
    return compose_brief(brief_facts(tools.report(), facts), facts.words), "focused"


AGENT = Pipeline(
    name="BriefPipeline",
    keywords="brief, briefing",
    rank=14,
    parts=(PEDAGOGY,),
    composed=_composed,
)
