"""Real files, broken in every way a logger, a card or an e-mail can break them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
import test_candump
import test_ecu_logs
import test_fit
import test_gopro
import test_gps_csv
import test_gpx
from hypothesis import given
from hypothesis import strategies as st
from long_runs import some
from usable import read_whole
from xrk_writer import write_xrk

from pitwall.telemetry.recordings import RecordingError
from pitwall.telemetry.recordings.can_logs import Decoders

# Big enough for every header and some hundred rows, small enough for many tries.
HEAD_BYTES = 40_000
FILES = (
    "roadamerica-racelogic.vbo", "lignano-racebox.vbo", "sonoma-m3-vbox.csv", "tianma-racechrono-v3.csv",
    "washington-racecapture.log", "excerpt-racestudio3-aim.csv", "orlando-18hz.nmea",
)  # fmt: skip
NASTY = (
    *b"nan -inf 1e999 1e308 -1e308 , ; * | - # $GPRMC, 999999999999 000000.000 235959.99".split(),
    *(b'"', b'""', b"\0" * 300, b"9" * 70_000, b"\t", b" ", b"\n", b"\r", b"\n\n\n", b"[data]\n"),
    *(b"\xff\xfe", b"\xc2", b"\xe2\x98\x83", b"\x1a", b"\\", b"x" * 100),
)

PLACE = st.floats(0.0, 1.0, exclude_max=True)
EDIT = st.one_of(
    st.tuples(st.just("flip"), PLACE, st.integers(1, 255)),
    st.tuples(st.just("cut"), PLACE, st.just(0)),
    st.tuples(st.just("delete"), PLACE, st.integers(1, 3000)),
    st.tuples(st.just("repeat"), PLACE, st.integers(1, 3000)),
    st.tuples(st.just("insert"), PLACE, st.integers(0, len(NASTY) - 1)),
    st.tuples(st.just("drop line"), PLACE, st.integers(1, 30)),
    st.tuples(st.just("repeat line"), PLACE, st.integers(1, 30)),
    st.tuples(st.just("turn back"), PLACE, st.integers(2, 60)),
    st.tuples(st.just("replace all"), PLACE, st.integers(0, len(NASTY) - 1)),
)
ENCODING = st.sampled_from(["as it is"] * 8 + ["utf-16", "utf-8-sig", "latin-1", "cr"])


def edited(data: bytes, kind: str, place: float, size: int) -> bytes:
    """One edit of the kinds above, at that part of the file."""
    at = int(place * len(data))
    if kind == "flip":
        return data[:at] + bytes([data[at] ^ size]) + data[at + 1 :] if data else data
    if kind == "cut":
        return data[:at]
    if kind == "delete":
        return data[:at] + data[at + size :]
    if kind == "repeat":
        return data[: at + size] + data[at:]
    if kind == "insert":
        return data[:at] + NASTY[size] + data[at:]
    if kind == "replace all":
        digit = b"0123456789.,-+ "[at % 15 : at % 15 + 1]
        return data[:at] + data[at : at + 2000].replace(digit, NASTY[size][:100]) + data[at + 2000 :]
    lines = data.split(b"\n")
    line = int(place * len(lines))
    if kind == "drop line":
        del lines[line : line + size]
    elif kind == "repeat line":
        lines[line:line] = lines[line : line + size]
    else:
        lines[line : line + size] = lines[line : line + size][::-1]
    return b"\n".join(lines)


def read_or_refused(
    path: Path, data: bytes, edits: Sequence[tuple[str, float, int]], decoders: Decoders | None = None
) -> None:
    """A file that was damaged so is read, or refused in words."""
    for edit in edits:
        data = edited(data, *edit)
    path.write_bytes(data)
    with suppress(RecordingError):
        read_whole(path, decoders)


def encoded(data: bytes, encoding: str) -> bytes:
    """The same text as another program would save it."""
    if encoding == "as it is":
        return data
    if encoding == "cr":
        return data.replace(b"\r\n", b"\r").replace(b"\n", b"\r")
    return data.decode("utf-8", "replace").encode(encoding, "replace")


@pytest.mark.parametrize("name", some(FILES, 3))
@given(edits=st.lists(EDIT, min_size=1, max_size=6), encoding=ENCODING)
def test_a_broken_file_is_an_error_or_a_session(
    drives: Path, tmp_path: Path, name: str, edits: list[tuple[str, float, int]], encoding: str
) -> None:
    with (drives / name).open("rb") as file:
        data = file.read(HEAD_BYTES)
    for edit in edits:
        data = edited(data, *edit)
    path = tmp_path / "broken.dat"
    path.write_bytes(encoded(data, encoding))
    try:
        recording, samples = read_whole(path)
    except RecordingError:
        return
    assert samples
    assert any(channel.canonical for channel in recording.info.streams[0].channels)


def of_candump(path: Path) -> Path:
    path.write_text(test_candump.logged(test_candump.frames()[:400]))
    return path


def of_aim(path: Path) -> Path:
    names = ("lat_deg", "lon_deg", "speed_mps", "heading_deg", "rpm", "brake_bar")
    columns = {name: [40.0 + n / 1e4 for n in range(200)] for name in names}
    return write_xrk(path, columns, 10, [(0.0, 8.0), (8.0, 16.0)])


# A whole file of each form, small.
WHOLE: dict[str, Callable[[Path], Path]] = {
    "drive.log": of_candump,
    "drive.fit": test_fit.sixty_records,
    "drive.mp4": test_gopro.hero5,
    "drive.tcx": test_gpx.tcx,
    "drive.xrk": of_aim,
}
TEXTS = test_ecu_logs.TEXTS | {name: text for name, (text, *_) in test_gps_csv.READ.items()}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=[pytest.mark.long] if each == "drive.xrk" else [])
        for each in (*WHOLE, *TEXTS)
    ],
)
@given(edits=st.lists(EDIT, min_size=1, max_size=4))
def test_a_damaged_file_of_any_form_is_read_or_refused(
    tmp_path: Path, name: str, edits: list[tuple[str, float, int]]
) -> None:
    whole = tmp_path / (name if name in WHOLE else "drive.csv")
    if not whole.exists():
        WHOLE[name](whole) if name in WHOLE else whole.write_text(TEXTS[name], "utf-8")
    decoders = test_candump.aim_decoders if whole.suffix == ".log" else None
    read_or_refused(whole.with_stem("damaged"), whole.read_bytes(), edits, decoders)
