"""A session's material as tables of the lake, in the newest schema; and the digest of what they hold."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pitwall.analysis.highlights import at_pace, explained
from pitwall.coach.cue import SPOKEN
from pitwall.fleet.material import Material
from pitwall.fleet.schema import ROWS_A_GROUP, TABLES, FilePlace, Table, schema_of

Rows = list[dict[str, Any]]
# A tag of a session that says what class the car is of; and those that say what the track was like.
CLASS_TAG = re.compile(r"class[:=](.+)", re.IGNORECASE)
CONDITION_TAGS: Mapping[str, str] = {
    "wet": "wet", "rain": "wet", "regen": "wet", "nass": "wet", "damp": "wet",
    "dry": "dry", "trocken": "dry",
}  # fmt: skip
_Clean = Callable[[str], str]


class Pusher(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what goes with a session into the lake beside its rows. `names` are taken out of every text."""

    driver: str
    car_class: str = ""
    names: tuple[str, ...] = ()


def place_of(material: Material, driver: str) -> FilePlace:
    """Return what the paths of a session's files are made of."""
    row = material.row
    day = None
    if row.driven_utc_s is not None:
        day = datetime.datetime.fromtimestamp(row.driven_utc_s, datetime.UTC).date()
    return FilePlace(driver, row.id, row.track, day)


def car_class(material: Material, told: Pusher) -> str:
    """The class of the car: as a tag of the session says (class:gt4), else as the settings do."""
    found = (CLASS_TAG.fullmatch(tag.strip()) for tag in material.row.tags)
    return next((match[1].strip().casefold() for match in found if match), told.car_class.casefold())


def conditions(material: Material) -> str:
    """dry or wet, as a tag of the session says."""
    found = (CONDITION_TAGS.get(tag.strip().casefold()) for tag in material.row.tags)
    return next((each for each in found if each), "")


def tables_of(material: Material, told: Pusher) -> Iterator[tuple[Table, Iterable[pa.RecordBatch]]]:
    """Each table's rows in order, in batches of at most ROWS_A_GROUP; a table may have none. OSError and
    pa.ArrowException where the material's files can't be read."""
    small = _small(material, told)
    for table in TABLES:
        if table == "frames":
            yield table, _of_file(Path(material.frames_file), "frames", material, told)
        elif table == "signals":
            yield table, _of_file(Path(material.signals_file), "signals", material, told)
        else:
            yield table, pa.Table.from_pylist(small[table], schema=schema_of(table)).to_batches()


