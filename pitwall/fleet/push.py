"""Push sessions into a lake: each becomes one object, put whole under the name of its content.

A push that is broken off leaves whole objects or none; the next one puts what lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from pitwall.coach.trial import CONTROL
from pitwall.config import Home, shipped
from pitwall.contract.messages import Due
from pitwall.fleet.lake import (
    LakeError,
    SessionFacts,
    Storage,
    UnreachableError,
    all_objects,
    forgotten_path,
    make_object,
    newest,
)
from pitwall.fleet.material import ROWS_AT_ONCE, Material
from pitwall.store.errors import StoreError, first_line
from pitwall.store.files import replace_file
from pitwall.track.library import find_track
from pitwall.track.model import Track
from pitwall.track.near import NearTrack

# In the home: what each pushed session was made from, and its object's path.
PUSHED = "fleet/pushed"
# A session's tags that give the car's class, and the track's state.
_CLASS_TAG = re.compile(r"class[:=](.+)", re.IGNORECASE)
_CONDITION_TAGS: Mapping[str, str] = {
    "wet": "wet", "rain": "wet", "regen": "wet", "nass": "wet", "damp": "wet",
    "dry": "dry", "trocken": "dry",
}  # fmt: skip


class ForgottenError(LakeError):
    """The driver was forgotten in this lake."""


class TrackShelf:
    """Finds tracks by their ids, each once, in the first of `layers` that has it."""

    def __init__(self, layers: Sequence[Path]) -> None:
        own = shipped("track_data")
        self.layers = (*layers, *(() if own in layers else (own,)))
        self.get = cache(self._find)

    def _find(self, track_id: str) -> Track:
        """Find a track. LakeError: an analysis without it would be silently empty."""
        found = find_track(list(self.layers), track_id)
        if found is None:
            from pitwall.track.circuits import FILE, CircuitError, Circuits  # few tracks are of there

            with suppress(CircuitError):
                circuits = Circuits(shipped("track_data") / FILE)
                circuit = circuits.get(track_id)
                found = None if circuit is None else circuits.track(circuit)
        if found is None:
            raise LakeError(
                f"the track {track_id!r} is not known here: copy its file into track_data of the home"
            )
        return found


def _kept(reason: str) -> str:
    return CONTROL if CONTROL in reason else ""


def object_of(material: Material, driver: str, car_class: str, tracks: TrackShelf) -> tuple[str, bytes]:
    """Make (path, content) of a session's object, without a person's words. LakeError."""
    row, frames = material.row, Path(material.frames_file)
    tags = [tag.strip() for tag in row.tags]
    classes = (match[1].strip() for match in map(_CLASS_TAG.fullmatch, tags) if match)
    facts = SessionFacts(
        driver=driver,
        session=row.id,
        track=row.track,
        driven_utc_s=row.driven_utc_s,
        car_class=next(classes, car_class).casefold(),
        conditions=next(
            (_CONDITION_TAGS[tag.casefold()] for tag in tags if tag.casefold() in _CONDITION_TAGS), ""
        ),
        simulated=row.simulated,
        app_version=row.app_version,
        laps=material.laps,
        passes=material.passes,
        calls=tuple(
            msgspec.structs.replace(line, text="", reason=_kept(line.reason)) for line in material.cues
        ),
    )
    try:
        near = NearTrack(tracks.get(row.track)) if row.track else None
        with pq.ParquetFile(frames) as file:
            return make_object(facts, file.iter_batches(batch_size=ROWS_AT_ONCE), near)
    except (OSError, pa.ArrowException) as error:
        raise LakeError(f"session {row.id} can't be made an object: {first_line(error)}") from error
    finally:
        frames.unlink(missing_ok=True)


def not_there(storage: Storage, home: Home, wanted: Sequence[Due], *, again: bool = False) -> list[Due]:
    """Return those whose object the lake lacks; `again`: all, also forgotten drivers."""
    drivers = sorted({each.driver for each in wanted})
    if again:
        for driver in drivers:
            storage.delete(forgotten_path(driver))
        return list(wanted)
    there = {each.path for driver in drivers for each in newest(all_objects(storage, driver)).values()}

    def is_there(each: Due) -> bool:
        with suppress(OSError, ValueError):
            source, path = _pushed_file(home, each).read_text(encoding="utf-8").split()
            return source == each.source and path in there
        return False

    return [each for each in wanted if not is_there(each)]


def push(
    storage: Storage, home: Home, wanted: Due, material: Material, car_class: str, tracks: TrackShelf,
    *, again: bool = False,
) -> int:  # fmt: skip
    """Push one session; return the bytes sent. ForgottenError, UnreachableError, LakeError."""
    _refuse_forgotten(storage, wanted.driver)
    path, content = object_of(material, wanted.driver, car_class, tracks)
    own = [each for each in all_objects(storage, wanted.driver) if each.session == wanted.session]
    is_there = any(each.path == path and each.size == len(content) for each in own)
    # An older state that is there again, as after an undone change, must become the newest.
    if again or not is_there or newest(own)[wanted.driver, wanted.session].path != path:
        storage.put(path, content)
    try:
        _refuse_forgotten(storage, wanted.driver)
    except ForgottenError:
        storage.delete(path)
        raise
    # Of several states the newest stays, even if another process pushes one now.
    states = [each for each in all_objects(storage, wanted.driver) if each.session == wanted.session]
    for each in set(states) - set(newest(states).values()):
        storage.delete(each.path)
    # Without the note the next push makes the object again, and finds it there.
    with suppress(OSError):
        pushed = _pushed_file(home, wanted)
        pushed.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(pushed, f"{wanted.source} {path}".encode())
    return 0 if is_there and not again else len(content)


def push_each(
    storage: Storage,
    home: Home,
    wanted: Iterable[Due],
    gather: Callable[[str], Material],
    car_class: str,
    *,
    again: bool = False,
) -> Iterator[tuple[Due, int, str]]:
    """Push these; return each one's bytes, or why it is not there. UnreachableError ends it."""
    tracks = TrackShelf(home.layers("track_data"))
    for each in wanted:
        sent, why = 0, ""
        try:
            sent = push(storage, home, each, gather(each.session), car_class, tracks, again=again)
        except UnreachableError:
            raise
        except (LakeError, StoreError) as error:
            why = str(error)
        yield each, sent, why


def _pushed_file(home: Home, wanted: Due) -> Path:
    return home.root / PUSHED / f"{wanted.driver}.{wanted.session}"


def _refuse_forgotten(storage: Storage, driver: str) -> None:
    if forgotten_path(driver) in {each.path for each in storage.listed("forgotten")}:
        raise ForgottenError(
            f"driver {driver} was forgotten in {storage.url}: nothing is pushed; "
            "`pitwall fleet push --again` takes that back"
        )
