"""The agents' answers without a model: the result of each tool in fixed sentences, and its emotion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from pitwall.analysis.compose import compose_brief, compose_debrief, praise_sentences
from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.highlights import Highlight
from pitwall.analysis.port import Facts
from pitwall.analysis.progress import LEAST_GAIN_S, REPEAT
from pitwall.analysis.report import Report, brief_facts
from pitwall.analysis.tools import Tools
from pitwall.track.reference import lap_of
from pitwall.words.language import Language

ToolResult = Mapping[str, Any]
# A list read aloud is over after three.
MOST_NAMED = 3
# A corner that costs less against another lap is not where the time goes.
WORTH_NAMING_S = 0.05
NEUTRAL = "neutral"
# A lap that loses more at one place went wrong there.
MISTAKE_S = 1.0


def named(corner: str) -> str:
    """A corner of a tool's result in words, "" for none."""
    return corner_name(corner, {})


def corner_loss(corner: str, loss_s: float, words: Language) -> str:
    """A corner and what it costs, for a list."""
    return words.say("corner loss short", corner=named(corner), loss=loss_s)


def _agent_telemetry(result: ToolResult, words: Language) -> str:
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


def _corner_history(result: ToolResult, words: Language) -> str:
    name, passes, fault = (
        result["corner"]["name"],
        result["passes"],
        result["opportunity"],
    )
    if not passes:
        return words.say("corner not driven", corner=name)
    # The best pass of the road from one straight to the next, not of the corner alone.
    best = min(passes, key=lambda each: (each["lap"] != each["best_lap"], each["time_s"]))
    said = words.say(
        "corner passes",
        corner=name,
        count=len(passes),
        lap=best["lap"],
        time=best["time_s"],
        speed=best["min_speed_kmh"],
    )
    if fault is None:
        if result["mean_loss_s"] is None:
            return f"{said} {words.say('corner one pass' if len(passes) == 1 else 'corner no cost')}"
        return f"{said} {words.say('corner no loss', mean=result['mean_loss_s'])}"
    cause, advice = words.term("habit", fault["cause"]), words.term("advice", fault["action"])
    count, of, laps = len(fault["laps"]), len(fault["judged_laps"]), fault["shown_laps"]
    loss = words.say("corner loss", loss=fault["losing_s"], count=count, of=of, laps=laps, cause=cause)
    return f"{said} {loss} {words.say('try this', advice=advice) if fault['is_try'] else advice}"


def _reference_lap_comparison(result: ToolResult, words: Language) -> str:
    compared = result.get("comparison")
    if compared is None:
        named = [
            corner_loss(each["corner"], each["loss_s"], words)
            for each in result["opportunities"][:MOST_NAMED]
        ]
        worth = words.say("time goes at", corners=named) if named else words.say("time goes nowhere")
        only = "own is fastest" if result["other_sessions"] else "no other reference"
        return words.say(only, worth=worth)
    ranked = sorted(compared["corners"], key=lambda each: -each["delta_s"])[:MOST_NAMED]
    named = [
        corner_loss(each["corner"], each["delta_s"], words)
        for each in ranked
        if each["delta_s"] >= WORTH_NAMING_S
    ]
    return words.say(
        "behind reference" if compared["delta_s"] > 0 else "ahead of reference",
        by=abs(compared["delta_s"]),
        lap=lap_of(compared["against"]),
        day=words.say("driven on", day=result["reference_day"]) if result["reference_day"] else "",
        where=words.say("where it goes", corners=named) if named else "",
    )


def _reference_lap_comparison_mood(result: ToolResult) -> str:
    compared = result.get("comparison")
    return "excited" if compared is not None and compared["delta_s"] < 0.0 else "focused"


def _lap_delta(result: ToolResult, words: Language) -> str:
    own, other = result["laps"]
    if own == other:
        return words.say("asked one lap only")
    delta_s = result["delta_s"]
    ranked = sorted(result["corners"], key=lambda each: -abs(each["delta_s"]))
    alike = [each for each in ranked if each["delta_s"] * delta_s > 0.0][:MOST_NAMED]
    unnamed_s = max((abs(each["delta_s"]) for each in ranked if each not in alike), default=0.0)
    most = abs(sum(each["delta_s"] for each in alike)) >= abs(delta_s) / 2.0 > unnamed_s
    parts = [
        words.say(
            "corner lost" if each["delta_s"] > 0 else "corner won",
            corner=named(each["corner"]),
            by=abs(each["delta_s"]),
        )
        for each in (alike if most else ranked[:MOST_NAMED])
    ]
    rest = words.say("lap most" if most else "lap differences", corners=parts) if parts else ""
    for each in result.get("no_flying_lap", ()):
        rest += words.say("lap not flying", lap=each["lap"], reason=words.in_units(each["reason"]))
    return words.say(
        "lap slower" if delta_s > 0 else "lap faster",
        lap=own,
        other=other,
        by=abs(delta_s),
        time=result["lap_s"],
        other_time=result["against_s"],
        rest=rest,
    )


