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


def test_one_sample_an_epoch_from_all_its_sentences(tmp_path: Path) -> None:
    lines = [
        gga("173430.000", talker="GN"),
        sentence("GNGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1"),
        rmc("173430.000", talker="GN"),
        sentence("GNVTG,309.31,T,,M,19.438,N,36.000,K"),
        sentence("GPGSV,1,1,00"),
        sentence("PMTK001,604,3"),
        rmc("173430.050", talker="GN"),
        gga("173430.050", talker="GN"),
    ]
    recording, samples = read_whole(log(tmp_path, lines))
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.05])
    assert column(recording, samples, "lat_deg")[0] == pytest.approx(28 + 24.70529 / 60)
    assert column(recording, samples, "lon_deg")[0] == pytest.approx(-(81 + 22.75973 / 60))
    assert column(recording, samples, "speed_mps")[0] == pytest.approx(10.0, abs=1e-3)
    assert column(recording, samples, "heading_deg")[0] == 309.31
    assert column(recording, samples, "altitude_m") == [33.8, 33.8]
    assert column(recording, samples, "satellites") == [8.0, 8.0]
    assert column(recording, samples, "fix_mode") == [3.0, None]
    assert recording.info.start_utc_s == 1682789670.0
    assert recording.info.time_of_day_s is None
    assert kinds(recording) == {}


def gns(time: str, *, modes: str = "AANN") -> str:
    return sentence(f"GNGNS,{time},2824.70529,N,08122.75973,W,{modes},12,0.7,33.8,45.0,,")


def test_place_from_gns_and_day_from_zda(tmp_path: Path) -> None:
    """Receivers that follow several constellations may send GNS, VTG and ZDA alone."""
    lines = []
    for time in ("173430.0", "173430.1"):
        lines += [
            gns(time),
            sentence("GNVTG,12.5,T,,M,,N,36.000,K"),
            sentence(f"GNZDA,{time},14,07,2024,00,00"),
        ]
    lines.append(gns("173430.2", modes="NNNN"))
    recording, samples = read_whole(log(tmp_path, lines))
    assert column(recording, samples, "lat_deg")[:2] == pytest.approx([28 + 24.70529 / 60] * 2)
    assert column(recording, samples, "lat_deg")[2] is None
    assert column(recording, samples, "speed_mps")[:2] == pytest.approx([10.0, 10.0])
    assert column(recording, samples, "satellites") == [12.0, 12.0, 12.0]
    assert recording.info.start_utc_s == 1720978470.0
    assert kinds(recording) == {"void_fix": 1}


def test_speed_from_vtg_where_there_is_no_rmc(tmp_path: Path) -> None:
    lines = [gga("173430.0"), sentence("GPVTG,12.5,T,,M,19.438,N,36.000,K"), gga("173430.1"), gga("173430.2")]
    recording, samples = read_whole(log(tmp_path, lines))
    assert column(recording, samples, "speed_mps") == [10.0, None, None]
    assert column(recording, samples, "heading_deg") == [12.5, None, None]
    assert recording.info.start_utc_s is None
    assert recording.info.time_of_day_s == 17 * 3600 + 34 * 60 + 30.0


def test_void_is_no_position(tmp_path: Path) -> None:
    lines = [rmc("173430.0"), rmc("173430.1", status="V"), gga("173430.2", quality=0), rmc("173430.3")]
    recording, samples = read_whole(log(tmp_path, lines))
    assert [value is None for value in column(recording, samples, "lat_deg")] == [False, True, True, False]
    assert [value is None for value in column(recording, samples, "speed_mps")] == [False, True, True, False]
    assert kinds(recording) == {"void_fix": 2}


def test_a_bad_checksum_is_not_used(tmp_path: Path) -> None:
    wrong = rmc("173430.1").replace("2824", "2924")
    none = rmc("173430.2").partition("*")[0]
    lines = [rmc("173430.0"), wrong, none, "noise", rmc("173430.3")[:30] + rmc("173430.4"), rmc("173430.5")]
    recording, samples = read_whole(log(tmp_path, lines))
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.4, 0.5])
    assert kinds(recording) == {"bad_checksum": 2, "malformed_row": 1}


def test_a_log_without_checksums_is_read(tmp_path: Path) -> None:
    lines = [rmc(f"173430.{i}").partition("*")[0] for i in range(5)]
    assert len(read_whole(log(tmp_path, lines))[1]) == 5


@pytest.mark.parametrize("dates", [("290423", "300423"), ("", "")])
def test_midnight(tmp_path: Path, dates: tuple[str, str]) -> None:
    lines = [
        rmc("235959.90", date=dates[0]),
        rmc("235959.95", date=dates[0]),
        gga("000000.00"),
        rmc("000000.05", date=dates[1]),
    ]
    _, samples = read_whole(log(tmp_path, lines))
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.05, 0.1, 0.15])


def test_a_date_from_before_the_first_fix_does_not_become_hours(tmp_path: Path) -> None:
    lines = [rmc(f"000010.{i}", status="V", date="060180") for i in range(5)]
    lines += [rmc(f"173430.{i}") for i in range(5)]
    recording, samples = read_whole(log(tmp_path, lines))
    assert samples[-1].t < 2.0
    assert recording.info.start_utc_s == pytest.approx(1682789670.1 - 0.6, abs=0.2)
    assert kinds(recording) == {"void_fix": 5, "time_gap": 1}


def test_times_of_an_uneven_receiver_are_kept(tmp_path: Path) -> None:
    times = ["30.010", "30.060", "30.230", "30.280", "30.400"]
    _, samples = read_whole(log(tmp_path, [rmc(f"1734{time}") for time in times]))
    assert [sample.t for sample in samples] == pytest.approx([0.0, 0.05, 0.22, 0.27, 0.39])


@pytest.mark.parametrize("lat", ["9924.70529", "2861.00000", "-2824.7", "nan", "", "0000.00000"])
def test_a_position_that_is_none(tmp_path: Path, lat: str) -> None:
    recording, samples = read_whole(log(tmp_path, [rmc("173430.0", lat=lat), rmc("173430.1")]))
    assert column(recording, samples, "lat_deg")[0] is None
    assert column(recording, samples, "lon_deg")[0] is None
