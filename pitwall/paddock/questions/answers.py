"""Answers to what was read: one row a kind of question, from figures of the stored sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from pitwall.ask.measures import MEASURES, SEVERAL
from pitwall.paddock.question_reading import DRIVE_PARTS, LAP_GROUPS, MOST_LEAST, QuestionReading
from pitwall.paddock.questions.compared_laps import (
    alike_told,
    beside_mean,
    bests,
    cleanest,
    consecutive,
    corners_within,
    gaps,
    improved,
    moment_told,
    nth_told,
)
from pitwall.paddock.questions.figure_answers import (
    at_peak,
    corners_in_gear,
    figure_told,
    figures_told,
)
from pitwall.paddock.questions.figure_values import SHARED
from pitwall.paddock.questions.judged_laps import (
    best_corners,
    biggest_step,
    corners_between,
    fluke_told,
    groups_told,
    lap_when,
    laps_beside,
    phases_told,
    sprint_told,
    target_told,
    up_to_speed,
)
from pitwall.paddock.questions.lap_answers import (
    corner_search,
    corners_told,
    corners_won,
    explained,
    lap_card,
    lap_losses,
    messed_up,
    two_laps,
    weak_corners,
)
from pitwall.paddock.questions.lap_groups import before_and_after, differently, steadier
from pitwall.paddock.questions.meant_sessions import asked_alone, shown_day
from pitwall.paddock.questions.other_sessions import best_of_day, compare_sessions, laps_of_day
from pitwall.paddock.questions.peak_places import place_of
from pitwall.paddock.questions.place_answers import by_place, losses
from pitwall.paddock.questions.said import what_was_marked, what_was_said
from pitwall.paddock.questions.served import unserved
from pitwall.paddock.questions.session_facts import FACTS, lap_at, session_fact
from pitwall.paddock.questions.short_answers import evidence, in_short, one_thing, went_well
from pitwall.paddock.questions.stints import stints_told, stops_told
from pitwall.paddock.questions.subject import Subject
from pitwall.paddock.questions.time_answers import (
    ideal,
    lap_count,
    lap_times,
    made_lap,
    sector_losses,
    sector_times,
)
from pitwall.paddock.questions.yes_no_answers import (
    at_speed_told,
    in_gear,
    is_recorded,
    limiter_told,
    over_limit,
    times_held,
    unbraked,
)

MOST_NAMED = 6
_ENDS = ("first", "last", "least", "most")
# What of a corner has a cause that is looked for.
_CAUSED = ("loss", "time", "delta", "speed", "entry_speed", "min_speed", "exit_speed", "improved", "incident")


def _wants(*measures: str) -> Callable[[QuestionReading], bool]:
    return lambda reading: any(each in measures for each in reading.measures)


def _untold(asked: Subject, reading: QuestionReading) -> str:
    """What no source records. A channel of that name makes it a matter of the data."""
    words = _CHANNELS.get(reading.untold, ())
    # A channel that never changes tells nothing: it is a logger's "no value".
    found = (
        [each for each in asked.facts.signal_ranges(asked.row.id, words) if each.least < each.most]
        if words
        else []
    )
    if found:
        say, shown = asked.words.say, asked.words.figures.measured
        values = [
            say(
                "asked channel value",
                name=each.name,
                **{key: shown(getattr(each, key), each.unit, ".1f").strip() for key in _ENDS},
            )
            for each in found[:MOST_NAMED]
        ]
        return say("asked channel", values="; ".join(values))
    marked = {"flags": "yellow", "other cars": "traffic"}.get(reading.untold)
    laps = [lap.number for lap in asked.figures.laps.values() if marked and lap.kind == marked]
    if laps and marked:
        return asked.words.say("asked marked laps", laps=laps, kind=asked.words.term("lap", marked))
    if reading.untold == "drawing":
        return asked.words.say("asked drawing")
    said = asked.words.say("asked untold", what=asked.words.term("untold", reading.untold))
    return f"{said} {asked.words.term('untold why', reading.untold)}".strip()


# How the channels of a logger are called that tell of what no signal of ours does.
_CHANNELS = {
    "tyres": ("tyre", "tire", "tpms"),
    "wheel speeds": ("wheel speed", "wheelspeed", "wheel_speed", "wspd", "wheel slip"),
    "fuel": ("fuel",),
    "battery": ("batt", "volt"),
    "body": ("heart", "pulse"),
    "air fuel": ("lambda", "afr", "egt", "exhaust"),
    "driving aids": ("tc", "traction", "abs", "esp", "dsc", "asr"),
    "suspension": ("damper", "susp", "ride"),
    "clutch": ("clutch",),
    "brake temperature": ("brake temp", "rotor", "disc"),
    "differential": ("diff", "gearbox", "trans"),
    "power": ("torque", "power", "boost"),
    "weather": ("ambient", "air temp", "track temp", "weather"),
}


def _is_laps_only(reading: QuestionReading) -> bool:
    return not reading.measures and not reading.coaching and not reading.strange


def _asks_why(reading: QuestionReading) -> bool:
    """ "Why was lap 7 slow", but not "a plan up to lap 20"."""
    is_said = reading.coaching and not (reading.measures or reading.places or reading.strange)
    return is_said and bool(reading.laps) and not any(":" in mark for mark in reading.laps)


def _asks_for_goal(reading: QuestionReading) -> bool:
    """ "What lap time should I aim for": advice about lap times, of no lap and no part of one."""
    named = (reading.laps, reading.which, reading.of, reading.per, reading.sessions)
    return reading.coaching and not reading.places and not any(named)


def _is_timed(reading: QuestionReading) -> bool:
    return bool({*reading.measures} & {*SHARED})


def _is_of_laps(reading: QuestionReading) -> bool:
    """Whether a figure is asked for that each lap has, or the time of a place."""
    named = bool({*reading.measures} & MEASURES.keys()) or bool(reading.corners or reading.sectors)
    return named and reading.of in ("", "lap")


Rule = Callable[[Subject, QuestionReading], str]


def _advised(rule: Rule) -> Rule:
    """The rule's figures; to "should I", and to "too early", also what the corner costs and why."""

    def told(asked: Subject, reading: QuestionReading) -> str:
        said = rule(asked, reading)
        advised = said and reading.coaching and reading.corners and not reading.laps
        return f"{said} {corners_told(asked, reading)}" if advised else said

    return told


