"""Compose briefs and debriefs from computed facts in fixed sentences, without a model or network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from pitwall.analysis.compose_words import advice, best_pass, corner_name, mark_sentence
from pitwall.analysis.hands import Hands
from pitwall.analysis.highlights import STEADY_CORNER, Highlight, HighlightKind
from pitwall.analysis.incidents import Incident
from pitwall.analysis.opportunities import Opportunity
from pitwall.analysis.places import Place
from pitwall.analysis.progress import Potential
from pitwall.analysis.report import BriefFacts, MarkedMoment, Report
from pitwall.analysis.study import left_out_laps
from pitwall.contract.changes import Aim, Conditions, StintNote
from pitwall.diagnosis.advice import NEAR_BEST_S
from pitwall.store.lessons import LessonKind
from pitwall.track.lap import MARKED, Lap
from pitwall.words.language import ENGLISH, Language, sentence

# Drivers like three ranked hints and do not hear more (the map, figures).
MOST_THINGS = 3
MOST_PRAISE = 4
# The reference lap, and two more in which a fault shows.
FEWEST_LAPS = 3
# Usual laps slower than the best by more than this: consistency comes first.
SCATTER_SHARE = 0.005
# A brief is heard once, so it has few lessons.
MOST_LESSONS = 2
_LESSON_ORDER: dict[LessonKind, int] = {"trouble": 0, "cured": 1, "fault": 2, "habit": 3}
# Less than this between best and theoretical best is not worth a sentence.
WORTH_S = 0.05
# A usual lap before and after a change needs at least these.
FEWEST_STINT_LAPS = 2


def compose_debrief(facts: Report, words: Language = ENGLISH) -> str:
    """Compose a debrief in plain text: the laps, the three dearest corners, what else was seen."""
    timed = [lap for lap in facts.laps if lap.kind == "flying" and lap.time_s is not None]
    if not timed:
        reasons = list(dict.fromkeys(words.in_units(lap.reason) for lap in facts.laps if lap.reason))
        why = words.say("what there was", reasons=reasons) if reasons else ""
        why = why if facts.laps else words.say("no lap begun")
        why = " ".join([why, *left_out_sentences(facts.laps, words)])
        return sentence(words.say("no lap to judge", where=_where(facts.track_name), why=why))
    paragraphs = [
        _opening(facts, words),
        _trouble_sentence(facts.incidents, facts.places, words),
        *[moment_sentence(each, facts, words) for each in facts.moments],
        *_things(facts, words),
        heard_in_the_car(facts, words),
        _closing(facts, words),
    ]
    return sentence("\n\n".join(part for part in paragraphs if part))


def compose_brief(facts: BriefFacts, words: Language = ENGLISH) -> str:
    """Compose a brief: the standing, one target, at most three things, and the plan's laps."""
    parts = [_standing(facts, words)]
    things = facts.opportunities[:MOST_THINGS]
    if things:
        parts.append("\n".join(_reminder(each, facts.places, words) for each in things))
    parts.append(_remembered(facts, [each.corner for each in things], words))
    blocks = [
        words.say(f"plan {each.purpose}", laps=each.laps, corner=corner_name(each.corner, facts.places))
        for each in facts.plan.blocks
    ]
    parts.append(words.say("plan", blocks=blocks))
    return sentence("\n\n".join(part for part in parts if part))


def left_out_sentences(laps: Sequence[Lap], words: Language) -> list[str]:
    """Name the laps that don't count: those a person marked, a sentence a kind, and slow ones."""
    said = []
    for kind in dict.fromkeys(lap.kind for lap in laps if lap.reason == MARKED):
        these = [lap.number for lap in laps if lap.kind == kind and lap.reason == MARKED]
        said.append(words.say("left out", laps=these, count=len(these), kind=words.term("lap", kind)))
    if slow := [lap.number for lap in left_out_laps(laps)]:
        said.append(words.say("left out slow", laps=slow, count=len(slow)))
    return said


