"""Topics that a driver asks for and that are no figure of a lap: the ideal lap, what was said, stints, facts
of the session.

A topic is a row of TOPICS; one that an agent of the paddock knows better stands in AGENTS.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from statistics import fmean, median

from pitwall.ask.asks import HOW_TO
from pitwall.ask.measures import MEASURES
from pitwall.ask.scope import Subject
from pitwall.ask.session_figures import HOLE_S, stints_of, stops_of
from pitwall.ask.tell import best_sectors
from pitwall.coach.cue import SPOKEN
from pitwall.contract.query import Query
from pitwall.store.queries import when_driven

MOST_TOLD = 6
# Topics that are told by what an agent's tool finds.
AGENTS = {
    "losses": "GoldLapAgent", "advice": "CornerCoachAgent", "corner": "CornerCoachAgent",
    "target": "GoalSettingAgent", "plan": "SessionPlannerAgent", "incidents": "IncidentReviewAgent",
    "setup": "SetupAdvisorAgent", "progress": "ProgressTrackerAgent", "compare": "LapComparisonAgent",
    "summary": "DebriefPipeline",
}  # fmt: skip
# Words of a logger's channels that tell of what no signal of the car's does.
CHANNELS: dict[str, tuple[str, ...]] = {
    "tyres": ("tyre", "tire", "tpms"), "fuel": ("fuel",),
    "weather": ("ambient", "humidity", "weather", "t_air", "air_temp"),
    "brake temperature": ("brake_temp", "brake temp", "disc"), "clutch": ("clutch",),
    "battery": ("battery", "volt"), "power": ("torque", "power"), "suspension": ("susp", "damper"),
    "wheel speeds": ("wheel",), "air fuel": ("lambda", "afr"), "body": ("heart",),
    "boost": ("boost", "turbo"), "gearbox": ("gbx_oil", "gearbox_temp", "trans_temp", "transmission"),
    "differential": ("t_dif", "diff_temp"), "intake air": ("intake", "eng_air", "iat"),
    "brake axles": ("brk_", "brake_rear", "brake_front", "brake_bias"),
    "driving aids": ("abs", "tcs", "_esp"),
    "push to pass": ("ptp", "p2p", "push_to_pass"),
}  # fmt: skip
_NAMED = (
    *("speed", "rpm", "gear", "throttle", "brake_bar", "steering_deg", "g_lat", "coolant_c", "oil_temp_c"),
    *("oil_bar", "yaw", "altitude_m"),
)


def untold(subject: Subject, what: str) -> str:
    """That no data tells of this, and why; or what a logger's own channel has of it."""
    say, terms = subject.words.say, subject.words.term
    ranges = subject.facts.signal_ranges(subject.row.id, CHANNELS[what]) if what in CHANNELS else []
    # A channel that never changes tells nothing: it is a logger's "no value".
    ranges = [each for each in ranges if each.least < each.most]
    shown = subject.words.figures.measured
    if ranges:
        values = [
            say(
                "asked channel value",
                name=each.name,
                **{
                    end: shown(getattr(each, end), each.unit, ".1f").strip()
                    for end in ("first", "last", "least", "most")
                },
            )
            for each in ranges[:MOST_TOLD]
        ]
        return say("asked channel", values="; ".join(values))
    marked = {"flags": "yellow", "other cars": "traffic"}.get(what)
    laps = [lap.number for lap in subject.figures.laps.values() if marked and lap.kind == marked]
    if laps and marked:
        return say("asked marked laps", laps=laps, kind=terms("lap", marked))
    return f"{say('asked untold', what=terms('untold', what))} {terms('untold why', what)}"


