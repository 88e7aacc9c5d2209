"""Clips as samples, trimmed and equally loud, and as WAV files that prove themselves whole."""

from __future__ import annotations

import contextlib
import math
import os
import struct
import sys
import tempfile
import wave
import zlib
from array import array
from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from pathlib import Path

RATE_HZ = 22050  # what espeak-ng gives; pyttsx3 writes no other
SAMPLE_BYTES = 2
BYTES_PER_S = RATE_HZ * SAMPLE_BYTES

QUIET = 64  # of 32768, -54 dB: espeak's silence is exactly zero, its softest release is louder than this
KEEP_SAMPLES = 110  # 5 ms left at both ends, so that a hard onset does not click

FULL_SCALE = 32768.0
# espeak's phrases are from -22.3 to -16.5 LUFS, half of them over -19.9. Louder, more than the tips
# of a few would be bent.
LOUDNESS_LUFS = -20.0
# Above the knee (-4 dBFS) peaks are bent, to stay under the ceiling (-1 dBFS): a phone's resampler
# and a headset's codec overshoot.
KNEE, CEILING = 0.63, 0.89
# ITU-R BS.1770-4: blocks of 0.4 s, each a quarter further; those 10 LU under the mean are pauses.
BLOCK_S, BLOCK_STEPS, GATE = 0.4, 4, 0.1
# espeak's voices speak at 80 to 200 Hz; wind and tyres are low, too. None reaches E6.
CHIME_HZ, CHIME_S, CHIME_PAUSE_S, CHIME_DECAY_S, CHIME_RISE_S = 1318.5, 0.16, 0.06, 0.06, 0.004

_FORMAT = struct.pack("<HHIIHH", 1, 1, RATE_HZ, BYTES_PER_S, SAMPLE_BYTES, 8 * SAMPLE_BYTES)
_SEAL = b"pitw"  # our chunk: CRC-32 of the samples, then the clip's key; other programs skip it


def samples(pcm: bytes) -> array[int]:
    """16 bit PCM as signed integers."""
    return array("h", pcm)


def trim(pcm: bytes) -> bytes:
    """Return the sound without the silence around it (5 ms of it stay); b"" if nothing sounds."""
    values = samples(pcm)
    first = next((i for i, value in enumerate(values) if abs(value) > QUIET), None)
    if first is None:
        return b""
    last = next(i for i in range(len(values) - 1, -1, -1) if abs(values[i]) > QUIET)
    return pcm[SAMPLE_BYTES * max(0, first - KEEP_SAMPLES) : SAMPLE_BYTES * (last + 1 + KEEP_SAMPLES)]


def loudness_lufs(pcm: bytes) -> float:
    """Return a clip's loudness by ITU-R BS.1770-4; one under 0.4 s is one block."""
    powers = _k_weighted_powers(samples(pcm))
    step = round(RATE_HZ * BLOCK_S / BLOCK_STEPS)
    sums = list(accumulate(powers, initial=0.0))
    size = min(step * BLOCK_STEPS, len(powers))
    blocks = [(sums[at + size] - sums[at]) / size for at in range(0, len(powers) - size + 1, step)]
    mean = sum(blocks) / len(blocks)
    sounding = [block for block in blocks if block >= GATE * mean]
    return -0.691 + 10.0 * math.log10(max(sum(sounding) / len(sounding), 1e-12))


def levelled(pcm: bytes) -> bytes:
    """Return the clip at LOUDNESS_LUFS, as long as it was, and no peak of it over CEILING."""
    gain = 10.0 ** ((LOUDNESS_LUFS - loudness_lufs(pcm)) / 20.0) / FULL_SCALE
    full_gain, straight = FULL_SCALE * gain, KNEE / gain
    return array(
        "h",
        [
            round(full_gain * value if -straight <= value <= straight else FULL_SCALE * _bent(gain * value))
            for value in samples(pcm)
        ],
    ).tobytes()


def _bent(value: float) -> float:
    room = CEILING - KNEE
    return math.copysign(KNEE + room * math.tanh((abs(value) - KNEE) / room), value)


@cache
def chime() -> bytes:
    """Return the tone before a warning, with the pause behind it: CHIME_S + CHIME_PAUSE_S long."""
    tone = array("h")
    for at in range(round(CHIME_S * RATE_HZ)):
        t = at / RATE_HZ
        rise, fall = min(t / CHIME_RISE_S, 1.0), min((CHIME_S - t) / CHIME_RISE_S, 1.0)
        wave = math.sin(2.0 * math.pi * CHIME_HZ * t) * math.exp(-t / CHIME_DECAY_S)
        tone.append(round(0.5 * FULL_SCALE * wave * rise * fall))
    return levelled(tone.tobytes()) + bytes(SAMPLE_BYTES * round(CHIME_PAUSE_S * RATE_HZ))


