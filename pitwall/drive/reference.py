"""Load a stored lap to drive against, and what is known from earlier days on a track."""

from __future__ import annotations

import math
import re
import time
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import msgspec

from pitwall.diagnosis.advice import PHASE_OF
from pitwall.drive.prepare import Memory
from pitwall.store import queries
from pitwall.store.errors import StoreError
from pitwall.store.export import BUNDLE_SUFFIX
from pitwall.store.files import replace_file
from pitwall.store.queries import Readable, lap_trace, laps, rows
from pitwall.store.store import Store
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Lap, Position
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceBuilder, ReferenceLap
from pitwall.words.language import ENGLISH

# This many faults of the last day are spoken of: those called in its last laps.
LESSONS, LAST_LAPS = 3, 4
# At most this many points keep an earlier day's lap in a journal: every 2 m of a short track.
MOST_POINTS = 2_000
# A shared lap is compared with where it beats the driver's own best by the first share; beyond the
# second it is of another kind of car.
FASTER, OTHER_KIND = 0.995, 0.9
# What a drive is like that is compared with none.
WITHOUT_A_LAP = (
    "corners are called by name until the third flying lap, then you hear what your own best of the day did"
)
# A composed lap's file: its suffix and largest size.
COMPOSED_SUFFIX, MOST_LAP_BYTES = ".pitlap", 4 << 20
# How far a composed lap's track may have been redrawn.
LENGTH_DIFFERS_M = 1.0
# A day at a track, from the first session's start.
DAY_S = 14 * 3600.0
# A lap is placed from a little before it begins to a little after it ends.
AROUND_S = 20.0


def stored_reference(
    store: Readable, wanted: str, track: Track | None, *, given: str | None = None
) -> ReferenceLap:
    """Load SESSION:LAP, the fastest flying lap of SESSION, or a .pitlap. `given`: what a person
    named; a recording's `wanted` opens no file. StoreError."""
    name, _, number = wanted.partition(":")
    if name.endswith(BUNDLE_SUFFIX):
        raise StoreError(f"{name[:200]!r} is a whole session: pitwall import it, then name its session")
    if name.endswith(COMPOSED_SUFFIX):
        if given not in (None, wanted):
            raise StoreError(f"{wanted[:200]!r} stands in a recording, and is no lap here: it is not opened")
        return composed_lap(Path(name), track)
    row = queries.session(store, name)
    session = row.id
    if track is None:
        raise StoreError(f"this recording is of no known track: no lap of session {session} fits it")
    if row.track != track.id:
        place = row.track or "no known track"
        raise StoreError(f"session {session} was driven on {place}, this recording on {track.id}")
    lap = _lap_named(laps(store, session), number, session)
    reference = reference_of(track, lap, list(lap_trace(store, session, lap, around_s=AROUND_S)), session)
    if reference is None:
        raise StoreError(f"lap {lap.number} of session {session} has holes: choose another one as reference")
    return reference


class ComposedLapFile(msgspec.Struct, frozen=True, kw_only=True):
    """A lap that `pitwall fleet reference` composed, as its file holds it."""

    pitwall_lap: int = 1
    track: str
    lap: ReferenceLap


def read_composed_lap(path: Path) -> ComposedLapFile:
    """Read a composed lap's file. StoreError that says what is wrong with it."""
    try:
        with path.open("rb") as file:
            encoded = file.read(MOST_LAP_BYTES + 1)
        if len(encoded) > MOST_LAP_BYTES:
            raise StoreError(f"{path} is over {MOST_LAP_BYTES >> 20} MiB: no lap of ours")
        found = msgspec.json.decode(encoded, type=ComposedLapFile)
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} is no composed lap ({error}): pitwall fleet reference makes one") from error
    lap = found.lap
    columns = (lap.t_s, lap.speed_mps, *((lap.offset_m,) if lap.offset_m else ()))
    rising = all(
        all(a < b for a, b in pairwise(column)) and math.isfinite(column[-1]) and column[0] == 0.0
        for column in (lap.distance_m, lap.t_s)
        if len(column) > 2
    )
    whole = len(lap.distance_m) > 2 and all(len(column) == len(lap.distance_m) for column in columns)
    speeds = all(math.isfinite(mps) and mps >= 0.0 for mps in lap.speed_mps)
    if found.pitwall_lap != 1 or not whole or not rising or not speeds or lap.lap_time_s != lap.t_s[-1]:
        raise StoreError(f"{path} is damaged or of a newer Pitwall: compose it again")
    return found