def _ideal(subject: Subject, query: Query) -> str:
    """Return what the best sectors add up to, beside the best lap or the one that is named."""
    say, best, ideal = subject.words.say, subject.figures.best, best_sectors(subject)
    if best is None or best.time_s is None:
        return say("no timed lap")
    if ideal is None:
        return say("asked no sectors here")
    if len(subject.figures.flying) < 2:
        return f"{say('asked one lap only')} {say('lap timed', lap=best.number, time=best.time_s, kind='')}"
    total_s, sectors = ideal
    values = [
        say("asked sector of lap", sector=number, time=subject.lap_time(time_s), lap=lap)
        for number, time_s, lap in sectors
    ]
    if len({lap for _, _, lap in sectors}) == 1:
        return say("asked ideal driven", lap=best.number, best=best.time_s, values=values)
    said = say(
        "asked ideal",
        time=total_s,
        gain=best.time_s - total_s,
        best=best.time_s,
        lap=best.number,
        values=values,
    )
    own = [lap for lap in subject.laps(query.scope.laps) if lap.time_s is not None and lap is not best]
    return " ".join(
        (said, *(say("asked ideal of lap", time=total_s, lap=lap.number, own=lap.time_s,
        by=(lap.time_s or 0.0) - total_s)
                 for lap in own[:2]))
    )  # fmt: skip


def _lap_count(subject: Subject, query: Query) -> str:
    if query.scope.laps:
        laps = subject.laps(query.scope.laps)
        return subject.words.say("asked lap count in", count=len(laps), laps=[lap.number for lap in laps])
    others = [
        subject.words.say("asked other lap", lap=lap.number, kind=subject.words.term("lap", lap.kind))
        for lap in subject.figures.laps.values()
        if lap not in subject.figures.flying
    ]
    beside = subject.words.say("asked others", others=others) if others else ""
    return subject.words.say("asked lap count", count=len(subject.figures.flying), others=beside)


def _duration(subject: Subject, query: Query) -> str:
    spots = subject.figures.spots()
    if not spots:
        return subject.words.say("no timed lap")
    minutes, seconds = divmod(round(spots[-1].t - spots[0].t), 60)
    flying_s = sum(lap.time_s or 0.0 for lap in subject.figures.flying)
    count = len(subject.figures.flying)
    return subject.words.say(
        "asked duration", minutes=minutes, seconds=seconds, count=count, flying=flying_s / 60.0
    )


def _driven(subject: Subject, query: Query) -> str:
    """By speed and time, so that it needs no track."""
    total_m = 0.0
    for spot, after in pairwise(subject.figures.spots()):
        one, other = spot.frame.speed_mps, after.frame.speed_mps
        if one is not None and other is not None and after.t - spot.t <= HOLE_S:
            total_m += (one + other) / 2.0 * (after.t - spot.t)
    return subject.words.say("asked driven", far=total_m / 1000.0)


def _length(subject: Subject, query: Query) -> str:
    """Of the straight or the corner that is named, else of the lap."""
    say, track = subject.words.say, subject.track
    if track is None:
        return say("asked no corners known")
    [where, *_] = subject.wheres(query.scope.places)
    if where.part == "span" and where.corner and where.to_corner:
        first, last = (subject.figures.corner_row(each) for each in (where.corner, where.to_corner))
        if first is not None and last is not None:
            gap_m = (last.entry_m - first.exit_m) % track.length_m
            names = subject.corner_name(first.id), subject.corner_name(last.id)
            return say("asked apart", first=names[0], last=names[1], length=gap_m)
    if where.part == "straight":
        far_m = subject.figures.straight_m(where.corner)
        key = (
            "asked longest straight" if "straight:longest" in query.scope.places else "asked straight length"
        )
        return say(key, corner=subject.corner_name(where.corner), length=far_m)
    if where.part == "corner" and (row := subject.figures.corner_row(where.corner)):
        length_m = (row.exit_m - row.entry_m) % track.length_m
        return say("asked corner length", corner=subject.corner_name(row.id), length=length_m)
    return say("asked track", track=track.name, length=track.lap_m / 1000.0)


def _track(subject: Subject, query: Query) -> str:
    if subject.track is None:
        return subject.words.say("asked no corners known")
    named = subject.words.say("asked track name", track=subject.track.name)
    return f"{named} {_length(subject, query)}"


def _car(subject: Subject, query: Query) -> str:
    return subject.words.say(
        "asked car" if subject.row.vehicle else "asked car unnamed", car=subject.row.vehicle
    )


