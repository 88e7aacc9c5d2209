"""The daemon and its sound device: whose delay it reckons with, and what it says where there is none."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest
from service_inside import running, settings, until

from pitwall.config import Home
from pitwall.settings import Loaded, load_settings
from pitwall.voice.delay import Calibration, keep_calibration

SINK = "test_sink"
CALIBRATED = Calibration(0.123, 0.001, 0.002, 20, "monitor", 1.7e9)


@pytest.fixture
def sound_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder before the others on PATH; its `pactl` says which sink is the default one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder, "pactl", f'echo "Default Sink: {SINK}"')
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.delenv("PULSE_SINK", raising=False)
    return folder


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def heard(home: Home, audio: str = "") -> Loaded:
    """Settings with whatever sound there is."""
    path = home.root / "pitwall.toml"
    path.write_text(f"[audio]\n{audio}\n[api]\nport = 0\n")
    return load_settings(path, {})


async def test_the_delay_is_that_of_the_device_that_is_heard(home: Home, sound_server: Path) -> None:
    keep_calibration(home, SINK, CALIBRATED)
    async with running(home, heard(home)) as service:
        assert service.status().voice.delay_s == service.drive_settings.audio_delay_s == 0.123
    async with running(home, heard(home, "delay_s = 0.3")) as service:
        assert service.status().voice.delay_s == 0.3, "what is configured stands"
    async with running(home, settings(home, "")) as service:
        assert service.status().voice.delay_s == 0.06, "text has no device"


async def test_a_sound_server_that_hangs_leaves_the_nominal_delay(home: Home, sound_server: Path) -> None:
    program(sound_server, "pactl", "exec sleep 60")
    keep_calibration(home, SINK, CALIBRATED)
    async with running(home, heard(home, 'path = "bluetooth"')) as service:
        assert service.status().voice.delay_s == 0.2


async def test_without_sound_it_is_said_once(
    home: Home, sound_server: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The device is looked for again and again; the log says once that there is none."""
    monkeypatch.setattr("pitwall.service.voice_part.LOOK_FOR_SOUND_S", 0.0)
    tried = sound_server / "tried"
    for name in ("pacat", "paplay", "aplay"):
        program(sound_server, name, f"echo {name} >> {tried}; echo refused >&2; exit 1")
    caplog.set_level(logging.INFO, logger="pitwall")
    async with running(home, heard(home)) as service:
        await until(lambda: tried.exists() and tried.read_text().count("\n") > 8)
        await until(lambda: "audio" in [each.name for each in service.status().degradations])
    told = [record.getMessage() for record in caplog.records]
    assert len([line for line in told if line.startswith("no sound, callouts are shown as text")]) == 1
    assert [line for line in told if line.startswith("audio: ")] == ["audio: no sound device"]
