"""Answers without a model: the tools that each intent needs, and sentences from their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.progress import LEAST_GAIN_S, REPEAT
from pitwall.analysis.setup import setup_notes
from pitwall.track.reference import lap_of
from pitwall.words.language import ENGLISH, Language

Result = Mapping[str, Any]
# A list read aloud is over after three.
MOST_NAMED = 3
# A lap that loses more at one place went wrong there: its driver remembers it.
MISTAKE_S = 1.0

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


def compose_answer(intent: str, facts: Mapping[str, Result], words: Language = ENGLISH) -> str:
    """A plain answer from tool results by tool name (as `Tools.table()` gives them). The intent's own tools
    speak first, then what else there is; a refusal is told as it is."""
    order = [*ANSWER_TOOLS.get(intent, ()), *facts]
    said = []
    for name in dict.fromkeys(order):
        result = facts.get(name)
        if result is None or name not in _SAYERS:
            continue
        said.append(_refusal(result, words) if "error" in result else _SAYERS[name](result, words))
    return " ".join(part for part in said if part) or words.say("nothing stored")


def _named(corner: str, words: Language) -> str:
    return corner_name(corner, {}, words)


def _title(result: Result, words: Language) -> str:
    return words.corner_title(result["corner"]["name"])


def _refusal(result: Result, words: Language) -> str:
    help_ = words.retold(result["what_to_do"]) if "what_to_do" in result else words.say("ask again")
    return words.say("refused", error=words.retold(result["error"]), help=help_)


def _overview(result: Result, words: Language) -> str:
    if not result["best_lap"]:
        return words.say("no timed lap")
    top = words.say("top speed", speed=result["top_speed_kmh"]) if result["top_speed_kmh"] else ""
    return words.say(
        "overview",
        where=result["track_name"] or words.say("this session"),
        count=result["flying_laps"],
        time=result["best_lap_s"],
        lap=result["best_lap"],
        top=top,
    )


def _delta(result: Result, words: Language) -> str:
    own, other = result["laps"]
    delta_s = result["delta_s"]
    ranked = sorted(result["corners"], key=lambda each: -abs(each["delta_s"]))[:MOST_NAMED]
    parts = [
        words.say(
            "corner lost" if each["delta_s"] > 0 else "corner won",
            corner=_named(each["corner"], words),
            by=abs(each["delta_s"]),
        )
        for each in ranked
    ]
    return words.say(
        "lap slower" if delta_s > 0 else "lap faster",
        lap=own,
        other=other,
        by=abs(delta_s),
        time=result["lap_s"],
        other_time=result["against_s"],
        corners=parts,
    )


def _corner(result: Result, words: Language) -> str:
    name, passes, fault = _title(result, words), result["passes"], result["opportunity"]
    if not passes:
        return words.say("corner not driven", corner=name)
    best = min(passes, key=lambda each: each["time_s"])
    said = words.say(
        "corner passes",
        corner=name,
        count=len(passes),
        lap=best["lap"],
        time=best["time_s"],
        speed=best["min_speed_kmh"],
    )
    if fault is None:
        return f"{said} {words.say('corner no loss')}"
    cause = words.term("cause", fault["cause"])
    loss = words.say("corner loss", loss=fault["loss_s"], laps=fault["laps"], cause=cause)
    return f"{said} {loss}"


def _progress(result: Result, words: Language) -> str:
    count, best_s = len(result["sessions"]), result["personal_best_s"]
    if count < 2:
        return words.say("one session", track=result["track_name"], best=best_s)
    gained_s = result["gained_s"]
    return words.say(
        "progress quicker" if gained_s >= 0 else "progress slower",
        count=count,
        track=result["track_name"],
        best=best_s,
        by=abs(gained_s),
        trend=words.term("trend", result["trend"]),
    )


def _setup(result: Result, words: Language) -> str:
    found = setup_notes(
        result["missing"],
        result["coverage_left"],
        result["coverage_right"],
        known=result["caught_slides"] is not None,
        words=words,
    )
    notes = "; ".join(found)
    if result["balance"] == "unknown":
        return words.say("balance unknown", notes=notes)
    return words.say(
        "balance",
        balance=words.term("balance", result["balance"]),
        gradient=result["gradient_deg_per_g"],
        notes=words.say("mind", notes=notes) if notes else "",
    )


def _highlights(result: Result, words: Language) -> str:
    said = [words.say("your best", time=result["best_lap_s"], lap=result["best_lap"])]
    for each in result["highlights"][:MOST_NAMED]:
        sector = words.say("sector", sector=each["sector"]) if each["sector"] else ""
        what = _named(each["corner"], words) or sector or words.figures.laps_named(each["laps"])
        figure_s = each["value_s"] if each["gain_s"] is None else each["gain_s"]
        said.append(
            words.say("highlight", kind=words.term("highlight", each["kind"]), what=what, figure=figure_s)
        )
    return " ".join(said)


def _gold(result: Result, words: Language) -> str:
    compared = result.get("comparison")
    if compared is None:
        named = [_loss(each, each["loss_s"], words) for each in result["opportunities"][:MOST_NAMED]]
        worth = words.say("time goes at", corners=named) if named else words.say("time goes nowhere")
        only = "own is fastest" if result["other_sessions"] else "no other reference"
        return words.say(only, worth=worth)
    ranked = sorted(compared["corners"], key=lambda each: -each["delta_s"])[:MOST_NAMED]
    named = [_loss(each, each["delta_s"], words) for each in ranked if each["delta_s"] > 0.0]
    return words.say(
        "behind reference" if compared["delta_s"] > 0 else "ahead of reference",
        by=abs(compared["delta_s"]),
        lap=lap_of(compared["against"]),
        day=words.say("driven on", day=result["reference_day"]) if result["reference_day"] else "",
        where=words.say("where it goes", corners=named) if named else "",
    )


def _loss(each: Result, loss_s: float, words: Language) -> str:
    return words.say("corner loss short", corner=_named(each["corner"], words), loss=loss_s)


def _conditions(result: Result, words: Language) -> str:
    said = [
        words.say(
            "reading from to",
            name=words.term("channel", each["name"]),
            least=words.figures.number(words.figures.value(each["least"], each["unit"]), ".0f"),
            most=words.figures.measured(each["most"], each["unit"], ".0f"),
        )
        for each in result["readings"]
    ]
    trend = words.term("grip", result["grip"])
    grip = words.say("grip", grip=result["median_grip_g"], trend=trend) if result["median_grip_g"] else ""
    weather = "" if result["weather_recorded"] else words.say("no weather")
    recorded = words.say("recorded", readings=said) if said else ""
    return " ".join(part for part in (grip, recorded, weather) if part)


def _plan(result: Result, words: Language) -> str:
    parts = [
        words.say(
            f"{'answer ' if block['purpose'] == REPEAT else ''}plan {block['purpose']}",
            laps=block["laps"],
            corner=_named(block["corner"], words),
        )
        for block in result["blocks"]
    ]
    return words.say("answer plan", laps=result["total_laps"], blocks=parts)


def _incidents(result: Result, words: Language) -> str:
    lost = _largest_loss(result["largest_loss"], words)
    if not result["count"]:
        return f"{words.say('no incidents' if result['track_known'] else 'no incidents seen')}{lost}"
    parts = [
        words.say(
            "trouble at" if each["corner"] else "trouble",
            incident=words.term("incident", each["kind"]),
            lap=each["lap"],
            corner=_named(each["corner"], words),
        )
        for each in result["incidents"][:MOST_NAMED]
    ]
    more = result["count"] - len(parts)
    tail = words.say("troubles more", count=more) if more > 0 else ""
    return f"{words.say('incidents', incidents=parts, more=tail)}{lost}"


def _largest_loss(lost: Result | None, words: Language) -> str:
    """What a single lap lost at one place, where that is no habit but a mistake."""
    if lost is None or lost["loss_s"] < MISTAKE_S:
        return ""
    return words.say(
        "largest loss at" if lost["corner"] else "largest loss",
        loss=lost["loss_s"],
        lap=lost["lap"],
        other=lost["against_lap"],
        corner=_named(lost["corner"], words),
    )


def _pace(result: Result, words: Language) -> str:
    if not result["stints"]:
        return words.say("no timed lap")
    stint = max(result["stints"], key=lambda each: len(each["laps"]))
    shows_spread = len(stint["laps"]) >= MOST_NAMED
    said = words.say(
        "longest stint",
        laps=stint["laps"],
        best=stint["best_s"],
        usual=stint["median_s"],
        spread=words.say("spread", spread=stint["range_s"]) if shows_spread else "",
    )
    slope = stint["slope_s_per_lap"]
    if slope is None:
        return f"{said} {words.say('fading unknown')}"
    verdict = "it fades" if stint["fades"] else "it quickens" if stint["quickens"] else "no trend"
    return f"{said} {words.say(verdict, slope=slope)}"


def _goals(result: Result, words: Language) -> str:
    best_s = result["best_s"]
    if result["theoretical_best_s"] is None:
        return words.say("no pieces", best=best_s)
    if result["next_target_s"] is None:
        usual_s, target_s = result["usual_s"], result["usual_target_s"]
        said = words.say("no more in pieces", best=best_s)
        if usual_s is None or usual_s - best_s < LEAST_GAIN_S:
            return said
        return f"{said} {words.say('usual first', usual=usual_s, target=target_s)}"
    where = [_named(piece, words) for piece in result["from_pieces"]]
    return words.say(
        "goals",
        best=best_s,
        target=result["next_target_s"],
        theory=result["theoretical_best_s"],
        where=words.say("found at", corners=where) if where else "",
    )


def _variance(result: Result, words: Language) -> str:
    if not result["corners"]:
        return words.say("too few to differ")
    parts = [
        words.say("spread at", corner=_named(each["corner"], words), spread=each["time_sd_s"])
        for each in result["corners"][:MOST_NAMED]
    ]
    steadiest = _named(result["corners"][-1]["corner"], words)
    return words.say("differ", corners=parts, steadiest=steadiest)


def _scripts(result: Result, words: Language) -> str:
    corners: Sequence[Result] = result["corners"]
    if len(corners) != 1:
        return words.say("scripts", count=len(corners), most=result["rules"]["most_words"])
    said = [
        f"{words.term('script', phase)}: {text}"
        for phase, text in corners[0]["phrases"].items()
        if not phase.endswith("_short")
    ]
    name = words.corner_title(corners[0]["name"])
    return (
        words.say("script", corner=name, phrases="; ".join(said))
        if said
        else words.say("no script", corner=name)
    )


def _saved(result: Result, words: Language) -> str:
    return words.say("script saved", corner=_named(result["corner"], words))


def _rows(result: Result, words: Language) -> str:
    return words.say("rows and more" if result["more"] else "rows", count=result["row_count"])


_SAYERS: dict[str, Callable[[Result, Language], str]] = {
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
