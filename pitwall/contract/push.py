"""Pushed data: a batch of readings, acknowledged once it is on the disk, or a recording."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import msgspec

# Two seconds of a full CAN bus; who sends more at once should send more often.
MOST_SAMPLES = 5_000
MOST_STREAMS = 32
MOST_CHANNELS = 256

# `$` alone also holds before a line break at the end.
Word = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$(?!\n)", max_length=64)]
BatchId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$(?!\n)", max_length=128)]


# Written out for the document: to JSON Schema 3.0 is an integer too, to the decoder it is not.
StreamIndex = Annotated[
    int, msgspec.Meta(ge=0, lt=MOST_STREAMS, extra_json_schema={"enum": list(range(MOST_STREAMS))})
]


class PushChannel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column of a stream: a canonical name with its unit (telemetry/signals.py), or another
    slug."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,63}$(?!\n)", max_length=64)]
    unit: Annotated[str, msgspec.Meta(max_length=16)] = ""
    label: Annotated[str, msgspec.Meta(max_length=120)] = ""


class PushStream(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Channels that arrive together, always the same in a `group`. `latency_s`: a reading's age
    at its stamp by nature of the sensor."""

    group: Word
    channels: Annotated[tuple[PushChannel, ...], msgspec.Meta(min_length=1, max_length=MOST_CHANNELS)]
    latency_s: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.0


class PushSample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A reading. `stream`: the place in `streams`; `source_s`: the sender's own stamp (any
    epoch; null: no clock); `values`: in the order of the channels."""

    stream: StreamIndex
    source_s: float | None
    values: Annotated[tuple[float | None, ...], msgspec.Meta(max_length=MOST_CHANNELS)]


class PushBatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Readings of one source in the order of its clock. `batch_id` is unique for ever: a batch
    sent again is stored once."""

    batch_id: BatchId
    source: Word
    streams: Annotated[tuple[PushStream, ...], msgspec.Meta(min_length=1, max_length=MOST_STREAMS)]
    samples: Annotated[tuple[PushSample, ...], msgspec.Meta(min_length=1, max_length=MOST_SAMPLES)]


class PageFix(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the page's browser is, about once a second. `page`, `number`: of the page and its
    fix; `at_s`: by the browser's clock."""

    page: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}$(?!\n)")]
    number: Annotated[int, msgspec.Meta(ge=0)]
    at_s: float
    lat_deg: Annotated[float, msgspec.Meta(ge=-90.0, le=90.0)]
    lon_deg: Annotated[float, msgspec.Meta(ge=-180.0, le=180.0)]
    speed_mps: float | None = None
    heading_deg: float | None = None

    def as_batch(self) -> PushBatch:
        """Return it as a batch of the source `browser`."""
        channels = {"lat_deg": "deg", "lon_deg": "deg", "speed_mps": "m/s", "heading_deg": "deg"}
        stream = PushStream("fix", tuple(PushChannel(name, unit) for name, unit in channels.items()))
        values = (self.lat_deg, self.lon_deg, self.speed_mps, self.heading_deg)
        return PushBatch(
            batch_id=f"page-{self.page}-{self.number}",
            source="browser",
            streams=(stream,),
            samples=(PushSample(0, self.at_s, values),),
        )


class PushResult(msgspec.Struct, frozen=True, tag="taken"):
    """The batch is on the disk. `known`: it was already, and nothing was done again."""

    batch_id: str
    samples: int
    known: bool


class PushRefusal(msgspec.Struct, frozen=True):
    """Nothing of the batch was stored. `busy`: send it again after `retry_after_s`. `mistake`:
    never accepted as it is."""

    kind: Literal["busy", "mistake"]
    reason: str
    what_to_do: str = ""
    retry_after_s: float = 1.0


def find_mistake(batch: PushBatch) -> str | None:
    """Return the first place where the batch contradicts itself, beyond the types."""
    groups: set[str] = set()
    for i, stream in enumerate(batch.streams):
        if stream.group in groups:
            return f"$.streams[{i}].group: {stream.group!r} is there twice"
        groups.add(stream.group)
        if len({channel.name for channel in stream.channels}) < len(stream.channels):
            return f"$.streams[{i}].channels: two of them have the same name"
    widths = [len(stream.channels) for stream in batch.streams]
    for i, sample in enumerate(batch.samples):
        if sample.stream >= len(widths):
            return f"$.samples[{i}].stream: {sample.stream}, but there are {len(widths)} streams, from 0"
        if len(sample.values) != widths[sample.stream]:
            wanted = widths[sample.stream]
            return f"$.samples[{i}].values: {len(sample.values)} values for {wanted} channels"
        # Only msgpack can carry these; JSON has no way to write them.
        if any(v is not None and not math.isfinite(v) for v in (sample.source_s, *sample.values)):
            return f"$.samples[{i}]: not a number, or without end; send null where there is no value"
    return None


class ImportProgress(msgspec.Struct, frozen=True, tag_field="type", tag="progress"):
    """How many samples are stored. `waiting`: the car is driven."""

    samples: int
    waiting: bool


class ImportDone(msgspec.Struct, frozen=True, tag_field="type", tag="done"):
    """The last line of a good import. `known`: the same content was stored before. `session`: "" of
    a friend's lap, which `notes` tell of."""

    session: str
    known: bool
    samples: int
    notes: tuple[str, ...] = ()
    flying: int = 0
    best_s: float | None = None


class ImportFailed(msgspec.Struct, frozen=True, tag_field="type", tag="failed"):
    """The last line of an import that failed; nothing of the file was kept."""

    error: str


ImportLine = ImportProgress | ImportDone | ImportFailed