def _driver(subject: Subject, query: Query) -> str:
    key = "asked driver" if subject.row.driver else "asked driver unnamed"
    return subject.words.say(key, driver=subject.row.driver)


def _dated(subject: Subject, query: Query) -> str:
    spots = subject.figures.spots()
    minutes, seconds = divmod(round(spots[-1].t - spots[0].t) if spots else 0, 60)
    when = when_driven(subject.row)
    return subject.words.say(
        "asked when", when=when, session=subject.row.id, minutes=minutes, seconds=seconds
    )


def _channels(subject: Subject, query: Query) -> str:
    have = [name for name in _NAMED if subject.figures.recorded(MEASURES[name].signals[0])]
    names = [subject.words.term("asked", name) for name in have]
    lacking = [subject.words.term("asked", name) for name in _NAMED if name not in have]
    said = subject.words.say("asked channels", names=names)
    return f"{said} {subject.words.say('asked no channels', names=lacking)}" if lacking else said


def _source(subject: Subject, query: Query) -> str:
    if not subject.row.source_name:
        return subject.words.say("asked source live")
    return subject.words.say("asked source", file=subject.row.source_name, format=subject.row.format)


def _gps(subject: Subject, query: Query) -> str:
    """How often a fix came, by how many satellites, and where none came."""
    say, spots = subject.words.say, subject.figures.spots()
    steps = [after.t - spot.t for spot, after in pairwise(spots)]
    seen = [spot.frame.satellites for spot in spots if spot.frame.satellites is not None]
    holes = [step for step in steps if step > HOLE_S]
    said = [
        say("asked rate", rate=1.0 / median([step for step in steps if step > 0] or [1.0])),
        say("asked satellites", usual=median(seen), least=min(seen))
        if seen
        else say("asked not recorded", signal=subject.words.term("asked", "satellites")),
        say(
            "asked holes" if holes else "asked no hole",
            count=len(holes),
            longest=max(holes, default=0.0),
            limit=HOLE_S,
        ),
    ]
    return " ".join(said)


def _corner_count(subject: Subject, query: Query) -> str:
    if subject.track is None or not subject.figures.corners:
        return subject.words.say("asked no corners known")
    count = len(subject.figures.corners)
    return subject.words.say("asked corner count", track=subject.track.name, count=count)


def _sector_count(subject: Subject, query: Query) -> str:
    count = max((len(lap.sectors_s) for lap in subject.figures.flying), default=0)
    return subject.words.say("asked sector count" if count else "asked no sectors here", count=count)


def _direction(subject: Subject, query: Query) -> str:
    say = subject.words.say
    rows = [row for each in query.scope.places if (row := subject.figures.corner_row(each.partition("/")[0]))]
    if rows:
        return " ".join(
            say(f"asked {row.direction}-hander", corner=subject.corner_name(row.id)) for row in rows
        )
    track = subject.track
    return say(f"asked {track.direction}", track=track.name) if track else say("asked no corners known")


def _stints(subject: Subject, query: Query) -> str:
    """The flying laps between the stops: their best and their average, stint by stint."""
    say, stints = subject.words.say, stints_of(subject.figures)
    if len(stints) < 2:
        return say("asked no stop")
    said = []
    for number, laps in enumerate(stints, 1):
        best, mean_s = min(laps, key=lambda lap: lap.time_s or 0.0), fmean(lap.time_s or 0.0 for lap in laps)
        named = [lap.number for lap in laps]
        said.append(
            say("asked stint", stint=number, laps=named, best=best.time_s, lap=best.number, mean=mean_s)
        )
    return " ".join(said)


def _stops(subject: Subject, query: Query) -> str:
    say, stops = subject.words.say, stops_of(subject.figures)
    if not subject.figures.recorded("speed_mps"):
        return say("asked not recorded", signal=subject.words.term("asked", "speed"))
    if not stops:
        return say("asked no stop")
    values = [say("asked stop", lap=each.lap, time=each.to_t - each.from_t) for each in stops]
    return say("asked stops", count=len(stops), values=values)


