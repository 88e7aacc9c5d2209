"""NMEA: epochs, checksums, void fixes, dates; sentences written for it."""

from __future__ import annotations

from functools import reduce
from operator import xor
from pathlib import Path

import pytest
from usable import column, kinds, read_whole


def sentence(body: str) -> str:
    return f"${body}*{reduce(xor, body.encode(), 0):02X}"


def rmc(
    time: str, *, status: str = "A", date: str = "290423", talker: str = "GP", lat: str = "2824.70529"
) -> str:
    return sentence(f"{talker}RMC,{time},{status},{lat},N,08122.75973,W,19.438,309.31,{date},,,A")


def gga(time: str, *, quality: int = 1, talker: str = "GP") -> str:
    return sentence(f"{talker}GGA,{time},2824.70529,N,08122.75973,W,{quality},8,0.96,33.80,M,,M,,")


def log(folder: Path, lines: list[str]) -> Path:
    path = folder / "log.txt"
    path.write_text("\r\n".join(lines) + "\r\n")
    return path


def gns(time: str, *, modes: str = "AANN") -> str:
    return sentence(f"GNGNS,{time},2824.70529,N,08122.75973,W,{modes},12,0.7,33.8,45.0,,")


VTG = sentence("GNVTG,309.31,T,,M,19.438,N,36.000,K")
LAT, LON = 28 + 24.70529 / 60, -(81 + 22.75973 / 60)
WRONG = rmc("173430.1").replace("2824", "2924")
Values = dict[str, list[float | None]]
# Lines, the times of the samples, values by channel, what is found, and the unix time of the first sample.
LOGS: dict[str, tuple[list[str], list[float], Values, dict[str, int], float | None]] = {
    "one sample an epoch from all its sentences": (
        [gga("173430.000", talker="GN"), sentence("GNGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1"),
         rmc("173430.000", talker="GN"), VTG, sentence("GPGSV,1,1,00"), sentence("PMTK001,604,3"),
         rmc("173430.050", talker="GN"), gga("173430.050", talker="GN")],
        [0.0, 0.05],
        {"lat_deg": [LAT] * 2, "lon_deg": [LON] * 2, "speed_mps": [10.0] * 2, "heading_deg": [309.31] * 2,
         "altitude_m": [33.8] * 2, "satellites": [8.0] * 2, "fix_mode": [3.0, None]},
        {}, 1682789670.0),
    # Receivers that follow several constellations may send GNS, VTG and ZDA alone.
    "place from GNS and day from ZDA": (
        [*(line for time in ("173430.0", "173430.1")
           for line in (gns(time), VTG, sentence(f"GNZDA,{time},14,07,2024,00,00"))),
         gns("173430.2", modes="NNNN")],
        [0.0, 0.1, 0.2],
        {"lat_deg": [LAT, LAT, None], "speed_mps": [10.0, 10.0, None], "satellites": [12.0] * 3},
        {"void_fix": 1}, 1720978470.0),
    "speed from VTG where there is no RMC": (
        [gga("173430.0"), VTG, gga("173430.1"), gga("173430.2")], [0.0, 0.1, 0.2],
        {"speed_mps": [10.0, None, None], "heading_deg": [309.31, None, None]}, {}, None),
    "void is no position": (
        [rmc("173430.0"), rmc("173430.1", status="V"), gga("173430.2", quality=0), rmc("173430.3")],
        [0.0, 0.1, 0.2, 0.3], {"lat_deg": [LAT, None, None, LAT], "speed_mps": [10.0, None, None, 10.0]},
        {"void_fix": 2}, 1682789670.0),
    "a bad checksum is not used": (
        [rmc("173430.0"), WRONG, rmc("173430.2").partition("*")[0], "noise",
         rmc("173430.3")[:30] + rmc("173430.4"), rmc("173430.5")],
        [0.0, 0.4, 0.5], {}, {"bad_checksum": 2, "malformed_row": 1}, 1682789670.0),
    "a log without checksums": (
        [rmc(f"173430.{i}").partition("*")[0] for i in range(3)], [0.0, 0.1, 0.2], {}, {}, 1682789670.0),
    **{
        f"midnight {dates}": (
            [rmc("235959.90", date=dates[0]), rmc("235959.95", date=dates[0]), gga("000000.00"),
             rmc("000000.05", date=dates[1])],
            [0.0, 0.05, 0.1, 0.15], {}, {}, 1682812799.9 if dates[0] else None)
        for dates in (("290423", "300423"), ("", ""))
    },
    "a date from before the first fix does not become hours": (
        [*(rmc(f"000010.{i}", status="V", date="060180") for i in range(3)), rmc("173430.0"),
         rmc("173430.1")],
        [0.0, 0.1, 0.2, 0.4], {}, {"void_fix": 3, "time_gap": 1}, 1682789669.7),
    "times of an uneven receiver are kept": (
        [rmc(f"1734{time}") for time in ("30.010", "30.060", "30.230", "30.280", "30.400")],
        [0.0, 0.05, 0.22, 0.27, 0.39], {}, {}, 1682789670.01),
    **{
        f"a position that is none: {lat}": (
            [rmc("173430.0", lat=lat), rmc("173430.1")], [0.0, 0.1],
            {"lat_deg": [None, LAT], "lon_deg": [None, LON]}, {}, 1682789670.0)
        for lat in ("9924.70529", "2861.00000", "-2824.7", "nan", "", "0000.00000")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_read_as_it_was_meant(tmp_path: Path, name: str) -> None:
    lines, times, values, found, start_utc_s = LOGS[name]
    recording, samples = read_whole(log(tmp_path, lines))
    assert [sample.t for sample in samples] == pytest.approx(times)
    for channel, expected in values.items():
        within = 1e-3 if channel == "speed_mps" else 1e-7
        assert column(recording, samples, channel) == pytest.approx(expected, abs=within), channel
    assert kinds(recording) == found
    assert recording.info.start_utc_s == pytest.approx(start_utc_s, abs=0.2)
    assert (recording.info.time_of_day_s is None) == (start_utc_s is not None)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_log_saved_with_two_bytes_a_letter(encoding: str, tmp_path: Path) -> None:
    plain = log(tmp_path, [line for n in range(5) for line in (rmc(f"17343{n}.0"), gga(f"17343{n}.0"))])
    wide = tmp_path / "wide.nmea"
    wide.write_bytes(plain.read_text().encode(encoding))
    assert read_whole(wide)[1] == read_whole(plain)[1]
