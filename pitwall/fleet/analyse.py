"""Analyse one session of a lake with the product's own functions: the only dear step of a build."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pitwall.analysis.compare import stints_of
from pitwall.analysis.corners import measure_passes
from pitwall.analysis.drive import Drive, load_drive
from pitwall.analysis.effect import trial_units
from pitwall.analysis.highlights import at_pace, explained
from pitwall.analysis.opportunities import find_opportunities
from pitwall.analysis.study import Moments
from pitwall.coach.cue import SPOKEN
from pitwall.fleet.lake import (
    LakeError,
    Outcome,
    SessionFacts,
    SessionObject,
    Storage,
    open_storage,
    outcome_of,
    read_object,
)
from pitwall.fleet.push import TrackShelf
from pitwall.store.errors import StoreError
from pitwall.store.queries import Columns, SessionRow
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.model import Track

_MEASURED = ("loss_s", "coast_s", "peak_brake_bar", "release_s", "throttle_m")


class ObjectFacts:
    """`pitwall.analysis.port.DriveFacts` of one object."""

    def __init__(self, facts: SessionFacts, frames: pa.Table, tracks: TrackShelf) -> None:
        self._facts, self._frames, self._tracks = facts, frames, tracks

    def laps(self, session: str) -> list[Lap]:
        return list(self._facts.laps)

    def corner_passes(self, session: str) -> list[CornerPass]:
        return list(self._facts.passes)

    def columns(self, session: str) -> Iterator[Columns]:
        yield {name: _column(self._frames[name]) for name in Moments.__struct_fields__}

    def track(self, track_id: str) -> Track | None:
        return self._tracks.get(track_id)


def drive_of(facts: SessionFacts, frames: pa.Table, tracks: TrackShelf) -> Drive:
    """Make a session what analysis expects. LakeError where its track is not known here."""
    utc_s = facts.driven_utc_s
    row = SessionRow(
        id=facts.session, kind="live", source_name="", source_digest="", track=facts.track, format="",
        start_utc_s=utc_s, created_utc_s=utc_s or 0.0, closed_utc_s=None, samples=len(frames), complete=True,
        laps=len(facts.laps), best_lap_s=None, driver=facts.driver, vehicle="", venue="",
        app_version=facts.app_version, notes="", driven_utc_s=utc_s,
    )  # fmt: skip
    return load_drive(ObjectFacts(facts, frames, tracks), row)


def _column(column: pa.ChunkedArray) -> Sequence[Any]:
    """Return a column's values, None without any; numbers of which none is missing as an array."""
    if not pa.types.is_floating(column.type):
        found: list[Any] = column.to_pylist()
        return found
    if column.null_count == len(column):
        return [None] * len(column)
    numbers = column.to_numpy().astype(np.float64, copy=False)
    if not column.null_count:
        return array("d", numbers.tobytes())
    plain = numbers.astype(object)
    plain[pc.is_null(column).to_numpy()] = None
    known: list[Any] = plain.tolist()
    return known


def analyse(storage: Storage, item: SessionObject, tracks: TrackShelf) -> Outcome:
    """Make the rows of one session; one that fails says why in its row."""
    facts: SessionFacts | None = None
    failed, found, frames = "", {}, 0
    try:
        facts, table = read_object(storage, item)
        frames = table.num_rows
        found = _rows_of(facts, drive_of(facts, table, tracks) if facts.track else None)
    except (LakeError, StoreError, MemoryError) as error:
        failed = str(error) or type(error).__name__
    except Exception as error:  # a recording that nobody foresaw: it is named, the others go on
        failed = f"its analysis failed: {error!r}"
    return outcome_of(item, facts, frames, found, failed)


def _rows_of(facts: SessionFacts, drive: Drive | None) -> dict[str, list[Any]]:
    quick = at_pace((lap.number, lap.kind, lap.time_s) for lap in facts.laps)
    laps = [
        {
            **msgspec.structs.asdict(lap),
            "lap": lap.number,
            "lap_kind": lap.kind,
            "at_pace": lap.number in quick,
        }
        for lap in facts.laps
    ]
    measured = [] if drive is None else measure_passes(drive)
    figures = {
        (each.lap, each.corner): {name: getattr(each, name) for name in _MEASURED} for each in measured
    }
    lost_s = {(each.lap, each.corner): each.loss_s for each in measured}
    passes = [
        {
            **msgspec.structs.asdict(each),
            "at_pace": each.lap in quick,
            **figures.get((each.lap, each.corner), {}),
        }
        for each in facts.passes
    ]
    advice = explained([line for line in facts.calls if line.concept], facts.passes, lost_s, quick)
    followed = dict(zip((line.cue for line in facts.calls if line.concept), advice, strict=True))
    calls = []
    for line in facts.calls:
        call = {**msgspec.structs.asdict(line), "spoken": line.outcome in SPOKEN, "loss_s": None}
        if (after := followed.get(line.cue)) is not None:
            call |= {"loss_s": after.loss_s, "next_loss_s": after.next_loss_s}
            call["heeded"] = after.heeded if after.judged else None
        calls.append(call)
    causes = [
        {
            **msgspec.structs.asdict(each),
            "laps": len(each.laps),
            "judged_laps": len(each.judged_laps),
        }
        for each in find_opportunities(None if drive is None else drive.study)
    ]
    study = None if drive is None else drive.study
    trials = [] if study is None else trial_units(study, facts.calls, stints_of(facts.laps))
    return {
        "laps": laps,
        "passes": passes,
        "calls": calls,
        "facts": causes,
        "trials": [msgspec.structs.asdict(each) for each in trials],
    }


def analyse_each(url: str, layers: Sequence[str], items: Iterable[SessionObject]) -> Iterator[Outcome]:
    """Analyse sessions one after the other, in a process of a pool or of a cluster."""
    storage, tracks = open_storage(url), _shelf(tuple(layers))
    collects = gc.isenabled()
    # A session's columns are a million numbers without a cycle among them.
    gc.disable()
    try:
        for item in items:
            yield analyse(storage, item, tracks)
    finally:
        if collects:
            gc.enable()


@cache
def _shelf(layers: tuple[str, ...]) -> TrackShelf:
    return TrackShelf([Path(layer) for layer in layers])