def _in_parts(laps: Sequence[str], *kinds: str) -> int:
    """How many groups of these kinds are named, 0 where other laps are named too."""
    return len(laps) if all(each.startswith(kinds) for each in laps) else 0


def _is_by_part(reading: QuestionReading) -> bool:
    """Whether it is asked in which corners or sectors something changed, or differs from one lap."""
    own = {*reading.measures}
    corners_only = own and all(each in MEASURES and MEASURES[each].parts == ("corner",) for each in own)
    changed = "trend" in reading.which and not reading.laps
    # "Where do I lose against my best lap" is told by what the corners cost.
    beside = reading.compares and len(reading.laps) == 1 and not ("loss" in own and reading.laps == ("best",))
    beside = beside and bool({"more", "less"} & {*reading.which})
    known = own <= MEASURES.keys() | {"improved", "loss", "delta"}
    elsewhere = reading.places or {*reading.sessions} - {"this"}
    parts = reading.of in ("corner", "sector", "place") or corners_only
    return bool(parts and known and (changed or beside) and not elsewhere)


def _gains(asked: Subject, reading: QuestionReading) -> str:
    """Where the one lap was better: of a lap that was faster as a whole most of it, else the corners."""
    one, other = asked.laps(reading)[:2]
    faster = (one.time_s or 0.0) < (other.time_s or 0.0)
    return two_laps(asked, reading) if faster else corners_between(asked, reading)


def _clear_told(asked: Subject, reading: QuestionReading) -> str:
    """ "My best lap without traffic": only laps that were marked are known to have had some."""
    left = tuple(each for each in reading.left if each != "clear")
    said = answer(asked, replace(reading, left=left))
    marked = [lap.number for lap in asked.figures.laps.values() if lap.kind == "traffic"]
    key = "asked clear" if marked else "asked clear none"
    return f"{said} {asked.words.say(key, laps=marked)}" if said else ""


def _evidence(asked: Subject, reading: QuestionReading) -> str:
    """What the answer before rests on, and that answer once more."""
    left = tuple(each for each in reading.left if each != "sure")
    return evidence(asked, reading, answer(asked, replace(reading, left=left)))