def _remembered(facts: BriefFacts, named: Sequence[str], words: Language) -> str:
    new = [
        each for each in facts.lessons if each.corner not in named and not (each.kind == "habit" and named)
    ]
    said = sorted(new, key=lambda each: _LESSON_ORDER[each.kind])[:MOST_LESSONS]
    texts = [each.text for each in said]
    return words.say("lessons", lessons=" ".join(texts)) if said else ""


def _opening(facts: Report, words: Language) -> str:
    potential = facts.potential
    said = [
        words.say(
            "best lap",
            where=_where(facts.track_name),
            time=potential.best_lap_s or 0.0,
            lap=potential.best_lap,
        )
    ]
    if (usual_s := potential.usual_s) is not None:
        said.append(words.say("usual lap", time=usual_s, count=len(potential.laps)))
    best = next((lap for lap in facts.laps if lap.number == potential.best_lap), None)
    if best is not None and any(time_s is None for time_s in best.sectors_s):
        said.append(words.say("pieces not recorded", lap=best.number))
    else:
        said += potential_sentences(potential, words)
    if facts.fade is not None:
        fade = facts.fade
        said.append(
            words.say("fade", first=fade.laps[0], last=fade.laps[-1], start=fade.from_s, end=fade.to_s)
        )
    if whole := noted(facts.conditions, words, stints=False):
        said.append(words.say("noted", noted=whole))
    said += [stint_sentence(facts, each, words) for each in facts.conditions.stints]
    said += praise_sentences(facts.highlights, facts.places, words)[:MOST_PRAISE]
    said += left_out_sentences(facts.laps, words)
    said += aim_sentences(facts.aim, potential.best_lap_s, words)
    return " ".join(said)


def noted(conditions: Conditions, words: Language, *, stints: bool = True) -> str:
    """Put in words what a driver noted of a session and its `stints`; "" for nothing."""
    value, unit = words.figures.value, words.figures.unit
    pressures = " ".join(f"{value(each, 'bar'):.1f}" for each in conditions.pressures_bar or ())
    parts = [
        f"{words.term('conditions', 'tyres')} {conditions.tyres}" if conditions.tyres else "",
        f"{pressures} {unit('bar')}" if pressures else "",
        words.term("conditions", conditions.weather) if conditions.weather else "",
        *(
            f"{words.term('conditions', name)} {value(degrees, 'degC'):.0f} {unit('degC')}"
            for name, degrees in (("air", conditions.air_c), ("track", conditions.track_c))
            if degrees is not None
        ),
        "" if conditions.fuel_l is None else f"{words.term('conditions', 'fuel')} {conditions.fuel_l:g} l",
        conditions.setup,
        conditions.notes,
        *(
            f"{words.term('conditions', 'from lap')} {each.from_lap}: {noted(each.conditions, words)}"
            for each in (conditions.stints if stints else ())
        ),
    ]
    return " · ".join(part for part in parts if part)


def stint_sentence(facts: Report, stint: StintNote, words: Language) -> str:
    """Say what was noted from a lap on, and the usual lap before and after."""
    starts = sorted(each.from_lap for each in facts.conditions.stints)
    at = starts.index(stint.from_lap)
    begin, end = (starts[at - 1] if at else 0), (starts[at + 1] if at + 1 < len(starts) else math.inf)
    times = [(lap.number, lap.time_s) for lap in facts.laps if lap.number in facts.potential.laps]
    before = [time_s for lap, time_s in times if time_s is not None and begin <= lap < stint.from_lap]
    after = [time_s for lap, time_s in times if time_s is not None and stint.from_lap <= lap < end]
    said = noted(stint.conditions, words)
    if min(len(before), len(after)) < FEWEST_STINT_LAPS:
        return words.say("noted stint", lap=stint.from_lap, noted=said)
    return words.say(
        "noted change", lap=stint.from_lap, noted=said, before=median(before), after=median(after)
    )


