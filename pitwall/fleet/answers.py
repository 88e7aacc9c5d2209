"""Answers of a lake: leaderboards, corners, drivers, advice. Pure functions of a lake."""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from typing import Any

import _duckdb as duckdb
import msgspec
import pyarrow as pa

from pitwall.analysis.compare import slope_of
from pitwall.coach.concepts import TIME_LOST
from pitwall.fleet.lake import Lake
from pitwall.fleet.manifest import Entry
from pitwall.fleet.schema import Table
from pitwall.fleet.storage import LakeError
from pitwall.fleet.verdicts import SessionVerdict
from pitwall.store.errors import first_line
from pitwall.track.geometry import way_m
from pitwall.track.model import Corner, Track

# One process answers beside others; DuckDB spills what does not fit. A second thread costs as much processor
# time as it saves, and twice the memory; each file is read once, so keeping it is of no use.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1, "memory_limit": "256MB", "enable_external_file_cache": False,
}  # fmt: skip
# How a simulated vehicle ends (`simulator/`), where an entry of version 1 does not say that it is one.
SIMULATED = "(simulated)"
# A quarter of the passes of each class and conditions: the fastest ones against the others.
FAST_SHARE = 0.25
# Fewer passes tell no distribution.
FEWEST_PASSES = 8
# What a driver does now: his last sessions at a track.
RECENT_SESSIONS = 3
# No better by this share in so many sessions at a track is a plateau.
PLATEAU_SESSIONS, PLATEAU_SHARE = 4, 0.002
# So many corners are named as the weakest.
WEAKEST = 3
# A piece of advice won when the corner lost at most this share of what it had lost.
WON_SHARE = 0.5
# A 90 % interval around a share: small numbers of advice are not trusted.
WILSON_Z = 1.645
# A share counts as if so many average pieces of advice had been judged before: few judged change little.
AVERAGE_JUDGED = 20.0


class LeaderRow(msgspec.Struct, frozen=True, kw_only=True):
    """A driver's best lap. `gap_s`: behind the first."""

    place: int
    driver: str
    car_class: str
    conditions: str
    time_s: float
    gap_s: float
    session: str
    lap: int
    date: datetime.date | None
    laps: int
    sessions: int


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """The best laps of a track and layout, one a driver, class and conditions, the fastest first."""

    track: str
    car_class: str
    conditions: str
    rows: tuple[LeaderRow, ...]


class FigureSpread(msgspec.Struct, frozen=True, kw_only=True):
    """How one figure is spread over passes: quantiles, and the medians of the fastest quarter of the passes
    and of the others."""

    figure: str
    passes: int
    p10: float
    p25: float
    p50: float
    p75: float
    p90: float
    fast: float | None
    others: float | None


class CornerStanding(msgspec.Struct, frozen=True, kw_only=True):
    """Where a driver stands in a corner: his median of each figure, and the share of the passes of all that
    are slower than his median time."""

    driver: str
    passes: int
    faster_than_share: float
    medians: dict[str, float]


class CornerAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A corner over all passes at pace of these sessions. `brake_m` in `spreads` is metres from the brake
    point to the apex, `throttle_m` from the apex to where the throttle opens for good. The figures of the
    feet are of the `analysed` sessions."""

    track: str
    corner: str
    car_class: str
    conditions: str
    drivers: int
    sessions: int
    analysed: int
    spreads: tuple[FigureSpread, ...]
    standing: CornerStanding | None


class WeakCorner(msgspec.Struct, frozen=True, kw_only=True):
    """A corner where a driver is slower than the fast quarter of his class. Differences are his medians less
    that quarter's; positive `earlier_m`: he brakes so much earlier. `cause` is what most of his analysed
    sessions show, "" where none shows one."""

    corner: str
    loss_s: float
    earlier_m: float | None
    slower_mps: float
    cause: str


class TrackTrend(msgspec.Struct, frozen=True, kw_only=True):
    """A driver at one track. `best_s`: of each session in order, those in the conditions that most were in.
    `gain_s_per_session`: by a straight line through them (positive: gets faster). `target_s`: the next lap
    time to go for, half of what the weakest corners cost below his best."""

    track: str
    car_class: str
    sessions: int
    laps: int
    best_s: tuple[float, ...]
    gain_s_per_session: float | None
    plateau: bool
    weakest: tuple[WeakCorner, ...]
    target_s: float | None


class DriverAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """All that a lake knows of a driver's progress."""

    driver: str
    tracks: tuple[TrackTrend, ...]


class AdviceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of advice. `judged` of the `spoken` could be followed up; `heeded_share` of these was heeded,
    `sure_share` at least (90 %). `gain_s`: what the next pass gained, median of all judged; `heeded_gain_s`
    of those that were heeded. `after_laps`: laps until the corner lost half of it or less, median of those
    where it did, a `won_share` of the judged. `worth_s`: what one telling is worth, by which they are
    ranked. `weight`: how much likelier it is heeded than all advice together; the coach multiplies by it what
    a corner costs."""

    concept: str
    spoken: int
    judged: int
    heeded_share: float | None
    sure_share: float
    gain_s: float | None
    heeded_gain_s: float | None
    won_share: float | None
    after_laps: float | None
    worth_s: float
    weight: float


class AdviceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """All advice, the worthiest first."""

    track: str
    car_class: str
    rows: tuple[AdviceRow, ...]


def leaderboard(lake: Lake, track: str, car_class: str = "", conditions: str = "") -> Leaderboard:
    """Best laps; an empty class or conditions are any. LakeError."""
    sql = f"""
    SELECT driver, car_class, conditions, min(time_s), arg_min(session, time_s), arg_min(lap, time_s),
      arg_min(date, time_s), count(*), count(DISTINCT session)
    FROM laps WHERE lap_kind = 'flying' AND time_s IS NOT NULL {_where(car_class, conditions)}
    GROUP BY driver, car_class, conditions ORDER BY min(time_s), driver, car_class, conditions"""  # noqa: S608
    found = ask(lake, ("laps",), sql, _values(car_class, conditions), track=track)
    names = ("driver", "car_class", "conditions", "time_s", "session", "lap", "date", "laps", "sessions")
    rows = tuple(
        LeaderRow(place=place, gap_s=row[3] - found[0][3], **dict(zip(names, row, strict=True)))
        for place, row in enumerate(found, 1)
    )
    return Leaderboard(track=track, car_class=car_class, conditions=conditions, rows=rows)


FIGURES = ("time_s", "entry_speed_mps", "min_speed_mps", "exit_speed_mps", "brake_m")
# What only an analysed session tells: of the feet.
FOOT_FIGURES = ("coast_s", "peak_brake_bar", "release_s", "throttle_m")


def corner(
    lake: Lake,
    track: Track,
    turn: Corner,
    car_class: str = "",
    conditions: str = "",
    driver: str = "",
    verdicts: Iterable[SessionVerdict] = (),
) -> CornerAnswer:
    """A corner's distributions, and where a driver stands. LakeError where there are too few passes."""
    passes = f"""p AS (SELECT driver, session, car_class, conditions, time_s, entry_speed_mps, min_speed_mps,
      exit_speed_mps, ((? - brake_m) % ? + ?) % ? AS brake_m
      FROM corner_passes WHERE corner = ? AND at_pace {_where(car_class, conditions)})"""  # noqa: S608
    given = [turn.apex_m, *[track.length_m] * 3, turn.id, *_values(car_class, conditions)]
    sql = _spread_sql(passes, FIGURES)
    [(count, drivers, sessions, *rest)] = ask(lake, ("corner_passes",), sql, given, track=track.id)
    if count < FEWEST_PASSES:
        raise LakeError(
            f"{count} passes of {turn.name} at pace tell nothing: {FEWEST_PASSES} are needed; "
            "ask for all classes, or push more sessions"
        )
    standing = None
    if driver:
        one = f"""
        WITH {passes},
        own AS (SELECT count(*) AS passes, {", ".join(f"median({name}) AS {name}" for name in FIGURES)}
          FROM p WHERE driver = ?)
        SELECT own.passes, {", ".join(f"own.{name}" for name in FIGURES)},
          (SELECT avg((p.time_s > own.time_s)::DOUBLE) FROM p) FROM own"""  # noqa: S608
        [(own, *medians, share)] = ask(lake, ("corner_passes",), one, [*given, driver], track=track.id)
        if own:
            known = {name: value for name, value in zip(FIGURES, medians, strict=True) if value is not None}
            standing = CornerStanding(driver=driver, passes=own, faster_than_share=share, medians=known)
    fitting = [each for each in verdicts if each.track == track.id and _fits(each, car_class, conditions)]
    return CornerAnswer(
        track=track.id,
        corner=turn.id,
        car_class=car_class,
        conditions=conditions,
        drivers=drivers,
        sessions=sessions,
        analysed=len(fitting),
        spreads=(*_spreads(FIGURES, rest), *_feet(fitting, track, turn)),
        standing=standing,
    )


