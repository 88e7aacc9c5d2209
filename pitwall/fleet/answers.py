"""Answer questions of a lake in SQL over `derived/`: leaderboard, corner, driver, advice."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import unquote

import duckdb
import pyarrow as pa

from pitwall.coach.cue import TIME_LOST
from pitwall.fleet.build import DERIVED, TABLES, partition_of, partitions
from pitwall.fleet.lake import LakeError, Storage
from pitwall.store.errors import first_line
from pitwall.track.model import Corner, Track

Row = dict[str, Any]
# A second thread costs as much processor time as it saves, and twice the memory.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {"threads": 1, "memory_limit": "256MB"}
# A quarter of the passes of each class and conditions: the fastest ones against the others.
FAST_SHARE = 0.25
# Fewer passes tell no distribution.
FEWEST_PASSES = 8
# What a driver does now: his last sessions at a track; and the number of weakest corners named.
RECENT_SESSIONS, WEAKEST = 3, 3
# No gain of this share in this many sessions at a track is a plateau.
PLATEAU_SESSIONS, PLATEAU_SHARE = 4, 0.002
# Advice succeeded when the corner lost at most this share of what it had lost.
WON_SHARE = 0.5
# A 90 % interval around a share: small numbers of advice are not trusted.
WILSON_Z = 1.645
# A share starts from this many average pieces of advice: few judged change little.
AVERAGE_JUDGED = 20.0


def ask(
    storage: Storage, sql: str, values: Mapping[str, Any], *, track: str = "", driver: str = ""
) -> list[Row]:
    """Return a question's rows over `derived/`: of a track or driver that count. LakeError."""
    partition = f"{partition_of(track)}/" if track else ""
    there = partitions(storage)
    try:
        with closing(duckdb.connect(":memory:", config=SETTINGS)) as con:
            for table, schema in TABLES.items():
                if re.search(rf"\b{table}\b", sql) is None and table != "sessions":
                    continue
                paths = [path for path in there if path.startswith(f"{DERIVED}/{table}/{partition}")]
                _attach(con, storage, "all_sessions" if table == "sessions" else table, paths, schema)
            con.execute(f"CREATE TEMP VIEW sessions AS {_chosen(driver)}")
            found = con.execute(sql, {name: values[name] for name in values if f"${name}" in sql})
            names = [each[0] for each in found.description or ()]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    except (duckdb.Error, OSError) as error:
        raise LakeError(f"the lake can't be asked: {first_line(error)}") from error


def _attach(
    con: duckdb.DuckDBPyConnection, storage: Storage, name: str, paths: Sequence[str], schema: pa.Schema
) -> None:
    whole = schema.append(pa.field("track", pa.string()))
    if not paths:
        con.register(name, whole.empty_table())
    elif storage.folder is None:
        # DuckDB reads buckets only with an extension that it would have to fetch.
        import pyarrow.dataset as ds

        keys = ds.partitioning(pa.schema([("track", pa.string())]), flavor="hive")
        con.register(name, ds.dataset(list(paths), whole, "parquet", storage.fs, keys))
    else:
        quoted = ", ".join("'" + f"{storage.folder}/{path}".replace("'", "''") + "'" for path in paths)
        options = "hive_partitioning = true, hive_types = {'track': VARCHAR}"
        con.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet([{quoted}], {options})")  # noqa: S608


def _chosen(driver: str) -> str:
    if re.fullmatch(r"[a-z0-9-]*", driver) is None:
        raise LakeError(f"{driver!r} is no driver's id; pitwall fleet drivers lists them")
    whose = f"AND driver = '{driver}'" if driver else ""
    scope = f"FROM all_sessions WHERE failed = '' {whose}"
    return f"SELECT * {scope} AND simulated = (SELECT bool_and(simulated) {scope})"


# The sessions asked for: any class, or this one; any conditions, or these.
_FILTER = "($class = '' OR car_class = $class) AND ($conditions = '' OR conditions = $conditions)"
_FLYING = "lap_kind = 'flying' AND time_s IS NOT NULL"


