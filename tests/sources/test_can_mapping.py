"""What a mapping and a DBC may say, and that every mistake is named with its file and line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pitwall.telemetry.sources.base import SourceError
from pitwall.telemetry.sources.can import SHIPPED
from pitwall.telemetry.sources.can_dbc import load_dbc, load_mapping
from pitwall.telemetry.sources.can_decode import compile_dbc

DBC = """VERSION ""
BU_: X
BO_ 16 ONE: 8 X
 SG_ SPEED : 0|16@1+ (0.1,0) [0|0] "mph" X
 SG_ STEER : 16|16@1- (0.001,0) [0|0] "rad" X
 SG_ BARE : 32|16@1+ (1,0) [0|0] "" X
 SG_ SHARED : 48|8@1+ (1,0) [0|0] "" X
BO_ 17 TWO: 8 X
 SG_ SHARED : 0|8@1+ (1,0) [0|0] "rpm" X
 SG_ TEMP : 8|16@1+ (0.1,0) [0|0] "degF" X
"""


@pytest.fixture
def dbc_path(tmp_path: Path) -> Path:
    path = tmp_path / "car.dbc"
    path.write_text(DBC)
    return path


def readings(dbc_path: Path, mapping: str, key: int, data: bytes) -> dict[str, tuple[float | None, str]]:
    path = dbc_path.with_name("car.toml")
    path.write_text(mapping)
    dbc = load_dbc(dbc_path)
    decoder = compile_dbc(dbc, load_mapping(path, dbc))[key]
    return {
        channel.name: (value, channel.unit)
        for part, values in decoder.decode(data)
        for channel, value in zip(part.channels, values, strict=True)
    }


def test_units_signs_scales_and_offsets(dbc_path: Path) -> None:
    mapping = """