def _of_file(path: Path, table: Table, material: Material, told: Pusher) -> Iterator[pa.RecordBatch]:
    """A file's rows with the keys of their session, cast to the schema."""
    schema, keys = schema_of(table), _whose(material, told)
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS_A_GROUP):
            given = dict(zip(batch.schema.names, batch.columns, strict=True))
            columns = [
                given[field.name].cast(field.type, safe=False)
                if field.name in given
                else pa.repeat(pa.scalar(keys[field.name], field.type), batch.num_rows)
                for field in schema
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _whose(material: Material, told: Pusher) -> dict[str, Any]:
    place = place_of(material, told.driver)
    return {
        "driver": place.driver, "session": place.session, "track": place.track, "date": place.date,
    }  # fmt: skip


def _small(material: Material, told: Pusher) -> dict[Table, Rows]:
    whose, row, clean = _whose(material, told), material.row, _without(told.names)
    sorted_by = whose | {"car_class": car_class(material, told), "conditions": conditions(material)}
    kinds = {lap.number: lap.kind for lap in material.laps}
    quick = at_pace((lap.number, lap.kind, lap.time_s) for lap in material.laps)
    flying = [lap for lap in material.laps if lap.kind == "flying"]
    with pq.ParquetFile(material.frames_file) as file:
        frames = file.metadata.num_rows
        times = file.read(columns=["t"]).column("t") if frames else None
    session = sorted_by | {
        "kind": row.kind,
        "format": row.format,
        "vehicle": clean(row.vehicle),
        "driven_utc_s": row.driven_utc_s,
        "duration_s": None if times is None else times[-1].as_py() - times[0].as_py(),
        "frames": frames,
        "laps": len(material.laps),
        "flying_laps": len(flying),
        "best_lap_s": row.best_lap_s,
        "complete": row.complete,
        "app_version": row.app_version,
        "place_stamp": material.place_stamp,
        "simulated": row.simulated,
    }
    laps = [
        {
            **sorted_by,
            **msgspec.structs.asdict(lap),
            "lap": lap.number,
            "lap_kind": lap.kind,
            "at_pace": lap.number in quick,
        }
        for lap in material.laps
    ]
    passes = [
        {
            **sorted_by,
            **msgspec.structs.asdict(each),
            "lap_kind": kinds.get(each.lap),
            "at_pace": each.lap in quick,
        }
        for each in material.passes
    ]
    events = [
        whose | {"t": each.t, "kind": each.kind, "detail": clean(each.detail)} for each in material.events
    ]
    return {
        "sessions": [session],
        "laps": laps,
        "corner_passes": passes,
        "cues": _cues(material, quick, sorted_by, clean),
        "events": events,
        "lessons": _lessons(material, whose, clean),
    }


def _cues(material: Material, quick: frozenset[int], keys: dict[str, Any], clean: _Clean) -> Rows:
    """The ledger, each piece of advice with what followed on it."""
    advice = [line for line in material.cues if line.concept]
    followed = dict(
        zip((line.cue for line in advice), explained(advice, material.passes, quick), strict=True)
    )
    found: Rows = []
    for line in material.cues:
        told = followed.get(line.cue)
        found.append(
            {
                **keys,
                **msgspec.structs.asdict(line),
                "text": clean(line.text),
                "reason": clean(line.reason),
                "spoken": line.outcome in SPOKEN,
                "loss_s": told.loss_s if told is not None else None,
                "next_loss_s": told.next_loss_s if told is not None else None,
                "heeded": told.heeded if told is not None and told.judged else None,
            }
        )
    return found


def _lessons(material: Material, keys: dict[str, Any], clean: _Clean) -> Rows:
    """Return what this session says for or against each lesson."""
    found: Rows = []
    for lesson in material.lessons:
        # Its id is made of the driver's name.
        own = hashlib.sha256(f"{keys['driver']}|{lesson.id}".encode()).hexdigest()[:16]
        for evidence in lesson.evidence:
            if evidence.session == material.row.id:
                row = msgspec.structs.asdict(evidence) | msgspec.structs.asdict(lesson) | keys
                words = {"text": clean(lesson.text), "retired_why": clean(lesson.retired_why)}
                found.append(row | words | {"lesson": own})
    return found


def _without(names: Sequence[str]) -> _Clean:
    """A function that takes these names out of a text."""
    words = [re.escape(name) for name in sorted(set(names), key=len, reverse=True) if len(name.strip()) > 1]
    if not words:
        return lambda text: text
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)
    return lambda text: pattern.sub("[driver]", text)


class Digest:
    """The digest of a session's values, column by column, whatever batches they came in."""

    def __init__(self) -> None:
        self._streams: dict[str, Any] = {}

    def add(self, table: Table, batch: pa.RecordBatch) -> None:
        """Take some more rows of a table, in order."""
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            for what, piece in _plain(column):
                self._streams.setdefault(f"{table}.{name}.{what}", hashlib.sha256()).update(piece)

    def hexdigest(self) -> str:
        """Of all that was added."""
        lines = [f"{name}:{stream.hexdigest()}\n" for name, stream in sorted(self._streams.items())]
        return hashlib.sha256("".join(lines).encode()).hexdigest()[:32]


def _plain(column: pa.Array) -> Iterator[tuple[str, memoryview]]:
    """The values of a column as streams of bytes, whatever lay around them in memory."""
    yield "valid", _bytes(pc.is_valid(column).cast(pa.int8()))
    if pa.types.is_list(column.type):
        yield "length", _bytes(pc.fill_null(pc.list_value_length(column), -1))
        yield from ((f"item.{what}", piece) for what, piece in _plain(column.flatten()))
    elif pa.types.is_string(column.type):
        whole = pc.fill_null(column, "")
        yield "length", _bytes(pc.binary_length(whole))
        _, ends, text = whole.buffers()
        if text is not None and len(whole):
            at = memoryview(ends).cast("i")
            yield "text", memoryview(text)[at[whole.offset] : at[whole.offset + len(whole)]]
    elif pa.types.is_boolean(column.type):
        yield "value", _bytes(pc.fill_null(column.cast(pa.int8()), 0))
    elif pa.types.is_date(column.type):
        yield "value", _bytes(pc.fill_null(column.cast(pa.int32()), 0))
    else:
        yield "value", _bytes(pc.fill_null(column, 0))


def _bytes(values: pa.Array) -> memoryview:
    """The values of a column of numbers without nulls."""
    if not len(values):
        return memoryview(b"")
    width = values.type.bit_width // 8
    return memoryview(values.buffers()[1])[values.offset * width : (values.offset + len(values)) * width]