# Which reading is which kind, in this order; a rule that gives nothing leaves it to the next.
KINDS: tuple[tuple[Callable[[QuestionReading], bool], Rule], ...] = (
    (lambda r: bool(r.untold), _untold),
    (lambda r: r.said, what_was_said),
    (lambda r: r.marked, what_was_marked),
    (lambda r: bool(r.no_corner) and r.coaching and not r.corners, corners_told),
    (
        lambda r: (
            "told" in r.left
            and bool(r.corners)
            and not (r.laps or r.sessions or r.per or r.strange)
            and ((r.coaching and {*r.measures} <= {*_CAUSED}) or (r.measures == ("loss",) and not r.which))
        ),
        explained,
    ),
    (lambda r: "sure" in r.left, _evidence),
    (_wants("one_thing"), one_thing),
    (_wants("in_short"), in_short),
    (lambda r: "went_well" in r.measures and not (r.laps or r.places), went_well),
    (_wants("recorded"), is_recorded),
    (
        lambda r: bool(r.beyond or r.nearest or (r.limit_s is not None and (r.places or _is_timed(r)))),
        laps_beside,
    ),
    (lambda r: {"left", "right"} <= {*r.among} or {"slow", "fast"} <= {*r.among}, groups_told),
    (lambda r: bool(r.among) and "mean" in r.which and not r.corners, groups_told),
    (lambda r: bool(r.peak), at_peak),
    (_wants("consecutive", "steadiest"), consecutive),
    (_wants("bests"), bests),
    (_wants("limiter"), limiter_told),
    (lambda r: r.of == "corner" and r.within_s is not None, corners_within),
    (lambda r: bool(r.nth and MOST_LEAST & {*r.which} and _is_of_laps(r)), nth_told),
    (lambda r: bool(r.made_of), made_lap),
    (lambda r: r.sprint is not None, sprint_told),
    (lambda r: r.target_s is not None, target_told),
    (lambda r: r.at_s is not None, lap_at),
    (lambda r: r.at_speed is not None, at_speed_told),
    (lambda r: "clear" in r.left, _clear_told),
    (
        lambda r: bool(r.piece) and "loss" in r.measures,
        lambda asked, reading: figure_told(asked, reading, "lost"),
    ),
    (_wants("fluke"), fluke_told),
    (_wants("lap_when"), lap_when),
    (_wants("alike"), alike_told),
    (_wants("clean", "messy"), cleanest),
    (lambda r: r.per == "lap" and "corner" in (r.of, *r.left) and {*r.measures} == {"loss"}, cleanest),
    (lambda r: r.per == "lap" and r.laps == ("best",) and {*r.measures} == {"delta"} and not r.places, gaps),
    (lambda r: "incident" in r.measures and bool(r.corners) and not r.laps, messed_up),
    (
        lambda r: "incident" in r.measures and len(r.laps) == 1 and r.laps[0].isdigit() and not r.places,
        cleanest,
    ),
    (lambda r: "when" in r.left and r.bound is None and r.limit_s is None, moment_told),
    (
        # "How does turn 7 compare to my average".
        lambda r: (
            r.compares
            and r.which == ("mean",)
            and len(r.corners) <= 1
            and len(r.laps) <= 1
            and ":" not in "".join(r.laps)
            and bool(r.places or {*r.measures} - {"time", "delta"})
            and not (r.of or r.sessions or {"loss"} & {*r.measures})
        ),
        beside_mean,
    ),
    (_wants("step"), biggest_step),
    (_wants("up_to_speed"), up_to_speed),
    (
        lambda r: (
            ("spread" in r.which)
            and ((r.compares and _in_parts(r.laps, "half:") == 1) or ("trend" in r.which and not r.laps))
        ),
        steadier,
    ),
    (
        lambda r: (
            "differently" in r.left
            and not (r.measures or r.sectors or r.sessions or r.strange)
            and bool(r.laps or r.corners or r.coaching)
        ),
        differently,
    ),
    (
        lambda r: (
            r.measures == ("improved",)
            and not (r.of or r.laps or r.places)
            and set(r.sessions) <= {"this", "today"}
        ),
        lambda asked, reading: two_laps(asked, QuestionReading(laps=("first", "best"))),
    ),
    (
        # "Which sector did I improve most in": the best lap beside the first one.
        lambda r: (
            r.of in ("sector", "corner", "place")
            and ("improved" in r.measures or ("trend" in r.which and not r.measures))
            and not ("more" in r.which or r.laps or {*r.sessions} - {"this"})
        ),
        improved,
    ),
    (
        lambda r: r.laps == ("best",) and r.of in ("place", "corner") and {"gains", "than"} <= {*r.left},
        best_corners,
    ),
    (_is_by_part, before_and_after),
    (
        lambda r: (
            ("corner_count" in r.measures or (r.of == "corner" and not r.measures))
            and len(r.laps) == 2
            and ":" not in "".join(r.laps)
        ),
        corners_between,
    ),
    (
        lambda r: (
            (
                _in_parts(r.laps, *DRIVE_PARTS) == 1
                or (
                    len(r.laps) > 1
                    and any(each.startswith((*DRIVE_PARTS, "not:", "top:", "bottom:")) for each in r.laps)
                )
                or ("comparative" in r.left and bool(r.measures) and not r.coaching)
            )
            and (r.compares or bool({"comparative", "improved", "trend"} & {*r.left, *r.measures, *r.which}))
            and set(r.measures) <= MEASURES.keys() | SEVERAL.keys() | {"delta", "improved", "loss"}
        ),
        before_and_after,
    ),
    (
        lambda r: (
            "spread" in r.which
            and len(r.laps) == 1
            and not (r.measures or r.places or ":" in r.laps[0] or r.laps == ("pace",))
        ),
        lambda asked, reading: lap_times(asked, replace(reading, laps=())),
    ),
    (
        # "How far off my best was I on average".
        lambda r: (
            len(r.laps) == 1
            and (r.laps == ("best",) or r.compares or r.follows)
            and not r.laps[0].startswith((*LAP_GROUPS, "top", "bottom"))
            and "mean" in r.which
            and not r.places
            and set(r.measures) <= {"time", "delta"}
        ),
        two_laps,
    ),
    (lambda r: r.bound is not None, over_limit),
    (
        lambda r: (
            r.counts and {*r.measures} <= {*SHARED} and bool(r.measures) and r.bound is None and not r.of
        ),
        times_held,
    ),
    (_wants("unbraked", "braked"), unbraked),
    (
        # "Do I brake too early anywhere": the causes of what is lost, corner by corner.
        lambda r: (
            r.coaching
            and bool({*r.measures} & {"brake_m", "throttle_m", "min_speed", "entry_speed", "exit_speed"})
            and not (r.places or r.laps or r.which or r.sessions)
        ),
        weak_corners,
    ),
    (_wants("stints"), stints_told),
    (_wants("stops"), stops_told),
    (lambda r: r.of == "corner" and len(r.gears) == 1 and not (r.measures or r.corners), corners_in_gear),
    (
        lambda r: (
            "today" in r.sessions
            and "all" not in r.sessions
            and r.laps == ("best",)
            and not (r.places or r.compares or r.which)
            and {*r.measures} <= {"time"}
        ),
        best_of_day,
    ),
    (lambda r: "today" in r.sessions and {"lap_count", "total"} <= {*r.measures, *r.which}, laps_of_day),
    (lambda r: bool(set(r.sessions) - {"this", "today"}), compare_sessions),
    (_wants("ideal_corners"), best_corners),
    (lambda r: "ideal" in r.measures, ideal),
    (
        lambda r: (
            (len(r.gears) == 1 and (r.counted or set(r.measures) <= {"time"})) or "gear_time" in r.measures
        ),
        in_gear,
    ),
    (
        lambda r: "lap_count" in r.measures or r.limit_s is not None or bool(r.within_s or r.between_s),
        lap_count,
    ),
    (lambda r: bool(set(r.measures) & FACTS.keys()), session_fact),
    (lambda r: "mine" in r.left and r.of == "corner" and not r.corners, corners_won),
    (
        lambda r: "gains" in r.left and len(r.laps) == 2 and not (r.places or r.measures),
        _gains,
    ),
    (lambda r: "loss" in r.measures and r.per == "phase", phases_told),
    (
        lambda r: "loss" in r.measures and bool(r.corners) and _in_parts(r.laps, *DRIVE_PARTS) == 1,
        before_and_after,
    ),
    (
        lambda r: (
            "loss" in r.measures
            and not r.corners
            and (
                bool(r.among)
                or r.pieces
                or r.straight == "each"
                or "rank" in r.which
                or (r.of, *r.which) == ("corner", "least")
            )
        ),
        losses,
    ),
    (lambda r: "loss" in r.measures and r.of == "sector", sector_losses),
    (lambda r: "loss" in r.measures and bool(r.sectors) and r.of != "lap", sector_times),
    (lambda r: "loss" in r.measures, lap_losses),
    (lambda r: bool(set(r.measures) & (MEASURES.keys() | SEVERAL.keys()) - {"time"}), _advised(figures_told)),
    (lambda r: "time" in r.measures and not _asks_for_goal(r), _advised(lap_times)),
    (
        lambda r: (
            "gains" in r.left and r.laps == ("best",) and r.of == "place" and set(r.measures) <= {"loss"}
        ),
        lambda asked, reading: two_laps(asked, QuestionReading(laps=("best", "best:2"))),
    ),
    (
        lambda r: r.pieces and not r.piece and len(r.laps) == 2 and {*r.measures} <= {"time", "delta"},
        lambda asked, reading: by_place(asked, replace(reading, which=()), "time"),
    ),
    (
        lambda r: bool(
            "loss" not in r.measures
            and not r.half
            and ("delta" in r.measures or (r.compares and r.laps) or (len(r.laps) == 2 and not r.strange))
        ),
        two_laps,
    ),
    (lambda r: bool(r.corners) and bool(set(r.which) & {"spread", "trend"}), lap_times),
    (lambda r: bool(r.half) and not r.measures, lap_times),
    (
        lambda r: r.of == "lap" and (r.places or _is_laps_only(r)) and bool(set(r.which) & {"most", "least"}),
        lap_times,
    ),
    (
        lambda r: r.of == "sector" and "spread" in r.which,
        lambda asked, reading: by_place(asked, reading, "time"),
    ),
    (lambda r: r.of == "sector", sector_losses),
    (lambda r: bool(r.sectors or r.pieces), lap_times),
    (lambda r: bool(r.corners or r.no_corner) and not r.coaching, corners_told),
    (
        lambda r: bool(r.corners and r.laps) and not (r.measures or any(":" in each for each in r.laps)),
        two_laps,
    ),
    (lambda r: r.of == "corner" and r.coaching and bool(r.laps) and not r.corners, two_laps),
    (lambda r: r.of == "corner" and r.coaching and not (r.strange or r.measures), weak_corners),
    (lambda r: r.of == "corner" and not (r.coaching or r.strange or "loss" in r.measures), corner_search),
    (
        lambda r: r.of == "place" and bool(set(r.which) & {"most", "least"}) and _is_laps_only(r),
        lambda asked, reading: place_of(asked, reading, "speed"),
    ),
    (lambda r: "trend" in r.which and r.coaching and not (r.measures or r.places or r.strange), lap_times),
    (
        lambda r: (
            bool(set(r.which) & {"mean", "median", "spread", "trend", "each", "rank"}) and _is_laps_only(r)
        ),
        lap_times,  # "how consistent was I", "am I getting faster"
    ),
    (lambda r: bool(r.laps) and _is_laps_only(r), lap_card),
    (_asks_why, two_laps),
)


def answer(asked: Subject, reading: QuestionReading) -> str:
    """The answer, "" where this is no question of these kinds. ToolRefused, StoreError."""
    asked.in_units_of(reading)
    row = asked_alone(asked, reading)
    if row is not None and row.id == asked.row.id:
        reading = replace(reading, sessions=())
    elif row is not None:
        said = answer(Subject(asked.tools.about(row), asked.facts, row), replace(reading, sessions=()))
        if said:
            return asked.words.say("asked of session", when=shown_day(asked, row), rest=said)
    all_three = {*reading.which} == {"most", "least", "mean"}
    if all_three or (reading.which == ("most", "least") and not (reading.sectors or reading.compares)):
        # "The min and max of my lap times", "sector 3 best, worst and average".
        both = [answer(asked, replace(reading, which=(each,))) for each in reading.which]
        return " ".join(dict.fromkeys(both)) if all(both) else ""
    lacking: list[str] = []
    for asks, told in KINDS:
        asked.words.told.clear()
        if asks(reading) and (said := told(asked, reading)):
            if not (lacks := unserved(asked, reading, said)):
                return said
            lacking = lacking or lacks
    return asked.words.say("asked not told", what=lacking) if lacking else ""