[signals.SPEED]
to = "wheel_speed_mps"
[signals.STEER]
to = "steering_deg"
sign = -1
[signals.BARE]
to = "brake_bar"
unit = "kPa"
scale = 2.0
offset = -100
[signals."ONE.SHARED"]
to = "gear"
invalid = [0xFF]
"""
    data = (
        (1000).to_bytes(2, "little") + (500).to_bytes(2, "little") + (550).to_bytes(2, "little") + b"\x03\0"
    )
    found = readings(dbc_path, mapping, 16, data)
    assert found["wheel_speed_mps"] == (pytest.approx(44.704), "m/s")  # 100 mph
    assert found["steering_deg"] == (pytest.approx(-28.6479, abs=1e-4), "deg")  # 0.5 rad to the right
    assert found["brake_bar"] == (pytest.approx(10.0), "bar")  # 2 * 550 - 100 kPa
    assert found["gear"] == (3.0, "")
    assert readings(dbc_path, mapping, 16, data[:6] + b"\xff\0")["gear"][0] is None


def test_offsets_of_units(dbc_path: Path) -> None:
    mapping = '[signals.TEMP]\nto = "coolant_c"\n'
    found = readings(dbc_path, mapping, 17, b"\0" + (1940).to_bytes(2, "little") + bytes(5))
    assert found["coolant_c"] == (pytest.approx(90.0), "degC")  # 194 degF
    assert found["two_shared"] == (0.0, "rpm")


MISTAKES = [
    ('[signals.SPEED]\nto = "speed"\n', 2, "'speed' is no canonical signal"),
    ('[signals.SPEED]\nto = "rpm"\n', 2, "rpm can't be in 'mph', as the DBC says"),
    ('[signals.SPEED]\nto = "speed_mps"\nunit = "furlong/fortnight"\n', 3, "can't be in 'furlong/fortnight'"),
    ('[signals.BARE]\nto = "brake_bar"\n', 2, "brake_bar can't be in '', as the DBC says; give the unit"),
    ('[signals.SPED]\nto = "speed_mps"\n', 1, "SPED is no signal of car.dbc"),
    ('\n\n[signals.speed]\nto = "speed_mps"\n', 3, "did you mean SPEED?"),
    ('[signals."NINE.SPEED"]\nto = "speed_mps"\n', 1, "NINE.SPEED is no signal"),
    ('[signals.SHARED]\nto = "gear"\n', 1, 'stands in 2 messages; write "ONE.SHARED" or "TWO.SHARED"'),
    ('[signals.SPEED]\nto = "speed_mps"\n# two\n[signals.BARE]\nunit = "km/h"\nto = "speed_mps"\n', 6,
     "BARE claims speed_mps, which SPEED has (line 2)"),
    ('[signals.SPEED]\nto = "speed_mps"\n[signals."ONE.SPEED"]\nto = "wheel_speed_mps"\n', 3, "mapped above"),
    ('[signals.SPEED]\nto = "speed_mps"\nsign = 2\n', 3, "sign"),
    ('[signals.SPEED]\nto = "speed_mps"\nscael = 2\n', 3, "scael"),
    ('[signals.SPEED]\nscale = 2\n', 1, "to"),
    ('[signals.SPEED]\nto = "speed_mps\n', 2, "is not TOML"),
    ('[signal.SPEED]\nto = "speed_mps"\n', 1, "signal is not known here"),
    ("# nothing\n", 1, "maps no signal"),
    ('[signals]\nSPEED = { to = "speed_mps" }\nBARE = { to = "sped" }\n', 3, "'sped' is no canonical signal"),
]  # fmt: skip


@pytest.mark.parametrize(("mapping", "line", "words"), MISTAKES)
def test_a_mistake_in_a_mapping_is_named_with_its_line(
    dbc_path: Path, mapping: str, line: int, words: str
) -> None:
    with pytest.raises(SourceError, match=re.escape(words)) as caught:
        readings(dbc_path, mapping, 16, bytes(8))
    assert str(caught.value).startswith(f"{dbc_path.with_name('car.toml')}:{line}: ")


DBC_MISTAKES = [
    ('BO_ 1 A: 8 X\n SG_ a : 0|8@1+ (1,0 [0|1] "" X\n', "Invalid syntax"),
    ("hello\n", "Invalid syntax"),
    ("", "Invalid syntax"),
    ('VERSION ""\n', "defines no signal"),
    ('BO_ 1 A: 8 X\n SG_ a : 0|8@1+ (1,0) [0|1] "" X\n SG_ a : 8|8@1+ (1,0) [0|1] "" X\n', "second signal"),
    ('BO_ 1 A: 8 X\n SG_ a : 0|8@1+ (1,0) [0|1] "" X\nBO_ 1 B: 8 X\n SG_ b : 0|8@1+ (1,0) [0|1] "" X\n',
     "message B has the id 0x1 of A"),
    ('BO_ 1 A: 8 X\n SG_ a : 0|8@1+ (1,0) [0|1] "" X\nBO_ 2 A: 8 X\n SG_ b : 0|8@1+ (1,0) [0|1] "" X\n',
     "a second message is called A"),
    ('BO_ 1 A: 8 X\n SG_ a : 0|8@1+ (1,0) [0|1] "" X\n\nBO_ 5000 B: 8 X\n SG_ b : 0|8@1+ (1,0) [0|1] "" X\n',
     "more than 11 bits"),
    ('BO_ 1 A: 8 X\n SG_ a : 0|8@1+ (1,0) [0|1] "" X\n SG_ b : 8|0@1+ (1,0) [0|1] "" X\n', "length 0"),
    ('BO_ 1 A: 8 X\n SG_ a : 0|4000000000@1+ (1,0) [0|1] "" X\n', "behind the last bit"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), DBC_MISTAKES)
def test_a_mistake_in_a_dbc_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.dbc"
    path.write_text(text)
    with pytest.raises(SourceError, match=re.escape(words)) as caught:
        load_dbc(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_files_that_cannot_be_read(tmp_path: Path, dbc_path: Path) -> None:
    with pytest.raises(SourceError, match="can't be read"):
        load_dbc(tmp_path)
    with pytest.raises(SourceError, match="can't be read"):
        load_mapping(tmp_path, load_dbc(dbc_path))
    (tmp_path / "latin.toml").write_bytes(b'[signals.SPEED]\nto = "\xb0"\n')
    with pytest.raises(SourceError, match="UTF-8"):
        load_mapping(tmp_path / "latin.toml", load_dbc(dbc_path))


def test_dbcs_cut_and_damaged_anywhere_end_in_an_error_or_a_dbc(tmp_path: Path) -> None:
    text = (SHIPPED / "aim-mxp.dbc").read_bytes()
    refused = []
    for cut in range(0, len(text), 97):
        for damaged in (text[:cut], text[:cut] + b"\xff\x00(" + text[cut + 3 :]):
            path = tmp_path / "damaged.dbc"
            path.write_bytes(damaged)
            try:
                load_dbc(path)
            except SourceError as error:
                refused.append(str(error))
    assert len(refused) > 20
    assert all(words.startswith(f"{path}: ") for words in refused)


def test_every_shipped_dbc_has_a_mapping_that_fits() -> None:
    for path in SHIPPED.glob("*.dbc"):
        dbc = load_dbc(path)
        assert load_mapping(path.with_suffix(".toml"), dbc)
