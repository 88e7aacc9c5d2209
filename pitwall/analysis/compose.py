"""Briefs and debriefs in fixed sentences from computed facts, without a model or network."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.analysis.compose_answer import ANSWER_TOOLS, compose_answer
from pitwall.analysis.compose_words import (
    ADVICE,
    PHASES,
    advice,
    corner_name,
    joined,
    lap_time,
    laps_named,
    mark_sentence,
    observed,
    release_sentence,
)
from pitwall.analysis.highlights import Highlight
from pitwall.analysis.incidents import Incident
from pitwall.analysis.opportunities import Opportunity
from pitwall.analysis.places import Place
from pitwall.analysis.potential import Potential
from pitwall.analysis.progress import PlanBlock
from pitwall.analysis.report import BriefFacts, DebriefFacts
from pitwall.store.lessons import Lesson, LessonKind

__all__ = ["ANSWER_TOOLS", "compose_answer", "compose_brief", "compose_debrief"]

# Drivers like three ranked hints and do not hear more (facts/callouts.md).
MOST_THINGS = 3
MOST_PRAISE = 3
# The reference lap, and two more in which a fault shows.
FEWEST_LAPS = 3
# Where usual laps are slower than the best by more than this, consistency comes first.
SCATTER_SHARE = 0.005
# A brief is heard once, so it has few lessons.
MOST_LESSONS = 2
_LESSON_ORDER: dict[LessonKind, int] = {"trouble": 0, "cured": 1, "fault": 2, "habit": 3}
# Less than this between best and theoretical best is not worth a sentence.
WORTH_S = 0.05


def compose_debrief(facts: DebriefFacts) -> str:
    """A debrief in plain text: what went well, at most three things, what is in the car. Every number in it
    is one of the facts."""
    timed = [lap for lap in facts.laps if lap.kind == "flying" and lap.time_s is not None]
    if not timed:
        return _begun(
            f"{_where(facts.track_name)}no flying lap was timed in this session, "
            f"so there is nothing to judge yet. {_why_no_laps(facts)}"
        )
    paragraphs = [_opening(facts), *_things(facts), _closing(facts)]
    return _begun("\n\n".join(part for part in paragraphs if part))


def compose_brief(facts: BriefFacts) -> str:
    """What to go out with: where one stands, one target, at most three things, and the plan's laps."""
    parts = [_standing(facts)]
    things = facts.opportunities[:MOST_THINGS]
    if things:
        parts.append("\n".join(_reminder(each, facts.places) for each in things))
    parts.append(_remembered(facts.lessons, [each.corner for each in things]))
    parts.append(_plan(facts.plan.blocks, facts.places))
    return _begun("\n\n".join(part for part in parts if part))


def _remembered(lessons: Sequence[Lesson], told: Sequence[str]) -> str:
    """Lessons of earlier sessions that the brief does not have yet, the dangerous ones first."""
    new = [each for each in lessons if each.corner not in told and not (each.kind == "habit" and told)]
    said = sorted(new, key=lambda each: _LESSON_ORDER[each.kind])[:MOST_LESSONS]
    return f"From your sessions here so far. {' '.join(each.text for each in said)}" if said else ""


def _opening(facts: DebriefFacts) -> str:
    best_s, best_lap = facts.potential.best_lap_s, facts.potential.best_lap
    said = [f"{_where(facts.track_name)}your best lap was a {lap_time(best_s or 0.0)}, lap {best_lap}."]
    said += praise_sentences(facts.highlights, facts.places)[:MOST_PRAISE]
    return " ".join(said)


def praise_sentences(highlights: Sequence[Highlight], places: dict[str, Place]) -> list[str]:
    """What went well, one sentence a kind, the best first."""
    said = [
        f"That is a personal best here, {each.gain_s:.3f} s under the old one."
        for each in highlights
        if each.kind == "personal best" and each.gain_s is not None
    ]
    cures = [each for each in highlights if each.kind == "fault cured"]
    said += [
        f"{corner_name(each.corner, places)} came good: it had cost you {each.before_s or 0.0:.2f} s a lap, "
        f"and in {laps_named(each.laps)} that was gone."
        for each in cures[:2]
    ]
    for each in highlights:
        if each.kind == "gain":
            said.append(
                f"From lap {each.laps[0]} to lap {each.laps[1]} you found {each.gain_s or 0.0:.1f} s."
            )
        if each.kind == "consistent laps":
            said.append(
                f"Your laps lay within {each.value_s:.2f} s of each other: that is a base to build on."
            )
    said += _sector_sentence([each for each in highlights if each.kind == "best sector"])
    steady = [corner_name(each.corner, places) for each in highlights if each.kind == "consistent corner"]
    if steady:
        said.append(f"You drove {joined(steady)} the same way lap after lap.")
    return said


def _sector_sentence(sectors: Sequence[Highlight]) -> list[str]:
    if not sectors:
        return []
    first = sectors[0]
    if first.sector is None or first.gain_s is None:
        return []
    return [
        f"Sector {first.sector} in lap {first.laps[0]} was {first.gain_s:.1f} s better than your usual one."
    ]


