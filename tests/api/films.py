"""A film as a camera writes it: an MP4 of tiny H.264 frames that carry their own number, with GPMF or
without.

Boxes: ISO 14496-12 and -15. Frames: ITU-T H.264, two macroblocks of raw samples (I_PCM), so nothing is coded.
GPMF: GoPro's public description. One chunk a second, as a GoPro writes it.
"""

from __future__ import annotations

import re
import struct
import time
from collections.abc import Sequence

FPS, FIX_HZ = 20, 10
# A frame's number: two digits to this base, each the grey of a macroblock.
BASE, DARKEST, STEP = 40, 30, 5
# In the page: the number of the frame that a film shows.
FRAME_SHOWN = """(() => {
    const film = document.querySelector('.panes video'), canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [32, 16];
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    pen.drawImage(film, 0, 0);
    const digit = (x) => Math.round((pen.getImageData(x, 8, 1, 1).data[1] * 219 / 255 + 16 - 30) / 5);
    return digit(8) + 40 * digit(24); })()"""


def film(
    frames: int,
    speeds_mps: Sequence[float] = (),
    utc_s: float = 0.0,
    *,
    first: int = 0,
    nine: bool = False,
    codec: str = "avc1",
) -> bytes:
    """The bytes of a film; with `speeds_mps`, FIX_HZ a second, it has a GoPro's GPS from `utc_s`.
    `first`: the number of its first frame. `nine`: GPS as a HERO11 and later have it. `codec`: what it
    says that it is in."""
    pictures = [_sized(_idr(first + number)) for number in range(frames)]
    chunks = [pictures[i : i + FPS] for i in range(0, frames, FPS)]
    fixes = [
        _payload(speeds_mps[i : i + FIX_HZ], utc_s + i / FIX_HZ, nine)
        for i in range(0, len(speeds_mps), FIX_HZ)
    ]
    head = _box("ftyp", b"isom\0\0\2\0isomavc1")
    at, body, places = len(head) + 8, b"", []
    for chunk in chunks:
        places.append(at + len(body))
        body += b"".join(chunk)
    fix_places = []
    for fix in fixes:
        fix_places.append(at + len(body))
        body += fix
    duration_ms = frames * 1000 // FPS
    tracks = [_track(1, "vide", _avc1(codec), [len(each) for each in pictures], FPS, places, 1000 // FPS)]
    if fixes:
        entry = _box("gpmd", bytes(6) + b"\0\1")
        tracks.append(_track(2, "meta", entry, [len(each) for each in fixes], 1, fix_places, 1000))
    mvhd = _full(
        "mvhd", struct.pack(">4I", 0, 0, 1000, duration_ms) + _MATRIX_HEAD + _MATRIX + bytes(24) + _u32(9)
    )
    return head + _box("mdat", body) + _box("moov", mvhd, *tracks)


def _u32(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


def _box(kind: str, *inside: bytes) -> bytes:
    body = b"".join(inside)
    return _u32(8 + len(body)) + kind.encode() + body


def _full(kind: str, body: bytes, flags: int = 0) -> bytes:
    return _box(kind, _u32(flags), body)


_MATRIX_HEAD = struct.pack(">IH10x", 0x10000, 0x100)
_MATRIX = _u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)


def _track(
    number: int, handler: str, entry: bytes, sizes: list[int], a_chunk: int, places: list[int], tick_ms: int
) -> bytes:
    long_ms = len(sizes) * tick_ms
    size = _u32(32 << 16, 16 << 16) if handler == "vide" else bytes(8)
    tkhd = _full("tkhd", _u32(0, 0, number, 0, long_ms) + bytes(16) + _MATRIX + size, 3)
    table = _box(
        "stbl",
        _full("stsd", _u32(1) + entry),
        _full("stts", _u32(1, len(sizes), tick_ms)),
        _full("stsc", _u32(1, 1, a_chunk, 1)),
        _full("stsz", _u32(0, len(sizes), *sizes)),
        _full("stco", _u32(len(places), *places)),
    )
    media = _full("vmhd", bytes(8), 1) if handler == "vide" else _full("nmhd", b"")
    where = _box("dinf", _full("dref", _u32(1) + _full("url ", b"", 1)))
    hdlr = _full("hdlr", _u32(0) + handler.encode() + bytes(13))
    mdhd = _full("mdhd", _u32(0, 0, 1000, long_ms, 0x55C40000))
    return _box("trak", tkhd, _box("mdia", mdhd, hdlr, _box("minf", media, where, table)))


def _avc1(codec: str) -> bytes:
    sps, pps = _sps(), _pps()
    config = (
        b"\1\x42\xc0\x1e\xff\xe1"
        + struct.pack(">H", len(sps))
        + sps
        + b"\1"
        + struct.pack(">H", len(pps))
        + pps
    )
    entry = bytes(6) + b"\0\1" + bytes(16) + struct.pack(">HH", 32, 16)
    entry += _u32(0x480000, 0x480000, 0) + b"\0\1" + bytes(32) + b"\0\x18\xff\xff"
    return _box(codec, entry, _box("avcC", config))


def _ue(*values: int) -> str:
    """Exp-Golomb codes."""
    return "".join(f"{value + 1:0{2 * (value + 1).bit_length() - 1}b}" for value in values)


def _unit(kind: int, bits: str) -> bytes:
    bits += "1"
    bits += "0" * (-len(bits) % 8)
    data = int(bits, 2).to_bytes(len(bits) // 8, "big")
    return bytes([0x60 | kind]) + re.sub(rb"\0\0(?=[\0-\3])", b"\0\0\3", data)


def _sps() -> bytes:
    # Baseline, order as decoded, 2 x 1 macroblocks.
    return _unit(7, f"{66:08b}{0xC0:08b}{30:08b}" + _ue(0, 0, 2, 1) + "0" + _ue(1, 0) + "1100")


def _pps() -> bytes:
    return _unit(8, _ue(0, 0) + "00" + _ue(0, 0, 0) + "000" + _ue(0, 0, 0) + "000")


def _idr(number: int) -> bytes:
    bits = _ue(0, 7, 0) + "0000" + _ue(number % 2) + "00" + _ue(0)
    for digit in (number % BASE, number // BASE):
        bits += _ue(25)
        bits += "0" * (-len(bits) % 8)
        grey = bytes([DARKEST + STEP * digit]) * 256 + bytes([128]) * 128
        bits += "".join(f"{each:08b}" for each in grey)
    return _unit(5, bits)


def _sized(unit: bytes) -> bytes:
    return _u32(len(unit)) + unit


def _klv(key: str, kind: str, size: int, body: bytes) -> bytes:
    head = key.encode() + kind.encode() + bytes([size]) + struct.pack(">H", len(body) // size)
    return head + body + bytes(-len(body) % 4)


def _payload(speeds_mps: Sequence[float], utc_s: float, nine: bool) -> bytes:
    if nine:
        return _payload_nine(speeds_mps, utc_s)
    clock = time.strftime("%y%m%d%H%M%S", time.gmtime(utc_s)) + f".{int(utc_s % 1 * 1000):03d}"
    rows = [
        struct.pack(">5i", 381_616_000, -1_224_545_000, 0, round(1000 * v), round(100 * v))
        for v in speeds_mps
    ]
    stream = b"".join(
        (
            _klv("GPSF", "L", 4, _u32(3)),
            _klv("GPSU", "U", 16, clock.encode()),
            _klv("GPSP", "S", 2, b"\0\x96"),
            _klv("SCAL", "l", 4, struct.pack(">5i", 10_000_000, 10_000_000, 1000, 1000, 100)),
            _klv("GPS5", "l", 20, b"".join(rows)),
        )
    )
    return _klv("DEVC", "\0", 1, _klv("STRM", "\0", 1, stream))


def _payload_nine(speeds_mps: Sequence[float], utc_s: float) -> bytes:
    """Nine numbers a fix, of two kinds: each has its own day since 2000, time, precision and kind of fix."""
    rows = []
    for i, v in enumerate(speeds_mps):
        days, second_s = divmod(utc_s + i / FIX_HZ - 946_684_800, 86_400)
        place = (381_616_000, -1_224_545_000, 0, round(1000 * v), round(100 * v))
        rows.append(struct.pack(">7i2H", *place, int(days), round(1000 * second_s), 150, 3))
    scales = struct.pack(">9i", 10_000_000, 10_000_000, 1000, 1000, 100, 1, 1000, 100, 1)
    stream = (
        _klv("TYPE", "c", 1, b"lllllllSS")
        + _klv("SCAL", "l", 4, scales)
        + _klv("GPS9", "?", 32, b"".join(rows))
    )
    return _klv("DEVC", "\0", 1, _klv("STRM", "\0", 1, stream))