def leaderboard(storage: Storage, track: str, car_class: str = "", conditions: str = "") -> Row:
    """Rank the best laps of a track, one a driver, class and conditions. LakeError."""
    sql = f"""
    SELECT row_number() OVER (ORDER BY min(time_s), driver) AS place, driver, car_class, conditions,
      min(time_s) AS time_s, min(time_s) - min(min(time_s)) OVER () AS gap_s,
      arg_min(session, time_s) AS session, arg_min(lap, time_s) AS lap, arg_min(date, time_s) AS date,
      count(*) AS laps, count(DISTINCT session) AS sessions
    FROM laps JOIN sessions USING (driver, session) WHERE {_FLYING} AND {_FILTER}
    GROUP BY driver, car_class, conditions ORDER BY min(time_s), driver, car_class, conditions"""  # noqa: S608
    rows = ask(storage, sql, {"class": car_class, "conditions": conditions}, track=track)
    return {"track": track, "car_class": car_class, "conditions": conditions, "rows": rows}


FIGURES = (
    "time_s", "entry_speed_mps", "min_speed_mps", "exit_speed_mps", "brake_m", "coast_s", "peak_brake_bar",
    "release_s", "throttle_m",
)  # fmt: skip


def _way(begin: str, end: str) -> str:
    """Return SQL for the way ahead between places of a closed line, metres, below one round."""
    return f"((({end}) - ({begin})) % $length + $length) % $length"


def corner(
    storage: Storage, track: Track, turn: Corner, car_class: str = "", conditions: str = "", driver: str = ""
) -> Row:
    """Return a corner's distributions, what the fast quarter does, where a driver stands."""
    passes = f"""p AS (SELECT driver, session, car_class, conditions,
      {", ".join(name for name in FIGURES if name not in ("brake_m", "throttle_m"))},
      {_way("brake_m", "$apex")} AS brake_m,
      {_way("$apex - $length / 2", "throttle_m")} - $length / 2 AS throttle_m
      FROM passes JOIN sessions USING (driver, session) WHERE corner = $corner AND at_pace AND {_FILTER}),
    q AS (SELECT *, quantile_cont(time_s, {FAST_SHARE}) OVER (PARTITION BY car_class, conditions) AS fast_s
      FROM p)"""  # noqa: S608
    given = {
        "apex": turn.apex_m, "length": track.length_m, "corner": turn.id, "class": car_class,
        "conditions": conditions,
    }  # fmt: skip
    spreads = " UNION ALL ".join(
        f"SELECT '{name}' AS figure, count({name}) AS passes, "  # noqa: S608
        f"quantile_cont({name}, [0.1, 0.25, 0.5, 0.75, 0.9]) AS at, "
        f"median({name}) FILTER (time_s <= fast_s) AS fast, "
        f"median({name}) FILTER (time_s > fast_s) AS others, "
        f"median({name}) FILTER (driver = $driver) AS own, count(DISTINCT driver) AS drivers, "
        f"count(DISTINCT session) AS sessions FROM q"
        for name in FIGURES
    )
    rows = ask(storage, f"WITH {passes} {spreads}", given | {"driver": driver}, track=track.id)
    if rows[0]["passes"] < FEWEST_PASSES:
        raise LakeError(
            f"{rows[0]['passes']} passes of {turn.name} at pace tell nothing: {FEWEST_PASSES} are needed; "
            "ask for all classes, or push more sessions"
        )
    drivers, sessions = rows[0]["drivers"], rows[0]["sessions"]
    for row in rows:
        row |= dict(zip(("p10", "p25", "p50", "p75", "p90"), row.pop("at") or (None,) * 5, strict=True))
        del row["drivers"], row["sessions"]
    standing = None
    if driver and rows[0]["own"] is not None:
        own = f"WITH {passes} SELECT avg((time_s > $own)::DOUBLE) AS faster_than_share, "
        own += "count(*) FILTER (driver = $driver) AS passes FROM p"
        [standing] = ask(storage, own, given | {"driver": driver, "own": rows[0]["own"]}, track=track.id)
    known = [row for row in rows if row["passes"] >= FEWEST_PASSES]
    return {
        "track": track.id, "corner": turn.id, "car_class": car_class, "conditions": conditions,
        "drivers": drivers, "sessions": sessions, "driver": driver, "standing": standing, "spreads": known,
    }  # fmt: skip


