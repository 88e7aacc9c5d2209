"""IncidentReviewAgent reviews moments: slides, lock-ups, spins and spikes, calmly."""

from __future__ import annotations

from pitwall.paddock.agents import ALWAYS, MOST_NAMED, Duty, ToolResult, ToolRule, named
from pitwall.words.language import Language

# A lap that loses more at one place went wrong there: its driver remembers it.
MISTAKE_S = 1.0


def _composed(result: ToolResult, words: Language) -> str:
    lost = _largest_loss(result["largest_loss"], words)
    if not result["count"]:
        return f"{words.say('no incidents' if result['track_known'] else 'no incidents seen')}{lost}"
    parts = [
        words.say(
            "trouble at" if each["corner"] else "trouble",
            incident=words.term("incident", each["kind"]),
            lap=each["lap"],
            corner=named(each["corner"], words),
        )
        for each in result["incidents"][:MOST_NAMED]
    ]
    more = result["count"] - len(parts)
    tail = words.say("troubles more", count=more) if more > 0 else ""
    return f"{words.say('incidents', incidents=parts, more=tail)}{lost}"


def _largest_loss(lost: ToolResult | None, words: Language) -> str:
    """What a single lap lost at one place, where that is no habit but a mistake."""
    if lost is None or lost["loss_s"] < MISTAKE_S:
        return ""
    return words.say(
        "largest loss at" if lost["corner"] else "largest loss",
        loss=lost["loss_s"],
        lap=lost["lap"],
        other=lost["against_lap"],
        corner=named(lost["corner"], words),
    )


AGENT = Duty(
    name="IncidentReviewAgent",
    description="Reviews moments: slides, lock-ups, spins and spikes, calmly.",
    opening=(
        "You are IncidentReviewAgent. You look at moments: slides, lock-ups, spins, spikes in a signal, "
        "near misses."
    ),
    rules=(
        ToolRule(ALWAYS, "incidents", "say what was measured in the order it happened"),
        ToolRule(
            "what was different from other laps",
            "lap_delta",
            "name the first difference, not the last",
        ),
    ),
    closing=(
        "Calm and exact. First whether the car or a sensor did it; then what to do the next time. No blame."
    ),
    keywords="incident, incidents, moment, moments, spike, spikes, spun, spin, crash-",
    rank=3,
    composed=_composed,
    composed_from="incidents",
    mood=lambda result: "calm" if result["count"] else "encouraging",
)