def _spread_sql(passes: str, figures: Sequence[str]) -> str:
    """The SELECT of passes, drivers, sessions, and four columns for each figure, over a table `p`."""
    columns = ", ".join(
        f"count({name}), quantile_cont({name}, [0.1, 0.25, 0.5, 0.75, 0.9]), "
        f"median({name}) FILTER (time_s <= fast_s), median({name}) FILTER (time_s > fast_s)"
        for name in figures
    )
    return f"""
    WITH {passes},
    edge AS (SELECT car_class, conditions, quantile_cont(time_s, {FAST_SHARE}) AS fast_s FROM p
      GROUP BY car_class, conditions)
    SELECT count(*), count(DISTINCT driver), count(DISTINCT session), {columns}
    FROM p JOIN edge USING (car_class, conditions)"""  # noqa: S608


def _spreads(figures: Sequence[str], columns: Sequence[Any], fewest: int = 1) -> list[FigureSpread]:
    """Of the figures that are known of so many passes."""
    return [
        FigureSpread(
            figure=name, passes=known, p10=q[0], p25=q[1], p50=q[2], p75=q[3], p90=q[4], fast=fast,
            others=others,
        )
        for name, (known, q, fast, others) in zip(
            figures, (columns[i : i + 4] for i in range(0, len(columns), 4)), strict=True
        )
        if known >= fewest
    ]  # fmt: skip


def _feet(verdicts: Sequence[SessionVerdict], track: Track, turn: Corner) -> list[FigureSpread]:
    names = ("driver", "session", "car_class", "conditions", "time_s", *FOOT_FIGURES)
    rows = [
        (
            *(getattr(verdict, name) for name in names[:4]),
            *(getattr(each, name) for name in names[4:-1]),
            None if each.throttle_m is None else way_m(turn.apex_m, each.throttle_m, track.length_m),
        )
        for verdict in verdicts
        for each in verdict.passes
        if each.corner == turn.id
    ]
    if len(rows) < FEWEST_PASSES:
        return []
    with closing(duckdb.connect(":memory:", config=SETTINGS)) as con:
        kinds = [pa.string()] * 4 + [pa.float64()] * (len(names) - 4)
        columns = map(pa.array, zip(*rows, strict=True), kinds)
        con.register("passes", pa.table(dict(zip(names, columns, strict=True))))
        [(_, _, _, *spread)] = con.execute(_spread_sql("p AS (FROM passes)", FOOT_FIGURES)).fetchall()
    return _spreads(FOOT_FIGURES, spread, FEWEST_PASSES)


def driver(
    lake: Lake, driver_id: str, tracks: dict[str, Track], verdicts: Iterable[SessionVerdict] = ()
) -> DriverAnswer:
    """A driver's progress at every track that is known. LakeError where the lake knows no such driver."""
    sql = """
    SELECT track, car_class, conditions, session, date, min(time_s), count(*) FROM laps
    WHERE driver = ? AND lap_kind = 'flying' AND time_s IS NOT NULL
    GROUP BY track, car_class, conditions, session, date ORDER BY track, date, session"""
    rows = ask(lake, ("laps",), sql, [driver_id], driver=driver_id)
    if not rows:
        raise LakeError(
            f"the lake has no flying lap of a driver {driver_id!r}; pitwall fleet drivers lists them"
        )
    causes = _causes(verdicts, driver_id)
    grouped: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for row in rows:
        grouped.setdefault((row[0], row[1]), []).append(row)
    return DriverAnswer(
        driver=driver_id,
        tracks=tuple(
            _trend(lake, driver_id, track, car_class, own, tracks.get(track), causes)
            for (track, car_class), own in grouped.items()
            if track
        ),
    )


def _trend(
    lake: Lake,
    driver_id: str,
    track: str,
    car_class: str,
    rows: Sequence[tuple[Any, ...]],
    known: Track | None,
    causes: dict[tuple[str, str], str],
) -> TrackTrend:
    # Wet sessions do not tell whether one gets faster in the dry.
    kinds = [row[2] for row in rows]
    usual = max(sorted(set(kinds)), key=kinds.count)
    comparable = [row for row in rows if row[2] == usual]
    best_s = [float(row[5]) for row in comparable]
    gain_s = None
    if len(best_s) >= PLATEAU_SESSIONS:
        gain_s = -slope_of(best_s, [float(i) for i in range(len(best_s))])[0]
    recent = [row[3] for row in comparable[-RECENT_SESSIONS:]]
    weakest = [] if known is None else _weakest(lake, driver_id, known, car_class, usual, recent, causes)
    return TrackTrend(
        track=track,
        car_class=car_class,
        sessions=len(rows),
        laps=sum(row[6] for row in rows),
        best_s=tuple(best_s),
        gain_s_per_session=gain_s,
        plateau=is_plateau(best_s),
        weakest=tuple(weakest),
        target_s=min(best_s) - 0.5 * sum(each.loss_s for each in weakest) if weakest else None,
    )