def _things(facts: DebriefFacts) -> list[str]:
    """At most three, what was dangerous first."""
    troubles = _trouble_paragraph(facts.incidents, facts.places)
    room = MOST_THINGS - len(troubles)
    found = [_thing(each, facts) for each in facts.opportunities[:room]]
    if not found and not troubles:
        return [_nothing(facts)]
    count = {1: "One thing", 2: "Two things", 3: "Three things"}[len(found) + len(troubles)]
    head = f"{count} for the next run{', the dearest first' if len(found) > 1 else ''}."
    return [head, *troubles, *found]


def _nothing(facts: DebriefFacts) -> str:
    """The reason why no corner is named. That nothing is wrong is only one of the reasons."""
    if not facts.places:
        return (
            "No corners are known here, so only lap times can be told: "
            "pitwall track build FILE --id ID --name NAME, with this session's recording, makes them known."
        )
    if len(facts.potential.laps) < FEWEST_LAPS:
        return "There are too few flying laps to tell a habit from a slip: what returns lap after lap counts."
    return "Nothing costs you time lap after lap: no corner lost more than noise again and again."


def _trouble_paragraph(incidents: Sequence[Incident], places: dict[str, Place]) -> list[str]:
    if not incidents:
        return []
    said = []
    for each in incidents[:MOST_THINGS]:
        where = f" at {corner_name(each.corner, places)}" if each.corner else ""
        said.append(f"{WORDS[each.kind]} in lap {each.lap}{where}")
    more = len(incidents) - MOST_THINGS
    tail = f", and {more} more" if more > 0 else ""
    return [f"Before pace: {joined(said)}{tail}. Go through what led to it before you go out again."]


WORDS: dict[str, str] = {
    "spin": "a spin",
    "off track": "all four off",
    "blow": "a hard knock",
    "sudden stop": "a sudden stop",
}


def _thing(each: Opportunity, facts: DebriefFacts) -> str:
    name, phase = corner_name(each.corner, facts.places), PHASES[each.phase]
    return (
        f"{name}, {phase}: {each.loss_s:.2f} s a lap ({laps_named(each.laps)}). "
        f"{observed(each, facts.reference_lap)}{mark_sentence(each.corner, facts.places)}"
        f"{advice(each)}{release_sentence(each, facts.reference_lap)}"
    )


def _closing(facts: DebriefFacts) -> str:
    said = potential_sentences(facts.potential)
    if "brake_bar" not in facts.signals and "brake_pct" not in facts.signals:
        said.append("No brake signal was recorded, so brake points are read from how the car slows.")
    return " ".join(said)


def potential_sentences(potential: Potential) -> list[str]:
    """What the driver's own pieces add up to."""
    theory_s = potential.by_sectors_s if potential.by_corners_s is None else potential.by_corners_s
    gain_s = potential.gain_s
    if theory_s is None or gain_s is None:
        return []
    if gain_s < WORTH_S:
        return [f"Lap {potential.best_lap} holds nearly every best piece you drove: now do it again."]
    return [
        f"Your own best pieces add up to {lap_time(theory_s)}, {gain_s:.2f} s under your best "
        "lap: no new speed is needed for that, only all of it in one lap."
    ]


def _standing(facts: BriefFacts) -> str:
    best_s, target_s = facts.goals.best_s, facts.goals.next_target_s
    where = _where(facts.track_name)
    if best_s is None:
        return f"{where}there is no timed flying lap to build on yet. Drive a few clean ones first."
    said = [f"{where}last time your best was {lap_time(best_s)}."]
    said += praise_sentences(facts.highlights, facts.places)[:1]
    personal_s = facts.progress.personal_best_s
    if personal_s is not None and personal_s < best_s:
        said.append(f"Your personal best here is {lap_time(personal_s)}.")
    usual_s, steady_s = facts.goals.usual_s, facts.goals.usual_target_s
    if usual_s is not None and steady_s is not None and usual_s - best_s >= SCATTER_SHARE * best_s:
        said.append(f"Your usual lap was {lap_time(usual_s)}: first bring that to {lap_time(steady_s)}.")
    if target_s is not None:
        said.append(f"Target for the best one: {lap_time(target_s)}.")
    return " ".join(said)


def _reminder(each: Opportunity, places: dict[str, Place]) -> str:
    name = corner_name(each.corner, places)
    return (
        f"{name}, {PHASES[each.phase]} ({each.loss_s:.2f} s a lap last time). "
        f"{mark_sentence(each.corner, places)}{ADVICE[each.cause]}"
    )


def _plan(blocks: Sequence[PlanBlock], places: dict[str, Place]) -> str:
    said = []
    for block in blocks:
        about = f" {corner_name(block.corner, places)}" if block.corner else ""
        purpose = {
            "focus": "only for",
            "repeat the same lap": "the same lap again and again, above all at",
        }.get(block.purpose, f"to {block.purpose}")
        said.append(f"{block.laps} laps {purpose}{about}")
    return f"The plan: {joined(said, 'then')}."


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def _where(track_name: str) -> str:
    return f"{track_name}: " if track_name else ""


def _why_no_laps(facts: DebriefFacts) -> str:
    reasons = list(dict.fromkeys(lap.reason for lap in facts.laps if lap.reason))
    if not facts.laps:
        return "No lap was begun: the start line was not crossed, or no track is known here."
    return f"What there was: {joined(reasons)}." if reasons else ""
