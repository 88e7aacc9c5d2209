"""Plain facts of a session: how long, how far, when, by which signals."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from msgspec.structs import replace

from pitwall.ask.measures import MEASURES
from pitwall.ask.session_figures import HOLE_S
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.figure_answers import figures_told
from pitwall.paddock.questions.subject import Subject
from pitwall.store.queries import when_driven


def session_fact(asked: Subject, reading: QuestionReading) -> str:
    """The facts that are asked for, "" where it is none of these."""
    said = [FACTS[each](asked, reading) for each in reading.measures if each in FACTS]
    if "corner_count" in reading.measures and {*reading.measures} & MEASURES.keys():
        return ""  # "how many corners are taken flat" asks for some of them
    figures = tuple(each for each in reading.measures if each not in FACTS and each != "time")
    if figures and all(said):
        said.append(figures_told(asked, replace(reading, measures=figures)))
    return " ".join(each for each in said if each)


def _duration(asked: Subject, reading: QuestionReading) -> str:
    spots = asked.figures.spots()
    if not spots:
        return asked.words.say("no timed lap")
    minutes, seconds = divmod(round(spots[-1].t - spots[0].t), 60)
    flying_s = sum(lap.time_s or 0.0 for lap in asked.figures.flying)
    return asked.words.say(
        "asked duration",
        minutes=minutes,
        seconds=seconds,
        count=len(asked.figures.flying),
        flying=flying_s / 60.0,
    )


def _driven(asked: Subject, reading: QuestionReading) -> str:
    """By speed and time, so that it needs no track."""
    total_m = 0.0
    for spot, after in pairwise(asked.figures.spots()):
        if (
            spot.frame.speed_mps is not None
            and after.frame.speed_mps is not None
            and after.t - spot.t <= HOLE_S
        ):
            total_m += (spot.frame.speed_mps + after.frame.speed_mps) / 2.0 * (after.t - spot.t)
    return asked.words.say("asked driven", far=total_m / 1000.0)


def _track(asked: Subject, reading: QuestionReading) -> str:
    track = asked.track
    return asked.words.say("asked track", track=track.name, length=track.length_m / 1000.0) if track else ""


def _straight(asked: Subject, reading: QuestionReading) -> str:
    if not asked.figures.corners:
        return asked.words.say("asked no corners known")
    if reading.straight in ("main", "before"):
        corner = asked.wheres(reading)[0].corner
        length_m, key = asked.figures.straight_m(corner), "asked straight length"
    else:
        (length_m, corner), key = asked.figures.longest_straight(), "asked longest straight"
    return asked.words.say(key, corner=asked.corner_name(corner), length=length_m)


def _apart(asked: Subject, reading: QuestionReading) -> str:
    """Along the track, from the exit of one corner to the entry of another; of one corner from entry to
    exit."""
    rows = [row for each in reading.corners[:2] if (row := asked.figures.corner_row(each))]
    if not rows or asked.track is None:
        return ""
    if len(rows) == 1:
        length_m = (rows[0].exit_m - rows[0].entry_m) % asked.track.length_m
        return asked.words.say("asked corner length", corner=asked.corner_name(rows[0].id), length=length_m)
    gap_m = (rows[1].entry_m - rows[0].exit_m) % asked.track.length_m
    first, last = (asked.corner_name(row.id) for row in rows)
    return asked.words.say("asked apart", first=first, last=last, length=gap_m)


def _when(asked: Subject, reading: QuestionReading) -> str:
    spots = asked.figures.spots()
    minutes, seconds = divmod(round(spots[-1].t - spots[0].t) if spots else 0, 60)
    when = asked.words.retold(when_driven(asked.row))
    return asked.words.say("asked when", when=when, session=asked.row.id, minutes=minutes, seconds=seconds)


def _car(asked: Subject, reading: QuestionReading) -> str:
    return asked.words.say("asked car" if asked.row.vehicle else "asked car unnamed", car=asked.row.vehicle)


def _track_name(asked: Subject, reading: QuestionReading) -> str:
    return asked.words.say("asked track name", track=asked.track.name) if asked.track else ""


def lap_at(asked: Subject, reading: QuestionReading) -> str:
    """Which lap was driven at a time of the recording."""
    spots, at_s, say = asked.figures.spots(), reading.at_s or 0.0, asked.words.say
    minutes, seconds = divmod(round(at_s), 60)
    t = (spots[0].t if spots else 0.0) + at_s
    lap = next((each for each in asked.figures.laps.values() if each.start_t <= t < each.end_t), None)
    if lap is None:
        return say("asked no lap at", minutes=minutes, seconds=seconds)
    kind = "" if lap.kind == "flying" else f" ({asked.words.term('lap', lap.kind)})"
    return say(
        "asked lap at", minutes=minutes, seconds=seconds, lap=lap.number, kind=kind, by=t - lap.start_t
    )


def _driver(asked: Subject, reading: QuestionReading) -> str:
    return asked.words.say(
        "asked driver" if asked.row.driver else "asked driver unnamed", driver=asked.row.driver
    )


def _rate(asked: Subject, reading: QuestionReading) -> str:
    steps = [after.t - spot.t for spot, after in pairwise(asked.figures.spots()) if after.t > spot.t]
    return asked.words.say("asked rate", rate=1.0 / median(steps)) if steps else ""


def _satellites(asked: Subject, reading: QuestionReading) -> str:
    seen = [spot.frame.satellites for spot in asked.figures.spots() if spot.frame.satellites is not None]
    if not seen:
        return asked.words.say("asked not recorded", signal=asked.words.term("asked", "satellites"))
    return asked.words.say("asked satellites", usual=median(seen), least=min(seen))


def _gps(asked: Subject, reading: QuestionReading) -> str:
    """How often a fix came, by how many satellites, and where none came."""
    steps = [after.t - spot.t for spot, after in pairwise(asked.figures.spots())]
    holes = [step for step in steps if step > HOLE_S]
    key = "asked holes" if holes else "asked no hole"
    said = asked.words.say(key, count=len(holes), longest=max(holes, default=0.0), limit=HOLE_S)
    return " ".join((_rate(asked, reading), _satellites(asked, reading), said))


def _channels(asked: Subject, reading: QuestionReading) -> str:
    have = [name for name in _NAMED if asked.figures.recorded(MEASURES[name].signals[0])]
    names = [asked.words.term("asked", name) for name in have]
    lacking = [asked.words.term("asked", name) for name in _NAMED if name not in have]
    said = asked.words.say("asked channels", names=names)
    return f"{said} {asked.words.say('asked no channels', names=lacking)}" if lacking else said


def _corner_count(asked: Subject, reading: QuestionReading) -> str:
    if asked.track is None or not asked.figures.corners:
        return asked.words.say("asked no corners known")
    return asked.words.say("asked corner count", track=asked.track.name, count=len(asked.figures.corners))


def _sector_count(asked: Subject, reading: QuestionReading) -> str:
    count = max((len(lap.sectors_s) for lap in asked.figures.flying), default=0)
    return asked.words.say("asked sector count" if count else "asked no sectors here", count=count)


def _source(asked: Subject, reading: QuestionReading) -> str:
    """The file, or Pitwall itself; the device where the notes of the session do not tell it is not known."""
    if not asked.row.source_name:
        return asked.words.say("asked source live")
    return asked.words.say("asked source", file=asked.row.source_name, format=asked.row.format)


def _direction(asked: Subject, reading: QuestionReading) -> str:
    rows = [row for each in reading.corners if (row := asked.figures.corner_row(each))]
    return " ".join(
        asked.words.say(f"asked {row.direction}-hander", corner=asked.corner_name(row.id)) for row in rows
    )


def _way_round(asked: Subject, reading: QuestionReading) -> str:
    return asked.words.say(f"asked {asked.track.direction}", track=asked.track.name) if asked.track else ""


_NAMED = (
    *("speed", "rpm", "gear", "throttle", "brake_bar", "steering_deg", "g_lat", "coolant_c", "oil_temp_c"),
    *("oil_bar", "yaw", "altitude_m"),
)
FACTS = {
    "apart_m": _apart,
    "duration": _duration,
    "driven_km": _driven,
    "track_km": _track,
    "straight_m": _straight,
    "when": _when,
    "driver": _driver,
    "car": _car,
    "track": _track_name,
    "rate": _rate,
    "satellites": _satellites,
    "gps": _gps,
    "channels": _channels,
    "corner_count": _corner_count,
    "sector_count": _sector_count,
    "source": _source,
    "direction": _direction,
    "way_round": _way_round,
}
