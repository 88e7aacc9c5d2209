"""Our decoder gives what cantools gives, and the shipped DBC is the layout that cars send."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path

import cantools.database
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwall.telemetry.signals import SIGNALS
from pitwall.telemetry.sources.base import SourceError
from pitwall.telemetry.sources.can import SHIPPED
from pitwall.telemetry.sources.can_dbc import key_of, load_dbc, load_mapping
from pitwall.telemetry.sources.can_decode import Decoder, compile_dbc

EXACT = 2**50
# Big-endian, signed, floats, 29 bits, CAN FD, and a multiplexer below a multiplexer.
EXOTIC = """VERSION ""
BU_: X
BO_ 256 Motorola: 8 X
 SG_ wide : 3|12@0- (0.125,-7) [0|0] "bar" X
 SG_ bit : 23|1@0+ (1,0) [0|0] "" X
 SG_ tail : 39|32@0- (1e-7,0) [0|0] "deg" X
BO_ 2566844926 Floats: 16 X
 SG_ single : 0|32@1- (2,1) [0|0] "m" X
 SG_ double : 71|64@0- (1,0) [0|0] "m" X
BO_ 300 Nested: 8 X
 SG_ page M : 0|4@1+ (1,0) [0|0] "" X
 SG_ sub m1M : 4|4@1+ (1,0) [0|0] "" X
 SG_ deep m2 : 8|16@1- (0.5,0) [0|0] "V" X
 SG_ flat m2 : 8|8@1+ (1,0) [0|0] "" X
 SG_ always : 56|8@1+ (1,-40) [0|0] "degC" X
BO_ 301 Long: 64 X
 SG_ last : 480|32@1+ (1,0) [0|0] "" X
 SG_ first : 7|16@0+ (1,0) [0|0] "" X
