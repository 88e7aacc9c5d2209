"""Recordings as CAN frames: a candump as it is, our recordings encoded through a DBC and its mapping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import cantools.database
from cantools.database.can import Signal

from pitwall.telemetry.recordings.detect import open_recording
from pitwall.telemetry.sources.can import SHIPPED
from pitwall.telemetry.sources.can_dbc import SignalTarget, key_of, load_dbc, load_mapping

_CANDUMP = re.compile(r"\(([\d.]+)\)\s+\S+\s+([0-9A-Fa-f]+)#([0-9A-Fa-f]*)")

FrameTriple = tuple[float, int, bytes]

GENESIS_MAPPING = Path(__file__).with_name("can_genesis.toml")


def read_candump(path: Path) -> Iterator[FrameTriple]:
    """The frames of a `candump -l` log: (unix time, key, data); 11-bit ids only."""
    for line in path.read_text().splitlines():
        match = _CANDUMP.match(line)
        if match is not None:
            yield float(match[1]), int(match[2], 16), bytes.fromhex(match[3])


def encode_recording_to_frames(
    path: Path, dbc: str | Path = "aim-mxp", mapping: str | Path | None = None
) -> Iterator[FrameTriple]:
    """Every sample of a recording as (t, id, data), a frame for each message that has something to say.

    A shipped DBC is named and brings its mapping. cantools encodes. Values are clamped to what their signal
    can hold; what the recording does not know is sent as raw 0, or as it was last known.
    """
    dbc_path = SHIPPED / f"{dbc}.dbc" if isinstance(dbc, str) else dbc
    mapping_path = mapping if isinstance(mapping, Path) else SHIPPED / f"{mapping or dbc}.toml"
    parsed = load_dbc(dbc_path)
    targets = load_mapping(mapping_path, parsed)
    encoders = {m.name: m for m in cantools.database.load_file(dbc_path).messages}
    plans = []
    for message in sorted(parsed.messages, key=key_of):
        mapped = {s.name: (s, targets[message.name, s.name]) for s in message.signals
                  if (message.name, s.name) in targets}  # fmt: skip
        if mapped:
            plans.append(
                (key_of(message), encoders[message.name], mapped, {s.name: 0 for s in message.signals})
            )
    recording = open_recording(path)
    columns = {stream.id: [channel.name for channel in stream.channels] for stream in recording.info.streams}
    for sample in recording.samples():
        known = dict(zip(columns[sample.stream], sample.values, strict=True))
        for key, encoder, mapped, raws in plans:
            fresh = {name: raw_of(known[target.canonical], signal, target)
                     for name, (signal, target) in mapped.items()
                     if known.get(target.canonical) is not None}  # fmt: skip
            if fresh:
                raws.update(fresh)
                yield sample.t, key, encoder.encode(raws, scaling=False, strict=False)


def raw_of(canonical: float | None, signal: Signal, target: SignalTarget) -> int:
    """The bits that come nearest to a canonical value."""
    value = (canonical - target.offset) / target.scale
    low = -(1 << (signal.length - 1)) if signal.is_signed else 0
    return min(max(round((value - signal.offset) / signal.scale), low), low + (1 << signal.length) - 1)