def is_plateau(best_s: Sequence[float]) -> bool:
    """Return whether the last sessions brought nothing over what was driven before them."""
    before, last = best_s[:-PLATEAU_SESSIONS], best_s[-PLATEAU_SESSIONS:]
    return bool(before) and min(last) > min(before) * (1.0 - PLATEAU_SHARE)


def _weakest(
    lake: Lake,
    driver_id: str,
    track: Track,
    car_class: str,
    conditions: str,
    sessions: Collection[str],
    causes: dict[tuple[str, str], str],
) -> list[WeakCorner]:
    marks = ", ".join("?" * len(sessions))
    apexes = ", ".join(f"('{each.id}', {each.apex_m!r})" for each in track.corners)
    sql = f"""
    WITH apexes(corner, apex_m) AS (VALUES {apexes}),
    p AS (SELECT driver, session, corner, time_s, min_speed_mps,
      ((apex_m - brake_m) % {track.length_m!r} + {track.length_m!r}) % {track.length_m!r} AS brake_m
      FROM corner_passes JOIN apexes USING (corner) WHERE at_pace AND car_class = ? AND conditions = ?),
    edge AS (SELECT corner, quantile_cont(time_s, {FAST_SHARE}) AS fast_s FROM p GROUP BY corner),
    fast AS (SELECT corner, median(time_s) AS time_s, median(min_speed_mps) AS min_mps,
      median(brake_m) AS brake_m FROM p JOIN edge USING (corner) WHERE time_s <= fast_s GROUP BY corner),
    own AS (SELECT corner, median(time_s) AS time_s, median(min_speed_mps) AS min_mps,
      median(brake_m) AS brake_m FROM p WHERE driver = ? AND session IN ({marks}) GROUP BY corner)
    SELECT corner, own.time_s - fast.time_s, own.brake_m - fast.brake_m, fast.min_mps - own.min_mps
    FROM own JOIN fast USING (corner) WHERE own.time_s > fast.time_s
    ORDER BY own.time_s - fast.time_s DESC, corner LIMIT {WEAKEST}"""  # noqa: S608
    values = [car_class, conditions, driver_id, *sessions]
    return [
        WeakCorner(
            corner=corner_id, loss_s=loss_s, earlier_m=earlier_m, slower_mps=slower_mps,
            cause=causes.get((track.id, corner_id), ""),
        )
        for corner_id, loss_s, earlier_m, slower_mps in ask(
            lake, ("corner_passes",), sql, values, track=track.id
        )
    ]  # fmt: skip