def driver(storage: Storage, driver_id: str, tracks: Mapping[str, Track]) -> Row:
    """Return a driver's progress at every track. LakeError for an unknown driver."""
    sql = f"""
    SELECT track, car_class, conditions, session, min(time_s) AS best_s, count(*) AS laps
    FROM laps JOIN sessions USING (driver, session, track) WHERE {_FLYING}
    GROUP BY ALL ORDER BY track, any_value(date), session"""  # noqa: S608
    rows = ask(storage, sql, {}, driver=driver_id)
    if not rows:
        raise LakeError(
            f"the lake has no flying lap of a driver {driver_id!r}; pitwall fleet drivers lists them"
        )
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        grouped.setdefault((row["track"], row["car_class"]), []).append(row)
    return {
        "driver": driver_id,
        "tracks": [
            _trend(storage, driver_id, tracks.get(track), own) for (track, _), own in grouped.items()
        ],
    }  # fmt: skip


def _trend(storage: Storage, driver_id: str, track: Track | None, rows: Sequence[Row]) -> Row:
    """A driver at one track in one class: bests, gain, weakest corners, target."""
    # Wet sessions do not show whether one gets faster in the dry.
    kinds = [row["conditions"] for row in rows]
    usual = max(sorted(set(kinds)), key=kinds.count)
    comparable = [row for row in rows if row["conditions"] == usual]
    best_s = [float(row["best_s"]) for row in comparable]
    gain_s = None
    if len(best_s) >= PLATEAU_SESSIONS:
        from pitwall.analysis.compare import slope_of

        gain_s = -slope_of(best_s, [float(i) for i in range(len(best_s))])[0]
    recent = [row["session"] for row in comparable[-RECENT_SESSIONS:]]
    car_class = rows[0]["car_class"]
    weakest = [] if track is None else _weakest(storage, driver_id, track, car_class, usual, recent)
    return {
        "track": rows[0]["track"], "car_class": car_class, "sessions": len(rows),
        "laps": sum(row["laps"] for row in rows), "best_s": best_s, "gain_s_per_session": gain_s,
        "plateau": is_plateau(best_s), "weakest": weakest,
        "target_s": min(best_s) - 0.5 * sum(each["loss_s"] for each in weakest) if weakest else None,
    }  # fmt: skip


def is_plateau(best_s: Sequence[float]) -> bool:
    """Return whether the last sessions gained nothing on those before."""
    before, last = best_s[:-PLATEAU_SESSIONS], best_s[-PLATEAU_SESSIONS:]
    return bool(before) and min(last) > min(before) * (1.0 - PLATEAU_SHARE)


def _weakest(
    storage: Storage, driver_id: str, track: Track, car_class: str, conditions: str, sessions: Sequence[str]
) -> list[Row]:
    """Find the corners where a driver is slower than the fast quarter, and the cause."""
    apexes = ", ".join(f"('{each.id}', {each.apex_m!r})" for each in track.corners)
    figures = "median(time_s) AS time_s, median(min_speed_mps) AS min_mps, median(brake_m) AS brake_m"
    sql = f"""
    WITH apexes(corner, apex_m) AS (VALUES {apexes}),
    p AS (SELECT driver, session, corner, time_s, min_speed_mps, {_way("brake_m", "apex_m")} AS brake_m
      FROM passes JOIN apexes USING (corner) JOIN sessions USING (driver, session)
      WHERE at_pace AND car_class = $class AND conditions = $conditions),
    edge AS (SELECT corner, quantile_cont(time_s, {FAST_SHARE}) AS fast_s FROM p GROUP BY corner),
    fast AS (SELECT corner, {figures} FROM p JOIN edge USING (corner) WHERE time_s <= fast_s GROUP BY corner),
    own AS (SELECT corner, {figures} FROM p WHERE driver = $driver AND session IN $sessions GROUP BY corner),
    named AS (SELECT corner, cause, count(*) AS times FROM facts WHERE driver = $driver
      GROUP BY corner, cause),
    causes AS (SELECT corner, arg_max(cause, (times, cause)) AS cause FROM named GROUP BY corner)
    SELECT corner, own.time_s - fast.time_s AS loss_s, own.brake_m - fast.brake_m AS earlier_m,
      fast.min_mps - own.min_mps AS slower_mps, coalesce(causes.cause, '') AS cause
    FROM own JOIN fast USING (corner) LEFT JOIN causes USING (corner) WHERE own.time_s > fast.time_s
    ORDER BY loss_s DESC, corner LIMIT {WEAKEST}"""  # noqa: S608
    values = {
        "class": car_class, "conditions": conditions, "driver": driver_id, "sessions": list(sessions),
        "length": track.length_m,
    }  # fmt: skip
    return ask(storage, sql, values, track=track.id)