def aim_sentences(aim: Aim | None, best_s: float | None, words: Language) -> list[str]:
    """Say how far this best lap is from the time that the driver wants to reach here."""
    if aim is None or best_s is None:
        return []
    if best_s <= aim.time_s:
        return [words.say("aim reached", time=aim.time_s)]
    by = words.say("aim by", day=aim.by) if aim.by else ""
    return [words.say("aim", time=aim.time_s, by=by, gap=best_s - aim.time_s)]


def praise_sentences(highlights: Sequence[Highlight], places: dict[str, Place], words: Language) -> list[str]:
    """Say what went well, the best first."""

    def of(kind: HighlightKind) -> list[Highlight]:
        return [each for each in highlights if each.kind == kind]

    def corner(each: Highlight) -> str:
        return corner_name(each.corner, places)

    said = [
        words.say(each.kind, gain=each.gain_s)
        for each in (*of("personal best"), *of("best here"))
        if each.gain_s is not None
    ]
    for each in highlights:
        if each.kind == "gain":
            said.append(words.say("gain", first=each.laps[0], last=each.laps[1], gain=each.gain_s or 0.0))
        if each.kind == "consistent laps":
            said.append(words.say("consistent laps", spread=each.value_s))
    said += [
        words.say("best sector", sector=each.sector, lap=each.laps[0], gain=each.gain_s)
        for each in of("best sector")[:1]
        if each.sector is not None and each.gain_s is not None
    ]
    if steady := [corner(each) for each in of(STEADY_CORNER)]:
        said.append(words.say("steady corners", corners=steady))
    return said


def moment_sentence(each: MarkedMoment, facts: Report, words: Language) -> str:
    """Say what was wrong just before a moment that the driver marked."""
    corner = corner_name(each.corner, facts.places)
    if each.incident is not None:
        what = words.say("moment trouble", incident=words.term("incident", each.incident))
    elif each.phase is None:
        what = words.say("moment unseen")
    elif each.loss_s < NEAR_BEST_S:
        what = words.say("moment even", corner=corner)
    else:
        phase = words.term("phase", each.phase)
        what = words.say("moment lost", corner=corner, loss=each.loss_s, best=each.best_lap, phase=phase)
    return words.say("moment", lap=each.lap, what=what)


def _things(facts: Report, words: Language) -> list[str]:
    found = [thing_sentence(each, facts, words) for each in facts.opportunities[:MOST_THINGS]]
    if not found:
        return [nothing_named(facts, words)]
    count = words.term("things", str(len(found)))
    return [words.say("things ranked" if len(found) > 1 else "things", count=count), *found]


def nothing_named(facts: Report, words: Language) -> str:
    """Say why no corner is named. That nothing is wrong is only one of the reasons."""
    if not facts.places:
        return words.say("no corners known")
    if len(facts.potential.laps) < FEWEST_LAPS:
        return words.say("too few laps")
    if facts.potential.theory_s is None:
        return words.say("no pass seen")
    return words.say("nothing lost")


def _trouble_sentence(incidents: Sequence[Incident], places: dict[str, Place], words: Language) -> str:
    if not incidents:
        return ""
    said = [
        words.say(
            "trouble at" if each.corner else "trouble",
            incident=words.term("incident", each.kind),
            lap=each.lap,
            corner=corner_name(each.corner, places),
        )
        for each in incidents[:MOST_THINGS]
    ]
    more = len(incidents) - MOST_THINGS
    tail = words.say("troubles more", count=more) if more > 0 else ""
    return words.say("troubles", troubles=said, more=tail)


def thing_sentence(each: Opportunity, facts: Report, words: Language) -> str:
    """Word an opportunity: what it costs, what to do, where, and what the best pass did."""
    return words.say(
        "thing",
        corner=corner_name(each.corner, facts.places),
        phase=words.term("phase", each.phase),
        loss=each.losing_s,
        count=len(each.laps),
        of=len(each.judged_laps),
        advice=advice(each, words),
        mark=mark_sentence(each.corner, facts.places, words),
        best=best_pass(each, words),
    )