def _causes(verdicts: Iterable[SessionVerdict], driver_id: str) -> dict[tuple[str, str], str]:
    """(track, corner) -> the cause that most of the driver's sessions name there."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for verdict in verdicts:
        if verdict.driver == driver_id:
            for each in verdict.opportunities:
                named = counts.setdefault((verdict.track, each.corner), {})
                named[each.cause] = named.get(each.cause, 0) + 1
    return {key: max(sorted(named), key=lambda cause: named[cause]) for key, named in counts.items()}


def advice(lake: Lake, track: str = "", car_class: str = "") -> AdviceAnswer:
    """Which words were heeded, after how many laps, what they gained. LakeError."""
    sql = f"""
    WITH c AS (SELECT driver, session, corner, cue, concept, lap, loss_s, next_loss_s, heeded FROM cues
      WHERE spoken AND concept NOT IN ('', ?) {_where(car_class, "")}),
    p AS (SELECT driver, session, corner, lap,
      coalesce(brake_loss_s, 0) + coalesce(mid_loss_s, 0) + coalesce(exit_loss_s, 0) AS lost_s
      FROM corner_passes WHERE at_pace),
    won AS (SELECT c.driver, c.session, c.cue, min(p.lap - c.lap) AS laps FROM c JOIN p
      ON p.driver = c.driver AND p.session = c.session AND p.corner = c.corner AND p.lap > c.lap
      AND p.lost_s <= {WON_SHARE} * c.loss_s WHERE c.heeded IS NOT NULL
      GROUP BY c.driver, c.session, c.cue)
    SELECT c.concept, count(*), count(c.heeded), sum(c.heeded::INTEGER),
      median(c.loss_s - c.next_loss_s) FILTER (c.heeded IS NOT NULL),
      median(c.loss_s - c.next_loss_s) FILTER (c.heeded), count(won.laps), median(won.laps)
    FROM c LEFT JOIN won ON won.driver = c.driver AND won.session = c.session AND won.cue = c.cue
    GROUP BY c.concept ORDER BY c.concept"""  # noqa: S608
    values = [TIME_LOST, *_values(car_class, "")]
    found = ask(lake, ("cues", "corner_passes"), sql, values, track=track or None)
    rows = []
    all_judged, all_heeded = sum(row[2] for row in found), sum(row[3] or 0 for row in found)
    usual = all_heeded / all_judged if all_judged else 0.0
    for concept, spoken, judged, heeded, gain_s, heeded_gain_s, won, after in found:
        sure = least_share(heeded or 0, judged)
        likely = ((heeded or 0) + AVERAGE_JUDGED * usual) / (judged + AVERAGE_JUDGED)
        rows.append(
            AdviceRow(
                concept=concept,
                spoken=spoken,
                judged=judged,
                heeded_share=(heeded or 0) / judged if judged else None,
                sure_share=sure,
                gain_s=gain_s,
                heeded_gain_s=heeded_gain_s,
                won_share=won / judged if judged else None,
                after_laps=after,
                worth_s=sure * (heeded_gain_s or 0.0),
                weight=likely / usual if usual else 1.0,
            )
        )
    rows.sort(key=lambda row: (-row.worth_s, row.concept))
    return AdviceAnswer(track=track, car_class=car_class, rows=tuple(rows))


def least_share(hits: int, of: int) -> float:
    """Return what a share is at least, by 95 % to this side (Wilson 1927); 0 without any."""
    if not of:
        return 0.0
    share, z2 = hits / of, WILSON_Z * WILSON_Z
    middle = share + z2 / (2 * of)
    away = WILSON_Z * math.sqrt(share * (1.0 - share) / of + z2 / (4 * of * of))
    return max((middle - away) / (1.0 + z2 / of), 0.0)


def _fits(verdict: SessionVerdict, car_class: str, conditions: str) -> bool:
    return verdict.car_class == (car_class or verdict.car_class) and verdict.conditions == (
        conditions or verdict.conditions
    )


def _where(car_class: str, conditions: str) -> str:
    return ("AND car_class = ? " if car_class else "") + ("AND conditions = ? " if conditions else "")


def _values(car_class: str, conditions: str) -> list[str]:
    return [each for each in (car_class, conditions) if each]


def best_laps(
    lake: Lake, track: str, most: int, car_class: str = "", conditions: str = ""
) -> list[tuple[str, str, int, float]]:
    """The best flying lap of each session (driver, session, lap, time_s), at most so many, the fastest first.
    LakeError."""
    sql = f"""SELECT driver, session, arg_min(lap, time_s), min(time_s) FROM laps
    WHERE lap_kind = 'flying' AND time_s IS NOT NULL {_where(car_class, conditions)}
    GROUP BY driver, session ORDER BY min(time_s), session LIMIT {most}"""  # noqa: S608
    return ask(lake, ("laps",), sql, _values(car_class, conditions), track=track)


def driven(lake: Lake, *, track: str | None = None, driver: str | None = None) -> list[Entry]:
    """The entries of a track or a driver that count: those that somebody drove, and where there is none, the
    simulated ones. LakeError."""
    found = lake.chosen(track=track, driver=driver)
    untold = [each for each in found if each.simulated is None and each.key not in lake.simulated]
    if untold:
        lake.simulated |= dict.fromkeys((each.key for each in untold), False)
        sql = f"SELECT driver, session FROM sessions WHERE ends_with(vehicle, '{SIMULATED}')"  # noqa: S608
        rows = ask(lake, ("sessions",), sql, [], chosen=untold)
        lake.simulated |= dict.fromkeys(((name, session) for name, session in rows), True)
    return [each for each in found if not (each.simulated or lake.simulated.get(each.key))] or found


def ask(
    lake: Lake,
    tables: tuple[Table, ...],
    sql: str,
    values: Sequence[object],
    *,
    track: str | None = None,
    driver: str | None = None,
    chosen: Sequence[Entry] | None = None,
) -> list[tuple[Any, ...]]:
    """Rows over these tables of the sessions of a track or a driver that count, or of the chosen ones.
    LakeError."""
    chosen = driven(lake, track=track, driver=driver) if chosen is None else chosen
    try:
        with closing(duckdb.connect(":memory:", config=SETTINGS)) as con:
            return lake.ask(con, tables, lambda con: con.execute(sql, list(values)).fetchall(), chosen)
    except duckdb.Error as error:
        raise LakeError(f"the lake can't be asked: {first_line(error)}") from error