def _said(subject: Subject, query: Query) -> str:
    """The advice that was spoken, at the corner or in the laps that are named, and how much was heeded."""
    from pitwall.analysis.highlights import at_pace, explained  # with all concepts of the coach

    say = subject.words.say
    corners = {where.corner for where in subject.wheres(query.scope.places) if where.corner}
    laps = {lap.number for lap in subject.laps(query.scope.laps)}
    lines = subject.facts.cues(subject.row.id)
    if not any(line.outcome in SPOKEN for line in lines):
        return say("asked nothing said")
    paced = at_pace((lap.number, lap.kind, lap.time_s) for lap in subject.figures.laps.values())
    all_told = [
        each for each in explained(lines, subject.facts.corner_passes(subject.row.id), paced) if each.spoken
    ]
    meant = [
        each
        for each in all_told
        if (not laps or each.lap in laps) and (not corners or each.corner in corners)
    ]
    place = "".join(say("asked at corner", corner=subject.corner_name(each)) for each in sorted(corners)[:1])
    in_laps = say("asked in laps", laps=sorted(laps)) if laps else ""
    if not meant:
        return say("asked nothing said there", kind="", place=place, laps=in_laps, count=len(all_told))
    judged = [each for each in meant if each.is_advice and each.followed(subject.words)]
    heeded = ""
    if judged:
        heeded = say("asked heeded", count=sum(each.heeded for each in judged), all=len(judged))
    if query.measure == "heeded":
        return heeded or say("asked none followed", place=place)
    if query.which == "count":
        return say("asked advice count", kind="", place=place, laps=in_laps, count=len(meant))
    values = []
    for each in meant[:MOST_TOLD]:
        followed = each.followed(subject.words)
        so = f" ({followed})" if followed else ""
        values.append(say("asked callout", lap=each.lap, text=each.text, followed=so))
    more = say("asked more callouts", count=len(meant) - MOST_TOLD) if len(meant) > MOST_TOLD else ""
    return f"{say('asked callouts', place=place, values='; '.join(values), more=more)} {heeded}".strip()


def _marks(subject: Subject, query: Query) -> str:
    """The moments that the driver marked: time into the lap, and after which corner."""
    say, passes = subject.words.say, subject.facts.corner_passes(subject.row.id)
    named = subject.laps(query.scope.laps)
    values = []
    for line in subject.facts.cues(subject.row.id):
        lap = next(
            (each for each in subject.figures.laps.values() if each.start_t <= line.t < each.end_t), None
        )
        if line.phase != "mark" or lap is None or (named and lap not in named):
            continue
        kind = f" ({subject.words.term('lap', line.text)})" if line.text in ("traffic", "yellow") else ""
        before = [each for each in passes if each.lap == lap.number and each.entry_t <= line.t]
        place = ""
        if before:
            last = max(before, key=lambda each: each.entry_t)
            corner, by_s = subject.short_name(last.corner), line.t - last.exit_t
            place = say("asked mark after" if by_s > 0 else "asked mark in", corner=corner, by=by_s)
        values.append(say("asked mark", lap=lap.number, time=line.t - lap.start_t, kind=kind, place=place))
    more = say("asked more callouts", count=len(values) - MOST_TOLD) if len(values) > MOST_TOLD else ""
    return (
        say("asked marks", values=values[:MOST_TOLD], more=more)
        if values
        else say("asked no mark", laps=subject.in_laps(query.scope.laps, named))
    )


TOPICS: dict[str, Callable[[Subject, Query], str]] = {
    "ideal": _ideal, "lap_count": _lap_count, "duration": _duration, "driven_km": _driven,
    "track_km": _length,
    "track": _track, "car": _car, "driver": _driver, "dated": _dated, "channels": _channels,
    "source": _source,
    "gps": _gps, "corner_count": _corner_count, "sector_count": _sector_count, "direction": _direction,
    "stints": _stints, "stops": _stops, "said": _said, "heeded": _said, "marks": _marks,
    "export": lambda subject, query: subject.words.say("asked drawing"),
    "help": lambda subject, query: subject.words.say("asked nothing read"),
    **dict.fromkeys(HOW_TO, lambda subject, query: subject.words.term("how to", query.measure)),
}  # fmt: skip
