"""DebriefPipeline tells how the session went: three data agents at once, then the narrative."""

from __future__ import annotations

from pitwall.analysis.compose import compose_debrief
from pitwall.analysis.port import Facts
from pitwall.analysis.report import DebriefFacts, debrief_facts
from pitwall.analysis.tools import Tools
from pitwall.paddock.agents import DataPart, Pipeline
from pitwall.paddock.agents.brief_pipeline import PEDAGOGY


def _composed(tools: Tools, facts: Facts) -> tuple[str, str]:
    found = debrief_facts(tools.report())
    return compose_debrief(found, facts.words), debrief_mood(found)


def debrief_mood(facts: DebriefFacts) -> str:
    """Calm where something went wrong, proud of a best, else glad of what came good."""
    if facts.incidents:
        return "calm"
    kinds = {each.kind for each in facts.highlights}
    if "personal best" in kinds:
        return "proud"
    return "encouraging" if kinds else "focused"


AGENT = Pipeline(
    name="DebriefPipeline",
    keywords="debrief-, today, highlight-",
    rank=13,
    parts=(
        DataPart("HighlightFinderAgent", "highlights_data", "what went well", ("highlights",)),
        DataPart(
            "TelemetryAgent",
            "telemetry_data",
            "what the telemetry shows",
            ("agent_telemetry", "incidents"),
        ),
        PEDAGOGY,
    ),
    composed=_composed,
)
