"""Calibration without sound: judging delays and taps, keeping what was found."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from pitwall.config import Home
from pitwall.voice.calibrate import (
    BEAT_S,
    BLIND_S,
    CLICKS,
    TAPS_LEAD_S,
    CalibrationError,
    delays_of_taps,
    judge,
    read_taps,
    settle,
)
from pitwall.voice.delay import (
    FILE_NAME,
    NO_DEVICE,
    AudioDelay,
    Calibration,
    calibrations,
    delay_in_force,
    keep_calibration,
)
from pitwall.voice.player import AUDIO_DELAY_S

FOUND = Calibration(0.183, 0.004, 0.012, 9, 1.7e9)
HEADSET, CABLE = "bluez_output.00_11_22_33_44_55.1", "alsa_output.usb-dac.analog-stereo"


def test_outliers_do_not_move_the_median() -> None:
    found = settle([0.100, 0.102, 0.098, 0.101, 0.099, 0.55, -0.2])
    assert (found.count, found.outliers) == (5, 2)
    assert found.median_s == 0.100
    assert found.spread_s < 0.003


def test_the_error_grows_with_the_spread() -> None:
    steady = judge([0.1] * 9, 0.0)
    uneven = judge([0.1, 0.11, 0.09, 0.105, 0.095, 0.1, 0.108, 0.092, 0.1], 0.0)
    assert steady.delay_s == uneven.delay_s == 0.1
    assert steady.error_s == BLIND_S < uneven.error_s


@pytest.mark.parametrize(
    ("delays_s", "said"),
    [
        ([], "none of 12 clicks was tapped"),
        ([0.1] * 5, "5 of 12 clicks were tapped"),
        ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.05, 0.25, 0.35], "spread"),
        ([-0.05] * 9, "before they were played"),
    ],
)
def test_delays_that_tell_nothing_are_refused(delays_s: list[float], said: str) -> None:
    with pytest.raises(CalibrationError, match=said):
        judge(delays_s, 0.0)


CLICKS_S = [10.0 + BEAT_S * k for k in range(CLICKS)]


def tapped(delay_s: float) -> list[float]:
    """The taps of a person who hears the clicks so late, and taps unevenly and early by the usual amount."""
    source = random.Random(1)
    return [at_s + delay_s - TAPS_LEAD_S + source.gauss(0, 0.03) for at_s in CLICKS_S]


@pytest.mark.parametrize("delay_s", [0.06, 0.2, 0.45])
def test_taps_of_a_person_give_the_delay(delay_s: float) -> None:
    taps_s = tapped(delay_s)
    del taps_s[3]  # one missed
    taps_s[6] += 0.3  # one late
    taps_s.insert(5, taps_s[4] + 0.12)  # one twice
    found = judge(delays_of_taps(CLICKS_S[4:], taps_s), 0.0)
    assert abs(found.delay_s - delay_s) <= found.error_s
    assert found.error_s > TAPS_LEAD_S / 2


def test_taps_out_of_time_are_refused() -> None:
    source = random.Random(7)
    wild_s = sorted(source.uniform(CLICKS_S[0], CLICKS_S[-1]) for _ in range(20))
    with pytest.raises(CalibrationError, match="spread"):
        judge(delays_of_taps(CLICKS_S[4:], wild_s), 0.0)
    with pytest.raises(CalibrationError, match="none of 12"):
        judge(delays_of_taps(CLICKS_S, []), 0.0)


def test_input_that_ends_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    keyboard = os.open(tmp_path / "empty", os.O_RDONLY)
    try:
        with pytest.raises(CalibrationError, match="terminal"):
            read_taps(keyboard, time.monotonic() + 20.0, [])
    finally:
        os.close(keyboard)


def test_each_device_has_its_own_delay(home: Home) -> None:
    keep_calibration(home, HEADSET, FOUND)
    keep_calibration(home, CABLE, Calibration(0.031, 0.001, 0.01, 9, 1.8e9))
    assert delay_in_force(home, HEADSET) == AudioDelay(0.183, "calibrated", HEADSET)
    assert delay_in_force(home, CABLE) == AudioDelay(0.031, "calibrated", CABLE)
    assert delay_in_force(home, "another") == AudioDelay(AUDIO_DELAY_S["wired"], "nominal", "another")
    assert calibrations(home)[HEADSET] == FOUND
    assert sorted(home.root.glob("*audio*")) == [home.root / FILE_NAME, home.audio_cache]
    assert (home.root / FILE_NAME).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("device", "path", "nominal"),
    [
        (HEADSET, "wired", "bluetooth"),
        ("bluez_sink.00_11.a2dp_sink", "wired", "bluetooth"),
        (CABLE, "wired", "wired"),
        ("AAudio_sink", "bluetooth", "bluetooth"),  # a phone's: only the settings know
        (NO_DEVICE, "wired", "wired"),
    ],
)
def test_until_it_is_measured_the_nominal_delay_counts(
    tmp_path: Path, device: str, path: str, nominal: str
) -> None:
    delay = delay_in_force(Home(tmp_path / "nowhere"), device, path)
    assert delay == AudioDelay(AUDIO_DELAY_S[nominal], "nominal", device)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"devices":{"X":{"delay_s":-1}}}',
        b'{"devices":{"X":{"delay_s":99,"spread_s":0,"error_s":0,"count":9,"measured_utc_s":0}}}',
    ],
)
def test_a_damaged_file_is_named_and_does_no_harm(
    home: Home, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file = home.root / FILE_NAME
    file.write_bytes(content)
    assert delay_in_force(home, "X") == AudioDelay(AUDIO_DELAY_S["wired"], "nominal", "X")
    assert str(file) in caplog.text
    assert "pitwall audio calibrate" in caplog.text
    keep_calibration(home, "X", FOUND)
    assert delay_in_force(home, "X").seconds == FOUND.delay_s