def advice(storage: Storage, track: str = "", car_class: str = "") -> Row:
    """Return which words were heeded, after how many laps, and what they gained, the worthiest
    first.

    Of the `judged` of the `spoken`, `heeded_share` was heeded, `sure_share` at least (90 %).
    `gain_s`: the next pass's median gain, `heeded_gain_s` of those heeded. `won_share` lost half or
    less after `after_laps`. `worth_s`: of one call. `weight`: how much likelier it is heeded than
    all advice; the coach multiplies a corner's cost by it. Gains are mostly regression to the mean:
    `effect` compares with the corners that trials kept back. LakeError.
    """
    sql = f"""
    WITH c AS (SELECT driver, session, corner, cue, concept, lap, loss_s, next_loss_s, heeded FROM calls
      JOIN sessions USING (driver, session) WHERE spoken AND concept NOT IN ('', $lost) AND {_FILTER}),
    p AS (SELECT driver, session, corner, lap, loss_s AS lost_s FROM passes WHERE at_pace),
    won AS (SELECT driver, session, cue, min(p.lap - c.lap) AS laps FROM c
      JOIN p USING (driver, session, corner) WHERE p.lap > c.lap AND p.lost_s <= {WON_SHARE} * c.loss_s
      AND c.heeded IS NOT NULL GROUP BY driver, session, cue)
    SELECT concept, count(*) AS spoken, count(heeded) AS judged, count(*) FILTER (heeded) AS heeded,
      median(loss_s - next_loss_s) FILTER (heeded IS NOT NULL) AS gain_s,
      median(loss_s - next_loss_s) FILTER (heeded) AS heeded_gain_s, count(won.laps) AS won,
      median(won.laps) AS after_laps
    FROM c LEFT JOIN won USING (driver, session, cue) GROUP BY concept ORDER BY concept"""  # noqa: S608
    values = {"lost": TIME_LOST, "class": car_class, "conditions": ""}
    rows = ask(storage, sql, values, track=track)
    judged, heeded = sum(row["judged"] for row in rows), sum(row["heeded"] for row in rows)
    usual = heeded / judged if judged else 0.0
    for row in rows:
        count, own = row["judged"], row.pop("heeded")
        won = row.pop("won")
        row["heeded_share"] = own / count if count else None
        row["won_share"] = won / count if count else None
        row["sure_share"] = least_share(own, count)
        row["worth_s"] = row["sure_share"] * (row["heeded_gain_s"] or 0.0)
        likely = (own + AVERAGE_JUDGED * usual) / (count + AVERAGE_JUDGED)
        row["weight"] = likely / usual if usual else 1.0
    rows.sort(key=lambda row: (-row["worth_s"], row["concept"]))
    from pitwall.analysis.effect import TrialUnit, estimate_effect

    sql = f"""SELECT corner, called, before_s, after_s FROM trials JOIN sessions USING (driver, session)
      WHERE {_FILTER}"""  # noqa: S608
    units = [TrialUnit(**row) for row in ask(storage, sql, values, track=track)]
    return {"track": track, "car_class": car_class, "rows": rows, "effect": estimate_effect(units)}


def least_share(hits: int, of: int) -> float:
    """Return what a share is at least, by 95 % to this side (Wilson 1927); 0 without any."""
    if not of:
        return 0.0
    share, z2 = hits / of, WILSON_Z * WILSON_Z
    middle = share + z2 / (2 * of)
    away = WILSON_Z * math.sqrt(share * (1.0 - share) / of + z2 / (4 * of * of))
    return max((middle - away) / (1.0 + z2 / of), 0.0)


def best_laps(
    storage: Storage, track: str, most: int, car_class: str = "", conditions: str = ""
) -> list[Row]:
    """Return the best flying lap of each session, at most `most`, the fastest first. LakeError."""
    sql = f"""SELECT driver, session, any_value(sessions.object) AS object, arg_min(lap, time_s) AS lap,
      min(time_s) AS time_s FROM laps JOIN sessions USING (driver, session) WHERE {_FLYING} AND {_FILTER}
    GROUP BY driver, session ORDER BY min(time_s), session LIMIT {most}"""  # noqa: S608
    return ask(storage, sql, {"class": car_class, "conditions": conditions}, track=track)


def tracks_of(storage: Storage) -> list[str]:
    """List the ids of the driven tracks, by the folders of `derived/`. LakeError."""
    names = {path.split("/")[2].removeprefix("track=") for path in partitions(storage)}
    return sorted(unquote(name) for name in names - {"__HIVE_DEFAULT_PARTITION__"})