def lap_to_share(store: Readable, wanted: str, number: int, track: Track) -> bytes:
    """Encode a lap of a session for a friend: by place, and without a name. StoreError."""
    lap = stored_reference(store, f"{queries.session(store, wanted).id}:{number}", track)
    return msgspec.json.encode(
        ComposedLapFile(track=track.id, lap=msgspec.structs.replace(lap, label=f"shared:{number}"))
    )


def keep_shared_lap(path: Path, folder: Path, *, own_name: bool = True) -> ComposedLapFile:
    """Check a friend's lap and copy it to where drives look for laps. StoreError."""
    found = read_composed_lap(path)
    encoded = msgspec.json.encode(found)
    name = re.sub(r"[^\w. -]", "_", path.name)
    if not own_name:
        name = f"{zlib.crc32(encoded):08x}{COMPOSED_SUFFIX}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, encoded)
    except OSError as error:
        raise StoreError(f"{folder / name} can't be written: {error.strerror or error}") from error
    return found


def composed_lap(path: Path, track: Track | None) -> ReferenceLap:
    """Load a composed lap to drive against on this track. StoreError."""
    found = read_composed_lap(path)
    if track is None:
        raise StoreError(f"this recording is of no known track: the lap of {path.name} does not fit it")
    if found.track != track.id or abs(found.lap.length_m - track.length_m) > LENGTH_DIFFERS_M:
        raise StoreError(f"{path.name} is a lap of {found.track}, this recording is on {track.id}")
    return found.lap


def reference_of(
    track: Track, lap: Lap, trace: Sequence[tuple[Frame, Position | None]], session: str
) -> ReferenceLap | None:
    """Make a reference of a driven lap; None where it has holes."""
    builder = ReferenceBuilder(track)
    for frame, position in trace:
        if position is not None:
            builder.feed(frame, position)
    return builder.finish(lap, f"{session}:{lap.number}")


def _lap_named(found: list[Lap], number: str, session: str) -> Lap:
    timed = [lap for lap in found if lap.time_s is not None]
    if number:
        fitting = [lap for lap in timed if str(lap.number) == number]
    else:
        fitting = sorted((lap for lap in timed if lap.kind == "flying"), key=lambda lap: lap.time_s or 0.0)
    if not fitting:
        have = ", ".join(str(lap.number) for lap in timed) or "none"
        raise StoreError(
            f"session {session} has no {'lap ' + number if number else 'flying lap'}; timed laps: {have}"
        )
    return fitting[0]


def memory_of_lap(store: Store, wanted: str, track: Track) -> Memory:
    """Load the stored lap that somebody named. StoreError. Blocks."""
    return Memory(track.id, thinned(stored_reference(store, wanted, track)), given=True)


def refuse_unknown_lap(store: Store, wanted: str, tracks: Mapping[str, Track]) -> None:
    """Refuse, before a start, a lap that can't be driven against. StoreError."""
    name = wanted.partition(":")[0]
    if name.endswith(COMPOSED_SUFFIX):
        known = tracks.get(read_composed_lap(Path(name)).track)
        if known is not None:
            composed_lap(Path(name), known)
        return  # a circuit of the world is known once one drives there
    track = None if name.endswith(BUNDLE_SUFFIX) else tracks.get(queries.session(store, name).track)
    stored_reference(store, wanted, track)


def _of_driver(track: Track, driver: str, vehicle: str) -> tuple[str, list[object]]:
    """Return the SQL condition and values for this driver's sessions in this car on this track: ""
    is any; simulated ones count only without real ones."""
    like = (
        "s.track = ? AND s.kind <> 'replay' AND s.same_as = '' AND (NOT contains(s.venue, ?) OR NOT EXISTS "
        "(FROM sessions r WHERE r.track = ? AND r.kind <> 'replay' AND NOT contains(r.venue, ?) "
        "AND r.id IN (SELECT session FROM laps WHERE kind = 'flying' AND time_s IS NOT NULL)))"
    )
    values: list[object] = [track.id, queries.SIMULATED, track.id, queries.SIMULATED]
    for column, name in (("driver", driver), ("vehicle", vehicle)):
        if name:
            like += f" AND s.{column} IN (?, '')"
            values.append(name)
    return like, values


def _best_stored(
    store: Store, track: Track, driver: str, vehicle: str, since_utc_s: float | None = None
) -> tuple[str, int, float] | None:
    like, values = _of_driver(track, driver, vehicle)
    best = rows(
        store,
        "SELECT l.session, l.lap, l.time_s FROM laps l JOIN sessions s ON s.id = l.session "  # noqa: S608
        f"WHERE {like} AND l.kind = 'flying' AND l.time_s IS NOT NULL AND (? IS NULL OR s.start_utc_s >= ?) "
        "ORDER BY l.time_s, l.session LIMIT 1",
        [*values, since_utc_s, since_utc_s],
    )
    return best[0] if best else None