def _k_weighted_powers(values: Iterable[float]) -> list[float]:
    """Return the power of each 16 bit sample as the ear weighs it, of full scale: BS.1770's
    filters, its shelf for a head and its high-pass, made for RATE_HZ from their analogue forms
    (libebur128), transposed."""
    tan, quality, gain = math.tan(math.pi * 1681.974450955533 / RATE_HZ), 0.7071752369554196, 10.0**0.2
    middle = gain**0.4996667741545416
    norm = (1.0 + tan / quality + tan * tan) * FULL_SCALE
    b0 = (gain + middle * tan / quality + tan * tan) / norm
    b1 = 2.0 * (tan * tan - gain) / norm
    b2 = (gain - middle * tan / quality + tan * tan) / norm
    a1, a2 = _poles(tan, quality)
    c1, c2 = _poles(math.tan(math.pi * 38.13547087602444 / RATE_HZ), 0.5003270373238773)
    first = second = third = fourth = 0.0
    powers = []
    # Nearly all the time that a rendering takes goes by here: one loop for both filters.
    for value in array("d", values):
        shelved = b0 * value + first
        first = b1 * value - a1 * shelved + second
        second = b2 * value - a2 * shelved
        now = shelved + third
        third = fourth - 2.0 * shelved - c1 * now
        fourth = shelved - c2 * now
        powers.append(now * now)
    return powers


def _poles(tan: float, quality: float) -> tuple[float, float]:
    norm = 1.0 + tan / quality + tan * tan
    return 2.0 * (tan * tan - 1.0) / norm, (1.0 - tan / quality + tan * tan) / norm


def write_sealed(path: Path, pcm: bytes, key: str) -> None:
    """Write the clip atomically. OSError as open()."""
    seal = struct.pack("<I", zlib.crc32(pcm)) + key.encode()
    body = b"WAVE" + _chunk(b"fmt ", _FORMAT) + _chunk(_SEAL, seal) + _chunk(b"data", pcm)
    write_whole(path, _chunk(b"RIFF", body), prefix=".clip-", suffix=".part")


def write_whole(path: Path, content: bytes, *, prefix: str, suffix: str = "", sync: bool = False) -> None:
    """Write a file by way of another name; with `sync` its bytes outlast a power cut. OSError."""
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
    """Return the samples as a WAV file for any player."""
    return _chunk(b"RIFF", b"WAVE" + _chunk(b"fmt ", _FORMAT) + _chunk(b"data", pcm))


def read_sealed(path: Path, key: str) -> bytes:
    """Return the samples of a file `write_sealed` made for `key`. ValueError, OSError."""
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
    """Return the samples of any WAV in our format. ValueError."""
    chunks = _chunks(path.read_bytes())
    if chunks.get(b"fmt ", b"")[:16] != _FORMAT:
        raise ValueError(f"{path}: not PCM 16 bit mono at {RATE_HZ} Hz")
    return chunks.get(b"data", b"")


def read_any(path: Path) -> bytes:
    """Return a WAV's samples: channels averaged, rates resampled linearly. ValueError."""
    try:
        with wave.open(str(path)) as file:
            channels, width, rate_hz, frames = file.getparams()[:4]
            data = file.readframes(frames)
    except (wave.Error, EOFError) as error:
        raise ValueError(f"no WAV file that can be read: {error}") from None
    if width != 2 or not 4_000 <= rate_hz <= 192_000:
        raise ValueError(f"{8 * width} bit at {rate_hz} Hz: write PCM of 16 bit")
    samples = array("h", data)
    if sys.byteorder == "big":
        samples.byteswap()
    if channels > 1:
        samples = array("h", (sum(samples[at : at + channels]) // channels
                              for at in range(0, len(samples) - channels + 1, channels)))  # fmt: skip
    if rate_hz != RATE_HZ and len(samples) > 1:
        step, last = rate_hz / RATE_HZ, len(samples) - 1
        places = (number * step for number in range(int(last / step)))
        samples = array("h", (
            round(samples[int(at)] + (samples[int(at) + 1] - samples[int(at)]) * (at % 1.0)) for at in places
        ))  # fmt: skip
    if sys.byteorder == "big":
        samples.byteswap()
    return samples.tobytes()


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def _chunks(data: bytes) -> dict[bytes, bytes]:
    """RIFF chunks by name; ValueError if the file is no RIFF/WAVE or ends before it says."""
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