def _goal_targets(result: ToolResult, words: Language) -> str:
    best_s = result["best_s"]
    if result["theory_s"] is None:
        return words.say("no pieces", best=best_s)
    if result["next_target_s"] is None:
        usual_s, target_s = result["usual_s"], result["usual_target_s"]
        said = words.say("no more in pieces", best=best_s)
        if usual_s is None or usual_s - best_s < LEAST_GAIN_S:
            return said
        return f"{said} {words.say('usual first', usual=usual_s, target=target_s)}"
    where = [named(piece) for piece in result["from_pieces"]]
    return words.say(
        "goals",
        best=best_s,
        target=result["next_target_s"],
        theory=result["theory_s"],
        where=words.say("found at", corners=where) if where else "",
    )


def _session_plan(result: ToolResult, words: Language) -> str:
    parts = [
        words.say(
            f"{'answer ' if block['purpose'] == REPEAT else ''}plan {block['purpose']}",
            laps=block["laps"],
            corner=named(block["corner"]),
        )
        for block in result["blocks"]
    ]
    said = words.say("answer plan", laps=result["total_laps"], blocks=parts)
    gap_s = result.get("to_goal_s")
    if gap_s is None or gap_s <= 0.0:
        return said
    goal = words.say("plan goal", time=result["goal_s"], gap=gap_s, worth=result["worth_s"])
    return f"{said} {goal}"


def _progress(result: ToolResult, words: Language) -> str:
    count, best_s = len(result["sessions"]), result["personal_best_s"]
    if count < 2:
        return words.say("one session", track=result["track_name"], best=best_s)
    gained_s = result["gained_s"]
    first, last = (_driven(each, words) for each in (result["sessions"][0], result["sessions"][-1]))
    noted = words.say("progress noted", first=first, last=last) if first and last and first != last else ""
    said = words.say(
        "progress quicker" if gained_s >= 0 else "progress slower",
        count=count,
        track=result["track_name"],
        best=best_s,
        by=abs(gained_s),
        trend=words.term("trend", result["trend"]),
    )
    return f"{said}{noted}"


def _driven(pace: Mapping[str, Any], words: Language) -> str:
    weather, tyres = pace["weather"], pace["tyres"]
    parts = (
        weather and words.term("conditions", weather),
        tyres and words.say("progress tyres", tyres=tyres),
    )
    return " ".join(filter(None, parts))


def _progress_mood(result: ToolResult) -> str:
    if result["trend"] == "faster" or (len(result["sessions"]) > 1 and (result["gained_s"] or 0.0) > 0.0):
        return "proud"
    return "encouraging"


def _race_pace(result: ToolResult, words: Language) -> str:
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


def _variance_map(result: ToolResult, words: Language) -> str:
    if not result["corners"]:
        return words.say("too few to differ")
    parts = [
        words.say("spread at", corner=named(each["corner"]), spread=each["time_sd_s"])
        for each in result["corners"][:MOST_NAMED]
    ]
    steadiest = named(result["corners"][-1]["corner"])
    return words.say("differ", corners=parts, steadiest=steadiest)


def _highlights(result: ToolResult, words: Language) -> str:
    found = msgspec.convert(result["highlights"], list[Highlight], strict=False)
    best = words.say("your best", time=result["best_lap_s"], lap=result["best_lap"])
    return " ".join((best, *praise_sentences(found, {}, words)[:MOST_NAMED]))


def _incidents(result: ToolResult, words: Language) -> str:
    lost = _largest_loss(result["largest_loss"], words)
    if not result["count"]:
        return f"{words.say('no incidents' if result['track_known'] else 'no incidents seen')}{lost}"
    parts = [
        words.say(
            "trouble at" if each["corner"] else "trouble",
            incident=words.term("incident", each["kind"]),
            lap=each["lap"],
            corner=named(each["corner"]),
        )
        for each in result["incidents"][:MOST_NAMED]
    ]
    more = result["count"] - len(parts)
    tail = words.say("troubles more", count=more) if more > 0 else ""
    return f"{words.say('incidents', incidents=parts, more=tail)}{lost}"


