"""Clip files: WAV, PCM 16 bit, mono, 22050 Hz, with a chunk that proves that a file is ours and complete."""

from __future__ import annotations

import contextlib
import os
import struct
import tempfile
import zlib
from array import array
from pathlib import Path

RATE_HZ = 22050  # what espeak-ng gives; pyttsx3 writes no other
SAMPLE_BYTES = 2
BYTES_PER_S = RATE_HZ * SAMPLE_BYTES

QUIET = 64  # of 32768, -54 dB: espeak's silence is exactly zero, its softest release is louder than this
KEEP_SAMPLES = 110  # 5 ms left at both ends, so that a hard onset does not click

_FORMAT = struct.pack("<HHIIHH", 1, 1, RATE_HZ, BYTES_PER_S, SAMPLE_BYTES, 8 * SAMPLE_BYTES)
_SEAL = b"pitw"  # our chunk: CRC-32 of the samples, then the clip's key; other programs skip it


def samples(pcm: bytes) -> array[int]:
    """16 bit PCM as signed integers."""
    return array("h", pcm)


def trim(pcm: bytes) -> bytes:
    """The sound without the silence around it (5 ms of it stay); b"" where nothing sounds."""
    values = samples(pcm)
    first = next((i for i, value in enumerate(values) if abs(value) > QUIET), None)
    if first is None:
        return b""
    last = next(i for i in range(len(values) - 1, -1, -1) if abs(values[i]) > QUIET)
    return pcm[SAMPLE_BYTES * max(0, first - KEEP_SAMPLES) : SAMPLE_BYTES * (last + 1 + KEEP_SAMPLES)]


def write_sealed(path: Path, pcm: bytes, key: str) -> None:
    """Write the clip; `path` is always absent, the old file, or the whole new one. OSError as open()."""
    seal = struct.pack("<I", zlib.crc32(pcm)) + key.encode()
    body = b"WAVE" + _chunk(b"fmt ", _FORMAT) + _chunk(_SEAL, seal) + _chunk(b"data", pcm)
    write_whole(path, _chunk(b"RIFF", body), prefix=".clip-", suffix=".part")


def write_whole(path: Path, content: bytes, *, prefix: str, suffix: str = "", sync: bool = False) -> None:
    """Write a file by way of one with another name; with `sync` its bytes outlast a power cut. OSError."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=suffix)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def as_wav(pcm: bytes) -> bytes:
    """The samples as a WAV file for any player."""
    return _chunk(b"RIFF", b"WAVE" + _chunk(b"fmt ", _FORMAT) + _chunk(b"data", pcm))


def read_sealed(path: Path, key: str) -> bytes:
    """The samples of a file `write_sealed` made for `key`.

    ValueError where it is cut short, changed, or somebody else's; OSError where it can't be read.
    """
    chunks = _chunks(path.read_bytes())
    pcm, seal = chunks.get(b"data", b""), chunks.get(_SEAL, b"")
    if chunks.get(b"fmt ") != _FORMAT:
        raise ValueError(f"{path}: not PCM 16 bit mono at {RATE_HZ} Hz")
    if seal[4:] != key.encode():
        raise ValueError(f"{path}: not the clip its name says")
    if not pcm or len(pcm) % SAMPLE_BYTES or seal[:4] != struct.pack("<I", zlib.crc32(pcm)):
        raise ValueError(f"{path}: its samples are damaged")
    return pcm


def read_raw(path: Path) -> bytes:
    """The samples of any WAV in our format, sealed or not. ValueError for another format or a short file."""
    chunks = _chunks(path.read_bytes())
    if chunks.get(b"fmt ", b"")[:16] != _FORMAT:
        raise ValueError(f"{path}: not PCM 16 bit mono at {RATE_HZ} Hz")
    return chunks.get(b"data", b"")


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def _chunks(data: bytes) -> dict[bytes, bytes]:
    """RIFF chunks by name; ValueError where the file is no RIFF/WAVE or ends before it says."""
    if len(data) < 12 or data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError("not a WAV file")
    if len(data) < 8 + struct.unpack_from("<I", data, 4)[0]:
        raise ValueError("a WAV file that was cut short")
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(data):
        size = struct.unpack_from("<I", data, at + 4)[0]
        found.setdefault(data[at : at + 4], data[at + 8 : at + 8 + size])
        at += 8 + size + size % 2
    return found
