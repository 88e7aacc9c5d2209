"""The table of the seventeen agents: their duties, their tools, and the tools that they must use."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

import msgspec

NARRATIVE = "NarrativeAgent"
DEBRIEF, BRIEF = "DebriefPipeline", "BriefPipeline"
# The limit for a description.
MAX_DESCRIPTION_WORDS = 30


class Duty(msgspec.Struct, frozen=True, kw_only=True):
    """One agent. `requires`: each entry is a group of tools of which one must have succeeded; `writes`: the
    tool that must have, too, where a change was asked for."""

    name: str
    description: str
    tools: tuple[str, ...] = ()
    requires: tuple[tuple[str, ...], ...] = ()
    writes: str = ""

    def required(self, change: bool) -> tuple[tuple[str, ...], ...]:
        """What must have succeeded for a question that asks for a change, or for none."""
        return (*self.requires, (self.writes,)) if change and self.writes else self.requires


class DataPart(msgspec.Struct, frozen=True):
    """An agent's place in a pipeline: the state key its typed findings are kept under (their type stands in
    `forms.SCHEMAS`), what it gives, and the tools whose results code puts into its prompt; with
    `marks` also the composed answer, which names the marks beside the track."""

    agent: str
    key: Literal["highlights_data", "telemetry_data", "pedagogy_data"]
    gives: str
    fetches: tuple[str, ...]
    marks: bool = False


def _specialist(name: str, description: str, always: str, *also: str) -> Duty:
    return Duty(name=name, description=description, tools=(always, *also), requires=((always,),))


_ANY_RECORD = ("query_pitwall_db", "agent_telemetry", "lap_delta", "corner_history")

DUTIES: dict[str, Duty] = {
    duty.name: duty
    for duty in (
        Duty(
            name="TelemetryAgent",
            description="Answers questions about anything recorded: laps, times, speeds and signals.",
            tools=_ANY_RECORD,
            requires=(_ANY_RECORD,),
        ),
        _specialist(
            "HighlightFinderAgent", "Finds what the driver did well, with evidence.", "highlights", "progress"
        ),
        _specialist(
            "PedagogyAgent",
            "Chooses at most three things to work on and the order to teach them.",
            "reference_lap_comparison",
            "corner_history",
            "progress",
        ),
        Duty(
            name=NARRATIVE,
            description="Tells the driver what the data agents found, in spoken words and no other numbers.",
        ),
        _specialist(
            "GoldLapAgent",
            "Compares the driver with the reference lap and says where the time is.",
            "reference_lap_comparison",
            "corner_history",
        ),
        _specialist(
            "WeatherAdaptationAgent",
            "Helps the driver adapt to fog, rain, cold and changing grip.",
            "conditions",
            "lap_delta",
        ),
        _specialist(
            "SessionPlannerAgent",
            "Plans the next run: laps, aims and when to come in.",
            "session_plan",
            "progress",
        ),
        _specialist(
            "IncidentReviewAgent",
            "Reviews moments: slides, lock-ups, spins and spikes, calmly.",
            "incidents",
            "lap_delta",
        ),
        _specialist(
            "RacePaceAgent",
            "Looks at stints: pace over laps and tyre degradation.",
            "race_pace",
            "corner_history",
        ),
        _specialist("GoalSettingAgent", "Sets targets a driver can reach.", "goal_targets", "progress"),
        _specialist(
            "MentalMapAgent",
            "Shows where the driver is consistent and where not.",
            "variance_map",
            "corner_history",
        ),
        Duty(
            name="VoiceScriptAgent",
            description="Writes the phrases that are spoken in the car.",
            tools=("audio_script_context", "save_voice_scripts"),
            requires=(("audio_script_context",),),
            writes="save_voice_scripts",
        ),
        _specialist(
            "CornerCoachAgent",
            "Coaches one corner: approach, braking, turn-in, apex and exit.",
            "corner_history",
            "reference_lap_comparison",
        ),
        _specialist(
            "LapComparisonAgent",
            "Compares two laps, or a lap and the reference.",
            "lap_delta",
            "corner_history",
        ),
        _specialist(
            "ProgressTrackerAgent",
            "Says whether the driver gets faster over laps and sessions.",
            "progress",
            "corner_history",
        ),
        _specialist(
            "SetupAdvisorAgent",
            "Tells the driver's hands from the car's set-up.",
            "setup_indicators",
            "corner_history",
        ),
        _specialist(
            "MindsetCoachAgent",
            "Helps a driver who is frustrated, stuck or nervous, with evidence.",
            "highlights",
            "progress",
        ),
    )
}

# The tools that change something. They run only where the driver's own question asked for that.
EFFECTS = frozenset(duty.writes for duty in DUTIES.values() if duty.writes)

_TELEMETRY = DataPart(
    "TelemetryAgent", "telemetry_data", "what the telemetry shows", ("agent_telemetry", "incidents")
)
_HIGHLIGHTS = DataPart("HighlightFinderAgent", "highlights_data", "what went well", ("highlights",))
_PEDAGOGY = DataPart(
    "PedagogyAgent", "pedagogy_data", "what to work on", ("reference_lap_comparison",), marks=True
)

PIPELINES: dict[str, tuple[DataPart, ...]] = {
    DEBRIEF: (_HIGHLIGHTS, _TELEMETRY, _PEDAGOGY),
    BRIEF: (_PEDAGOGY,),
}


@cache
def instruction(agent: str, typed: bool = False, tools: bool = True) -> str:
    """An agent's prompt: its own file, then the common way of working, spoken or as typed findings. Without
    `tools` the table of when to call which is left out."""
    own = prompt(agent)
    if agent == NARRATIVE:
        return own
    if not tools:
        own = "\n".join(line for line in own.splitlines() if not line.startswith("|"))
        return "\n".join((own, prompt("fetched").rstrip(), prompt("typed")))
    return "\n".join((own, prompt("common").rstrip(), prompt("typed" if typed else "spoken")))


def prompt(name: str) -> str:
    """One file of the folder of prompts, by its name without the ending."""
    return resources.files("pitwall.paddock").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