def remembered(store: Store, track: Track, driver: str, vehicle: str) -> Memory:
    """Return what the store knows of this driver and car on this track. Blocks."""
    like, values = _of_driver(track, driver, vehicle)
    found: list[ReferenceLap | None] = []
    for since_utc_s in (None, time.time() - DAY_S):
        lap = None
        if best := _best_stored(store, track, driver, vehicle, since_utc_s):
            with suppress(StoreError):  # a lap with holes is none to drive against
                lap = thinned(stored_reference(store, f"{best[0]}:{best[1]}", track))
        found.append(lap)
    reference, today = found
    faults = rows(
        store,
        "WITH last AS (SELECT s.id FROM sessions s JOIN laps l ON l.session = s.id "  # noqa: S608
        f"WHERE {like} AND l.kind = 'flying' ORDER BY s.start_utc_s DESC NULLS LAST LIMIT 1) "
        "SELECT corner, concept FROM cues WHERE session IN (SELECT id FROM last) "
        "AND concept <> '' "
        "AND lap > (SELECT max(lap) FROM cues WHERE session IN (SELECT id FROM last)) - ? "
        "GROUP BY corner, concept ORDER BY count(*) DESC, corner, concept",
        [*values, LAST_LAPS],
    )
    lessons: dict[str, str] = {}
    for corner, concept in faults:
        if concept in PHASE_OF:
            lessons.setdefault(corner, concept)
    return Memory(track.id, reference, tuple(lessons.items())[:LESSONS], today=today)


def load_shared_lap(folder: Path, track: Track, own: ReferenceLap | None) -> ReferenceLap | None:
    """Load the shared lap that the driver learns most from; None where his own is as fast."""
    like = _to_learn_from(folder, track, None if own is None else own.lap_time_s)
    return thinned(min(like, key=lambda each: each[1].lap_time_s)[1]) if like else None


def _to_learn_from(folder: Path, track: Track, own_s: float | None) -> list[tuple[str, ReferenceLap]]:
    found = []
    for path in sorted(folder.glob(f"*{COMPOSED_SUFFIX}")):
        with suppress(StoreError):
            lap = composed_lap(path, track)
            if own_s is None or OTHER_KIND * own_s <= lap.lap_time_s <= FASTER * own_s:
                found.append((path.name, lap))
    return found


def rides_along(store: Store, folder: Path, tracks: Mapping[str, Track], driver: str, vehicle: str) -> str:
    """Name the lap that the next drive is compared with, or say what its absence means."""
    found = rows(
        store,
        "SELECT track FROM sessions WHERE track <> '' AND kind <> 'replay' "
        "ORDER BY start_utc_s DESC NULLS LAST LIMIT 1",
        (),
    )
    track = tracks.get(str(found[0][0])) if found else None
    if track is None:
        return f"no lap rides along: {WITHOUT_A_LAP}"
    own = _best_stored(store, track, driver, vehicle)
    laps = [(f"{own[0]}:{own[1]}", own[2], "yours")] if own is not None else []
    others = _to_learn_from(folder, track, own[2] if own is not None else None)
    laps += [(name, lap.lap_time_s, "of others") for name, lap in others]
    if not laps:
        return f"no lap rides along at {track.name}: {WITHOUT_A_LAP}"
    label, time_s, whose = min(laps, key=lambda lap: lap[1])
    return f"at {track.name} a lap of {ENGLISH.figures.clock(time_s)} rides along, {whose}: {label}"


def thinned(reference: ReferenceLap) -> ReferenceLap:
    """Thin a lap's points and digits: to the decimetre, the millisecond, 0.01 m/s."""
    step = max(1, -(-len(reference.distance_m) // MOST_POINTS))
    last = len(reference.distance_m) - 1
    kept = sorted({*range(0, last, step), last})
    return msgspec.structs.replace(
        reference,
        distance_m=(*(round(reference.distance_m[i], 1) for i in kept[:-1]), reference.length_m),
        t_s=(*(round(reference.t_s[i], 3) for i in kept[:-1]), reference.lap_time_s),
        speed_mps=tuple(round(reference.speed_mps[i], 2) for i in kept),
        offset_m=tuple(round(reference.offset_m[i], 1) for i in kept) if reference.offset_m else (),
    )