SIG_VALTYPE_ 2566844926 single : 1;
SIG_VALTYPE_ 2566844926 double : 2;
SG_MUL_VAL_ 300 sub page 1-1;
SG_MUL_VAL_ 300 deep sub 2-3;
SG_MUL_VAL_ 300 flat page 2-2, 5-6;
"""


def payloads(name: str, size: int, count: int) -> list[bytes]:
    """Bytes that look random and are the same on every run, with all-zero and all-one first."""
    seeds = [f"{name}{number}".encode() for number in range(count)]
    mixed = [hashlib.sha512(seed).digest()[:size] for seed in seeds]
    return [bytes(size), b"\xff" * size, *mixed]


def decoded(decoder: Decoder, data: bytes) -> dict[str, float | None]:
    return {
        channel.label.split(".")[1]: value
        for part, values in decoder.decode(data)
        for channel, value in zip(part.channels, values, strict=True)
    }


def assert_like_cantools(message: cantools.database.can.Message, decoder: Decoder, data: bytes) -> None:
    ours = decoded(decoder, data)
    theirs = message.decode(data, decode_choices=False, scaling=True)
    for name, value in theirs.items():
        signal, own = message.get_signal_by_name(name), ours.pop(name)
        low, high = signal.minimum, signal.maximum
        ranged = low is not None and high is not None and low < high
        if not math.isfinite(value) or (own is None and ranged and not low <= value <= high):
            assert own is None
        elif own is None:
            assert signal.choices
        else:
            assert own == float(value), (message.name, name, data.hex())
    assert not ours


def names_are_its_own(decoders: Mapping[int, Decoder]) -> None:
    names = [ch.name for decoder in decoders.values() for part in decoder.parts for ch in part.channels]
    assert len(names) == len(set(names))
    assert not set(names) & set(SIGNALS)


@pytest.mark.parametrize(("name", "count"), [("genesis", 146), ("aim-mxp", 12)])
def test_every_message_of_a_real_dbc_decodes_as_by_cantools(recordings: Path, name: str, count: int) -> None:
    decoders = compile_dbc(load_dbc(recordings / f"{name}.dbc"), {})
    messages = cantools.database.load_file(recordings / f"{name}.dbc").messages
    messages = [message for message in messages if message.signals]
    assert len(decoders) == len(messages) == count
    names_are_its_own(decoders)

    @given(data=st.binary(min_size=8, max_size=8))
    def random_frames(data: bytes) -> None:
        for message in messages:
            assert_like_cantools(message, decoders[key_of(message)], data[: message.length])

    random_frames()
    for message in messages:
        for data in payloads(message.name, message.length, 2):
            assert_like_cantools(message, decoders[key_of(message)], data)


@pytest.mark.parametrize("page", range(16))
def test_exotic_messages_decode_as_by_cantools(tmp_path: Path, page: int) -> None:
    path = tmp_path / "exotic.dbc"
    path.write_text(EXOTIC)
    decoders = compile_dbc(load_dbc(path), {})
    for message in cantools.database.load_file(path, strict=False).messages:
        key = key_of(message)
        for data in payloads(f"{page}{message.name}", message.length, 8):
            if message.name == "Nested":
                data = bytes([page | (data[0] & 0x30)]) + data[1:]
                if page not in (1, 2, 5, 6) or (page == 1 and data[0] >> 4 not in (2, 3)):
                    names = {"page", "always"} | ({"sub"} if page == 1 else set())
                    assert set(decoded(decoders[key], data)) == names  # cantools refuses what it can't select
                    continue
            assert_like_cantools(message, decoders[key], data)


@given(
    start=st.integers(0, 63),
    length=st.integers(1, 64),
    order=st.sampled_from("01"),
    sign=st.sampled_from("+-"),
    scale=st.sampled_from(["1", "0.1", "-0.25", "1e-7", "3"]),
    offset=st.sampled_from(["0", "-40", "0.5"]),
    data=st.binary(min_size=8, max_size=8),
)
def test_any_signal_decodes_as_by_cantools(
    tmp_path_factory: pytest.TempPathFactory,
    start: int, length: int, order: str, sign: str, scale: str, offset: str, data: bytes,
) -> None:  # fmt: skip
    first = start if order == "1" else 8 * (start // 8) + 7 - start % 8
    length = min(length, 64 - first)
    text = f'BO_ 1 M: 8 X\n SG_ s : {start}|{length}@{order}{sign} ({scale},{offset}) [0|0] "" X\n'
    path = tmp_path_factory.mktemp("dbc") / "one.dbc"
    path.write_text(text)
    message = cantools.database.load_string(text, "dbc").messages[0]
    ours, theirs = decoded(compile_dbc(load_dbc(path), {})[1], data)["s"], message.decode(data)["s"]
    # cantools reckons in whole numbers where it can; a float holds 53 bits of them.
    assert ours == (theirs if abs(theirs) < EXACT else pytest.approx(theirs, rel=1e-15))


def test_a_short_frame_is_refused_and_a_long_one_cut(tmp_path: Path) -> None:
    path = tmp_path / "exotic.dbc"
    path.write_text(EXOTIC)
    decoder = compile_dbc(load_dbc(path), {})[256]
    with pytest.raises(ValueError, match="Motorola has 8 bytes, this frame 7"):
        decoder.decode(bytes(7))
    assert decoded(decoder, b"\x01\x02\x03\x04\x05\x06\x07\x08") == decoded(
        decoder, b"\x01\x02\x03\x04\x05\x06\x07\x08\xff\xff"
    )


def test_signals_that_overlap_or_end_behind_the_message_are_taken_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "overlap.dbc"
    path.write_text(
        "BO_ 1 M: 2 X\n"
        ' SG_ low : 0|8@1+ (1,0) [0|0] "" X\n'
        ' SG_ middle : 4|8@1- (1,0) [0|0] "" X\n'
        ' SG_ both : 0|16@1+ (1,0) [0|0] "" X\n'
        ' SG_ wide : 7|16@0+ (1,0) [0|0] "" X\n'
        ' SG_ beyond : 16|8@1+ (0.5,0) [0|0] "" X\n'
    )
    decoder = compile_dbc(load_dbc(path), {})[1]
    assert decoded(decoder, b"\x21\xf3\x08") == {
        "low": 0x21, "middle": 0x32, "both": 0xF321, "wide": 0x21F3, "beyond": 4.0,
    }  # fmt: skip
    with pytest.raises(ValueError, match="M has 3 bytes, this frame 2"):
        decoder.decode(bytes(2))


def test_the_shipped_aim_dbc_has_the_layout_of_the_published_one(recordings: Path) -> None:
    theirs = {key_of(message): message for message in load_dbc(recordings / "aim-mxp.dbc").messages}
    ours = {key_of(message): message for message in load_dbc(SHIPPED / "aim-mxp.dbc").messages}
    assert set(ours) == set(theirs) == {*range(0x420, 0x425), *range(0x450, 0x457)}
    for key, message in ours.items():
        layout = {(s.start, s.length, s.byte_order, s.scale, s.offset) for s in message.signals}
        assert layout == {(s.start, s.length, s.byte_order, s.scale, s.offset) for s in theirs[key].signals}
        signs = [(s.start, s.is_signed) for s in message.signals if s.name != "GEAR"]  # ours can say reverse
        assert set(signs) <= {(s.start, s.is_signed) for s in theirs[key].signals}


def test_channel_names_are_unique_and_never_pass_for_canonical_ones(tmp_path: Path) -> None:
    path = tmp_path / "names.dbc"
    signal = ' SG_ {} : {}|8@1+ (1,0) [0|0] "" X\n'
    one = signal.format("rpm", 0) + signal.format("c", 8)
    two = signal.format("Gear", 0) + signal.format("c", 8)
    path.write_text(f"BO_ 1 A: 8 X\n{one}BO_ 2 B: 8 X\n{two}")
    for file in (path, SHIPPED / "aim-mxp.dbc"):
        names_are_its_own(compile_dbc(load_dbc(file), {}))
    parts = [part for decoder in compile_dbc(load_dbc(path), {}).values() for part in decoder.parts]
    assert [ch.name for part in parts for ch in part.channels] == ["a_rpm", "a_c", "b_gear", "b_c"]


def test_a_dbc_of_very_many_signals_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwall.telemetry.sources.can_dbc.MOST_SIGNALS", 10)
    with pytest.raises(SourceError, match=r"aim-mxp.dbc: defines \d+ signals, 10 at most"):
        load_dbc(SHIPPED / "aim-mxp.dbc")


def test_only_mapped_signals_are_decoded_where_that_is_wanted() -> None:
    dbc, data = load_dbc(SHIPPED / "aim-mxp.dbc"), bytes(range(1, 9))
    mapping = load_mapping(SHIPPED / "aim-mxp.toml", dbc)
    whole, mapped = compile_dbc(dbc, mapping), compile_dbc(dbc, mapping, only_mapped=True)
    assert set(mapped) < set(whole)
    names = [ch.name for decoder in mapped.values() for part in decoder.parts for ch in part.channels]
    assert sorted(names) == sorted(target.canonical for target in mapping.values())
    for key, decoder in mapped.items():
        assert decoded(decoder, data).items() <= decoded(whole[key], data).items()