def _largest_loss(lost: ToolResult | None, words: Language) -> str:
    """Return what a single lap lost at one place, where that is no habit but a mistake."""
    if lost is None or lost["loss_s"] < MISTAKE_S:
        return ""
    return words.say(
        "largest loss at" if lost["corner"] else "largest loss",
        loss=lost["loss_s"],
        lap=lost["lap"],
        other=lost["against_lap"],
        corner=named(lost["corner"]),
    )


def _setup_indicators(result: ToolResult, words: Language) -> str:
    notes = "; ".join(result["notes"])
    if result["balance"] == "unknown":
        return words.say("balance unknown", notes=notes)
    return words.say(
        "balance",
        balance=words.term("balance", result["balance"]),
        gradient=result["gradient_deg_per_g"],
        notes=words.say("mind", notes=notes) if notes else "",
    )


def _conditions(result: ToolResult, words: Language) -> str:
    said = [
        words.say(
            "reading from to",
            name=words.term("channel", each["name"]),
            least=format(words.figures.value(each["least"], each["unit"]), ".0f"),
            most=words.figures.measured(each["most"], each["unit"], ".0f"),
        )
        for each in result["readings"]
    ]
    trend = words.term("grip", result["grip"])
    grip = words.say("grip", grip=result["median_grip_g"], trend=trend) if result["median_grip_g"] else ""
    weather = "" if result["weather_recorded"] else words.say("no weather")
    recorded = words.say("recorded", readings=said) if said else ""
    return " ".join(part for part in (grip, recorded, weather) if part)


def _audio_script_context(result: ToolResult, words: Language) -> str:
    corners: Sequence[ToolResult] = result["corners"]
    if len(corners) != 1:
        return words.say("scripts", count=result["with_phrases"], most=result["rules"]["most_words"])
    said = [
        f"{words.term('script', phase)}: {text}"
        for phase, text in corners[0]["phrases"].items()
        if not phase.endswith("_short")
    ]
    name = corners[0]["name"]
    return (
        words.say("script", corner=name, phrases="; ".join(said))
        if said
        else words.say("no script", corner=name)
    )


def _recall(result: ToolResult, words: Language) -> str:
    found = [
        each["told"]
        if each["kind"] == "lesson"
        else words.say(
            "recalled",
            day=each["driven"],
            asked=each["asked"].rstrip("?. "),
            told=each["told"].split("\n")[0],
        )
        for each in result["found"][:MOST_NAMED]
    ]
    return "\n".join(found) or words.say("recalled nothing")


def _debrief(tools: Tools, facts: Facts) -> tuple[str, str]:
    found = tools.report()
    return compose_debrief(found, facts.words), debrief_mood(found)


def debrief_mood(facts: Report) -> str:
    """Calm where something went wrong, proud of a best, else glad of what came good."""
    if facts.incidents:
        return "calm"
    kinds = {each.kind for each in facts.highlights}
    if "personal best" in kinds:
        return "proud"
    return "encouraging" if kinds else "focused"


def _brief(tools: Tools, facts: Facts) -> tuple[str, str]:
    return compose_brief(brief_facts(tools.report(), facts), facts.words), "focused"


TELLERS: dict[str, Callable[[ToolResult, Language], str]] = {
    "agent_telemetry": _agent_telemetry,
    "corner_history": _corner_history,
    "reference_lap_comparison": _reference_lap_comparison,
    "lap_delta": _lap_delta,
    "goal_targets": _goal_targets,
    "session_plan": _session_plan,
    "progress": _progress,
    "race_pace": _race_pace,
    "variance_map": _variance_map,
    "highlights": _highlights,
    "incidents": _incidents,
    "setup_indicators": _setup_indicators,
    "conditions": _conditions,
    "audio_script_context": _audio_script_context,
    "recall": _recall,
}
# Where the emotion depends on what was found; else it stands in the table of agents.
MOODS: dict[str, Callable[[ToolResult], str]] = {
    "corner_history": lambda result: "focused" if result["opportunity"] else "encouraging",
    "reference_lap_comparison": _reference_lap_comparison_mood,
    "lap_delta": lambda result: "encouraging" if result["delta_s"] < 0.0 else "focused",
    "progress": _progress_mood,
    "race_pace": lambda result: "concerned" if any(one["fades"] for one in result["stints"]) else "focused",
    "incidents": lambda result: "calm" if result["count"] else "encouraging",
    "setup_indicators": lambda result: NEUTRAL if result["balance"] == "unknown" else "curious",
}
# A pipeline -> its answer without a model, and its emotion.
PIPELINE_TELLERS: dict[str, Callable[[Tools, Facts], tuple[str, str]]] = {
    "DebriefPipeline": _debrief,
    "BriefPipeline": _brief,
}
