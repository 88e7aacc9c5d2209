"""Tools over a small set of facts, and a model that does as it is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from model_server import Asked, Reply

from pitwall.paddock.roster import DUTIES

PASSES = [
    {"lap": 5, "corner": "turn_11", "time_s": 9.41, "min_speed_kph": 61.2},
    {"lap": 7, "corner": "turn_11", "time_s": 9.02, "min_speed_kph": 64.8},
]


def query_pitwall_db(sql: str) -> dict[str, Any]:
    """One SELECT over the recordings."""
    if not sql.lower().startswith("select"):
        return {"error": "only one SELECT is allowed"}
    return {"columns": ["laps"], "rows": [[12]]}


def lap_delta(lap: int = 7, other: int = 5) -> dict[str, Any]:
    """The difference of two laps, by corner."""
    return {
        "told": "Lap 7 was 0.39 seconds quicker.",
        "laps": [lap, other],
        "delta_s": -0.39,
        "corners": [{"corner": "turn_11", "delta_s": -0.39}],
    }


def corner_history(corner: str = "") -> dict[str, Any]:
    """Every pass of one corner."""
    return {
        "told": "Your minimum speed at turn 11 was up from 61.2 to 64.8.",
        "passes": [one for one in PASSES if not corner or one["corner"] == corner],
    }


def audio_script_context(corner: str = "") -> dict[str, Any]:
    """What is said now."""
    return {"turn_11": {"brake": "Brake now"}}


def save_voice_scripts(corner_name: str, phrases: dict[str, str]) -> dict[str, Any]:
    """Write the phrases of one corner."""
    return {"corner": corner_name, "changed": phrases}


def tell_figure(measure: str = "speed") -> dict[str, Any]:
    """One figure."""
    return {"told": f"The {measure} is 5."}


def recall(words: str = "") -> dict[str, Any]:
    """What was told before."""
    return {"found": []}


def fixed(name: str, about: str, **result: Any) -> Callable[..., dict[str, Any]]:
    """A tool that takes nothing and gives this."""

    def tool() -> dict[str, Any]:
        return {**result}

    tool.__name__, tool.__doc__ = name, about
    return tool


_EXIT = {"what": "fastest exit of the day", "corner": "turn_11", "lap": 7, "gain_s": 0.39}
_LOSS = {"corner": "turn_11", "loss_s": 0.62, "brake_delta_m": 14.0}
_SPREAD = {"corner": "turn_11", "spread_s": 0.2}
_TOOLS = (
    query_pitwall_db, lap_delta, corner_history,
    fixed("progress", "Whether the driver gets faster.", told="The best lap is 112.34 now.",
          best_s=[112.9, 112.34], trend="faster"),
    fixed("setup_indicators", "What the signals say of the car's balance.", understeer_index=0.12),
    fixed("highlights", "What went well.", highlights=[_EXIT],
          told="Lap 7 had your fastest exit of the day, 0.39 s better."),
    fixed("reference_lap_comparison", "The best lap against the reference.", told="Turn 11 costs 0.62 s.",
          gap_s=1.84, corners=[_LOSS]),
    fixed("conditions", "The weather, as far as it was measured.", measured=False),
    fixed("session_plan", "What to do in the next run.", laps=8),
    fixed("incidents", "Moments of the session.", incidents=[]),
    fixed("race_pace", "Pace over the stint.", slope_s_per_lap=0.05),
    fixed("goal_targets", "What is within reach.", target_s=111.9),
    fixed("variance_map", "Where the driver is steady.", corners=[_SPREAD]),
    audio_script_context,
    fixed("agent_telemetry", "Which signals there are.", told="There is a speed.", signals=["speed_mps"]),
    save_voice_scripts, tell_figure, recall,
)  # fmt: skip
TOOLBOX: dict[str, Callable[..., Any]] = {tool.__name__: tool for tool in _TOOLS}
_FACT = re.compile(r"\b(F[0-9]+):")


def points(asked: Asked, emotion: str = "calm") -> str:
    """Every fact that an agent is shown."""
    ids = dict.fromkeys(_FACT.findall(asked.text.rpartition("What can be told")[2]))
    ids |= {str(result["fact"]): None for _tool, result in asked.results if "fact" in result}
    return json.dumps({"emotion": emotion, "points": [{"fact": each, "advice": ""} for each in ids]})


def first_call(asked: Asked, duty_tools: dict[str, str]) -> Reply | None:
    """The call an obedient agent makes first, None when it has its result."""
    tool = duty_tools.get(asked.agent)
    if tool not in asked.tools or tool in asked.called or f"Already found by {tool}" in asked.text:
        return None
    return Reply(calls=[(tool, {"sql": "SELECT 1"} if tool == "query_pitwall_db" else {})])


FIRST_TOOL = {name: duty.tools[0] for name, duty in DUTIES.items() if duty.tools}


def answered(asked: Asked) -> Reply:
    """An agent's answer once it has its facts: all of them, in the order in which they are shown."""
    if "set_model_response" in asked.tools:
        return Reply(calls=[("set_model_response", {"points": json.loads(points(asked))["points"]})])
    return Reply(text=points(asked))


def obedient(asked: Asked) -> Reply:
    """Calls what it must, then answers."""
    return first_call(asked, FIRST_TOOL) or answered(asked)