def heard_in_the_car(facts: Report, words: Language) -> str:
    """Say why the debrief differs from what the car said: it has more laps."""
    things = {each.corner: each for each in facts.opportunities[:MOST_THINGS]}
    ranks = [each.corner for each in facts.opportunities]
    said = []
    for call in facts.calls:
        name = corner_name(call.corner, facts.places)
        called = words.term("calls", call.action)
        thing = things.get(call.corner)
        if thing is not None and thing.action != call.action:
            said.append(words.say("called otherwise", corner=name, call=called, laps=call.laps))
        elif thing is None and call is facts.calls[0]:
            loss_s = next((each.loss_s for each in facts.opportunities if each.corner == call.corner), 0.0)
            where = words.say("called rank", rank=ranks.index(call.corner) + 1) if loss_s else ""
            said.append(words.say("called elsewhere", corner=name, laps=call.laps, loss=loss_s, rank=where))
    return " ".join(said)


def next_run(facts: Report, words: Language) -> str:
    """Word the one thing for the next run: the dearest corner and what to do there."""
    if not facts.opportunities:
        return ""
    each = facts.opportunities[0]
    return words.say(
        "next run",
        corner=corner_name(each.corner, facts.places),
        advice=advice(each, words),
        best=best_pass(each, words),
    )


def _closing(facts: Report, words: Language) -> str:
    said = [] if facts.hands is None else [hands_sentence(facts.hands, words)]
    if "brake_bar" not in facts.signals and "brake_pct" not in facts.signals:
        said.append(words.say("no brake signal"))
    if facts.corners_counted:
        said.append(words.say("corners counted"))
    return " ".join(said)


def hands_sentence(hands: Hands, words: Language) -> str:
    """Say what the pedals show of the driver's level."""
    signs = [
        words.say(f"hands {name}", value=value)
        for name in ("coast_pct", "roll_s", "brake_spread_m", "jerk_pct")
        if (value := getattr(hands, name)) is not None
    ]
    return words.say("hands", level=words.term("level", hands.level), signs=signs)


def potential_sentences(potential: Potential, words: Language) -> list[str]:
    """Return what the driver's own pieces add up to."""
    theory_s, gain_s = potential.theory_s, potential.gain_s
    if theory_s is None or gain_s is None or len(potential.laps) < 2:
        return []
    if gain_s < WORTH_S:
        return [words.say("all in one lap", lap=potential.best_lap)]
    return [words.say("best pieces", theory=theory_s, gain=gain_s)]


def _standing(facts: BriefFacts, words: Language) -> str:
    best_s, target_s = facts.goals.best_s, facts.goals.next_target_s
    where = _where(facts.track_name)
    if best_s is None:
        return words.say("nothing to build on", where=where)
    said = [words.say("last best", where=where, time=best_s)]
    said += praise_sentences(facts.highlights, facts.places, words)[:1]
    personal_s = facts.progress.personal_best_s
    if personal_s is not None and personal_s < best_s:
        said.append(words.say("personal best here", time=personal_s))
    usual_s, steady_s = facts.goals.usual_s, facts.goals.usual_target_s
    if usual_s is not None and steady_s is not None and usual_s - best_s >= SCATTER_SHARE * best_s:
        said.append(words.say("usual first", usual=usual_s, target=steady_s))
    if target_s is not None:
        said.append(words.say("target", time=target_s))
    least_s = best_s if personal_s is None else min(best_s, personal_s)
    said += aim_sentences(facts.aim, least_s, words)
    return " ".join(said)


def _reminder(each: Opportunity, places: dict[str, Place], words: Language) -> str:
    return words.say(
        "reminder",
        corner=corner_name(each.corner, places),
        phase=words.term("phase", each.phase),
        loss=each.loss_s,
        mark=mark_sentence(each.corner, places, words),
        advice=advice(each, words),
    )


def _where(track_name: str) -> str:
    return f"{track_name}: " if track_name else ""
