"""Answers without a model: the tools that each intent needs, and sentences from their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pitwall.analysis.compose_words import PURPOSES, corner_name, joined, lap_time, laps_named

Result = Mapping[str, Any]
# A list read aloud is over after three.
MOST_NAMED = 3

# intent -> the tools whose results its answer is made from. Those that need an argument are asked by the
# caller, who knows the question: `corner_history(corner=...)`, `lap_delta(lap=..., against=...)`.
ANSWER_TOOLS: dict[str, tuple[str, ...]] = {
    "GoldLapAgent": ("reference_lap_comparison",),
    "WeatherAdaptationAgent": ("conditions",),
    "SessionPlannerAgent": ("session_plan",),
    "IncidentReviewAgent": ("incidents",),
    "RacePaceAgent": ("race_pace",),
    "GoalSettingAgent": ("goal_targets",),
    "MentalMapAgent": ("variance_map",),
    "VoiceScriptAgent": ("audio_script_context",),
    "CornerCoachAgent": ("corner_history",),
    "LapComparisonAgent": ("lap_delta",),
    "ProgressTrackerAgent": ("progress",),
    "SetupAdvisorAgent": ("setup_indicators",),
    "MindsetCoachAgent": ("highlights",),
    "TelemetryAgent": ("agent_telemetry",),
}


def compose_answer(intent: str, facts: Mapping[str, Result]) -> str:
    """A plain answer from tool results by tool name (as `Tools.table()` gives them). The intent's own tools
    speak first, then what else there is; a refusal is told as it is."""
    order = [*ANSWER_TOOLS.get(intent, ()), *facts]
    said = []
    for name in dict.fromkeys(order):
        result = facts.get(name)
        if result is None or name not in _SAYERS:
            continue
        said.append(_refusal(result) if "error" in result else _SAYERS[name](result))
    return " ".join(part for part in said if part) or "There is nothing stored yet that could answer this."


def _named(corner: str) -> str:
    return corner_name(corner, {})


def _refusal(result: Result) -> str:
    help_ = result.get("what_to_do", "ask again")
    return f"That can't be answered: {result['error']}. What would help: {help_}."


def _overview(result: Result) -> str:
    if not result["best_lap"]:
        return f"Session {result['session']} has no timed flying lap."
    top = f" Top speed {result['top_speed_kmh']:.0f} km/h." if result["top_speed_kmh"] else ""
    return (
        f"{result['track_name'] or 'Session ' + result['session']}: {result['flying_laps']} flying laps, "
        f"the best a {lap_time(result['best_lap_s'])} in lap {result['best_lap']}.{top}"
    )


def _delta(result: Result) -> str:
    own, other = result["laps"]
    delta_s = result["delta_s"]
    ranked = sorted(result["corners"], key=lambda each: -abs(each["delta_s"]))[:MOST_NAMED]
    parts = [
        f"{_named(each['corner'])} {abs(each['delta_s']):.2f} s {'lost' if each['delta_s'] > 0 else 'won'}"
        for each in ranked
    ]
    way = "slower" if delta_s > 0 else "faster"
    return (
        f"Lap {own} was {abs(delta_s):.3f} s {way} than lap {other} ({lap_time(result['lap_s'])} against "
        f"{lap_time(result['against_s'])}). Most of it: {joined(parts)}."
    )


def _corner(result: Result) -> str:
    name, passes, fault = result["corner"]["name"], result["passes"], result["opportunity"]
    if not passes:
        return f"{name} was not driven in a flying lap of session {result['session']}."
    best = min(passes, key=lambda each: each["time_s"])
    said = (
        f"{name}, {len(passes)} passes: your best was lap {best['lap']}, {best['time_s']:.2f} s and "
        f"{best['min_speed_kmh']:.0f} km/h at the slowest point."
    )
    if fault is None:
        return f"{said} It loses nothing lap after lap."
    return f"{said} It costs {fault['loss_s']:.2f} s a lap in {laps_named(fault['laps'])}: {fault['cause']}."


def compose_passes(result: Result, laps: Sequence[int]) -> str:
    """One corner in these laps, from what `corner_history` gives; a refusal is told as it is."""
    if "error" in result:
        return _refusal(result)
    name, passes = result["corner"]["name"], {each["lap"]: each for each in result["passes"]}
    said = []
    for lap in laps:
        if lap not in passes:
            said.append(f"{name} was not driven in lap {lap} as a flying lap.")
            continue
        own = passes[lap]
        parts = [
            f"{own['time_s']:.2f} s",
            f"{own['entry_speed_kmh']:.0f} km/h in",
            f"{own['min_speed_kmh']:.0f} km/h at the slowest point",
            f"{own['exit_speed_kmh']:.0f} km/h out",
        ]
        if own["peak_brake_bar"] is not None:
            parts.append(f"{own['peak_brake_bar']:.0f} bar at the hardest on the brake")
        if own["loss_s"] is not None and lap != _reference_lap(result):
            lost = "lost" if own["loss_s"] > 0 else "won"
            parts.append(f"{abs(own['loss_s']):.2f} s {lost} against lap {_reference_lap(result)}")
        said.append(f"{name} in lap {lap}: {joined(parts)}.")
    return " ".join(said)


def _reference_lap(result: Result) -> int:
    return int(str(result["reference"] or ":0").rpartition(":")[2])


def _progress(result: Result) -> str:
    count = len(result["sessions"])
    best = lap_time(result["personal_best_s"])
    if count < 2:
        return f"One session on {result['track']} so far, best {best}: progress shows from the second one on."
    gained_s = result["gained_s"]
    way = "quicker" if gained_s >= 0 else "slower"
    return (
        f"{count} sessions on {result['track']}, personal best {best}. The latest best is "
        f"{abs(gained_s):.2f} s {way} than the first. Trend: {result['trend']}."
    )


def _setup(result: Result) -> str:
    notes = "; ".join(result["notes"])
    if result["balance"] == "unknown":
        return f"The balance can't be told: {notes}."
    tail = f" Mind: {notes}." if notes else ""
    return (
        f"The steering says {result['balance']}: {result['gradient_deg_per_g']:.1f} degrees of wheel per g "
        f"beyond what the curve needs.{tail}"
    )


def _highlights(result: Result) -> str:
    said = [f"Your best was a {lap_time(result['best_lap_s'])} in lap {result['best_lap']}."]
    for each in result["highlights"][:MOST_NAMED]:
        sector = f"sector {each['sector']}" if each["sector"] else ""
        what = _named(each["corner"]) or sector or laps_named(each["laps"])
        figure_s = each["value_s"] if each["gain_s"] is None else each["gain_s"]
        said.append(f"{each['kind'].capitalize()}: {what}, {figure_s:.2f} s.")
    return " ".join(said)


def _gold(result: Result) -> str:
    compared = result.get("comparison")
    if compared is None:
        named = [
            f"{_named(each['corner'])} {each['loss_s']:.2f} s"
            for each in result["opportunities"][:MOST_NAMED]
        ]
        worth = (
            f"Against your best lap time goes at {joined(named)}."
            if named
            else "Nothing is lost again and again."
        )
        return f"There is no other reference lap on this track. {worth}"
    ranked = sorted(compared["corners"], key=lambda each: -each["delta_s"])[:MOST_NAMED]
    named = [f"{_named(each['corner'])} {each['delta_s']:.2f} s" for each in ranked if each["delta_s"] > 0.0]
    way = "behind" if compared["delta_s"] > 0 else "ahead of"
    tail = f" Where it goes: {joined(named)}." if named else ""
    return (
        f"Your best lap is {abs(compared['delta_s']):.3f} s {way} the reference {compared['against']}.{tail}"
    )


def _conditions(result: Result) -> str:
    said = [
        f"{each['name']} {each['first']:.1f} to {each['last']:.1f} {each['unit']}"
        for each in result["readings"]
    ]
    grip = (
        f"Grip in use was {result['median_grip_g']:.2f} g, {result['grip']}."
        if result["median_grip_g"]
        else ""
    )
    weather = (
        "" if result["weather_recorded"] else "No weather was recorded, so rain and track are yours to judge."
    )
    return " ".join(part for part in (grip, f"Recorded: {joined(said)}." if said else "", weather) if part)


def _plan(result: Result) -> str:
    parts = []
    for block in result["blocks"]:
        purpose = PURPOSES.get(block["purpose"], f"to {block['purpose']}")
        parts.append(f"{block['laps']} laps {purpose} {_named(block['corner'])}".rstrip())
    return f"{result['total_laps']} laps in all: {joined(parts)}."


def _incidents(result: Result) -> str:
    if not result["count"]:
        return f"Nothing went wrong that the data shows in session {result['session']}."
    parts = [
        f"{each['kind']} in lap {each['lap']}{' at ' + _named(each['corner']) if each['corner'] else ''}"
        for each in result["incidents"][:MOST_NAMED]
    ]
    return f"{result['count']} in all: {joined(parts)}."


def _pace(result: Result) -> str:
    if not result["stints"]:
        return f"No flying lap was timed in session {result['session']}."
    stint = max(result["stints"], key=lambda each: len(each["laps"]))
    spread = f", spread {stint['spread_s']:.2f} s" if len(stint["laps"]) >= MOST_NAMED else ""
    said = (
        f"Your longest stint, {laps_named(stint['laps'])}: best {lap_time(stint['best_s'])}, "
        f"usual {lap_time(stint['median_s'])}{spread}."
    )
    slope = stint["slope_s_per_lap"]
    if slope is None:
        return f"{said} Too few laps to tell whether it fades."
    verdict = "It fades" if stint["fades"] else "It gets quicker" if stint["quickens"] else "No sure trend"
    return f"{said} {verdict}: {slope:+.3f} s a lap."


def _goals(result: Result) -> str:
    if result["theoretical_best_s"] is None:
        return f"Your best is {lap_time(result['best_s'])}; no sectors or corners are known here to add up."
    if result["next_target_s"] is None:
        return (
            f"Your best is {lap_time(result['best_s'])}, and your pieces add up to no more: drive that again."
        )
    where = joined([_named(piece) for piece in result["from_pieces"]])
    tail = f" It is to be found at {where}." if where else ""
    return (
        f"From {lap_time(result['best_s'])} to {lap_time(result['next_target_s'])} next; "
        f"your own best pieces add up to {lap_time(result['theoretical_best_s'])}.{tail}"
    )


def _variance(result: Result) -> str:
    if not result["corners"]:
        return "There are too few laps to tell where you differ."
    parts = [
        f"{_named(each['corner'])} (spread {each['time_sd_s']:.2f} s)"
        for each in result["corners"][:MOST_NAMED]
    ]
    steadiest = _named(result["corners"][-1]["corner"])
    return f"You differ most at {joined(parts)}, least at {steadiest}."


def _scripts(result: Result) -> str:
    corners: Sequence[Result] = result["corners"]
    if len(corners) != 1:
        most = result["rules"]["most_words"]
        return f"There are voice scripts for {len(corners)} corners; a phrase has at most {most} words."
    said = [
        f"{phase}: {text}" for phase, text in corners[0]["phrases"].items() if not phase.endswith("_short")
    ]
    return (
        f"{corners[0]['name']} says: {'; '.join(said)}."
        if said
        else f"{corners[0]['name']} has no script of its own."
    )


def _saved(result: Result) -> str:
    return f"Written for {_named(result['corner'])}; it is spoken from the next run on."


def _rows(result: Result) -> str:
    return f"{result['row_count']} rows{' and more' if result['more'] else ''}."


_SAYERS: dict[str, Callable[[Result], str]] = {
    "query_pitwall_db": _rows,
    "lap_delta": _delta,
    "corner_history": _corner,
    "progress": _progress,
    "setup_indicators": _setup,
    "highlights": _highlights,
    "reference_lap_comparison": _gold,
    "conditions": _conditions,
    "session_plan": _plan,
    "incidents": _incidents,
    "race_pace": _pace,
    "goal_targets": _goals,
    "variance_map": _variance,
    "audio_script_context": _scripts,
    "agent_telemetry": _overview,
    "save_voice_scripts": _saved,
}
