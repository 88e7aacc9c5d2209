"""The daemon and its sound device: whose delay it reckons with, and what it says where there is none."""

from __future__ import annotations

import asyncio
import heapq
import logging
import math
import os
import signal
from pathlib import Path

import msgspec
import pytest
import split_drive
from service_inside import Moving, running, settings
from test_degradation import Driven
from until import until

from pitwall.config import Home
from pitwall.drive.controls import control
from pitwall.drive.prepare import settings_of
from pitwall.drive.replay import Replay, ReplayOptions
from pitwall.settings import Loaded, load_settings
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import ControlRecord, JournalRecording
from pitwall.voice.delay import ALSA_DEFAULT, Calibration, keep_calibration
from pitwall.voice.playback_queue import Player

SINK, HEADSET = "test_sink", "bluez_output.AA_BB"
CALIBRATED = Calibration(0.123, 0.001, 0.002, 20, 1.7e9)


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


def heard(home: Home, audio: str = "", *, source: bool = False) -> Loaded:
    """Settings with whatever sound there is."""
    path = home.root / "pitwall.toml"
    sources = '[sources.one]\nuri = "test:one"\n' if source else ""
    path.write_text(f"[audio]\n{audio}\n[api]\nport = 0\n{sources}")
    return load_settings(path, {})


def audible(folder: Path) -> None:
    """A `pacat` that takes whatever sound comes, and says which process it is."""
    program(folder, "pacat", f'echo $$ > "{folder}/pacat.pid"\nexec cat > /dev/null')


def turn_to(folder: Path, sink: str) -> None:
    """The sound server plays on another device from now on."""
    program(folder, "pactl.new", f'echo "Default Sink: {sink}"')
    (folder / "pactl.new").rename(folder / "pactl")


@pytest.fixture
def car(monkeypatch: pytest.MonkeyPatch) -> Moving:
    """The one source, standing still."""
    made = Moving()
    made.speed_mps = 0.0
    monkeypatch.setattr("pitwall.daemon.intake.sources.open_source", lambda *_: made)
    return made


async def test_the_delay_is_that_of_the_device_that_is_heard(home: Home, sound_server: Path) -> None:
    keep_calibration(home, SINK, CALIBRATED)
    async with running(home, heard(home)) as service:
        await until(lambda: service.status().voice.delay_s == 0.123)
    async with running(home, heard(home, "delay_s = 0.3")) as service:
        assert service.status().voice.delay_s == 0.3, "what is configured stands"
    async with running(home, settings(home, "")) as service:
        assert service.status().voice.delay_s == 0.06, "text has no device"


async def test_a_sound_server_that_hangs_leaves_the_nominal_delay(home: Home, sound_server: Path) -> None:
    program(sound_server, "pactl", "exec sleep 60")
    keep_calibration(home, SINK, CALIBRATED)
    async with running(home, heard(home, 'path = "bluetooth"')) as service:
        await until(lambda: service.voice.delay_known)
        assert service.status().voice.delay_s == 0.2


async def test_aplay_passes_the_sound_server_by_and_has_the_delay_of_its_own_device(
    home: Home, sound_server: Path
) -> None:
    program(sound_server, "pacat", "exit 1")
    program(sound_server, "aplay", "exec cat > /dev/null")
    keep_calibration(home, SINK, CALIBRATED)
    keep_calibration(home, ALSA_DEFAULT, msgspec.structs.replace(CALIBRATED, delay_s=0.045))
    async with running(home, heard(home)) as service:
        await until(lambda: service.status().voice.delay_s == 0.045)


async def test_a_headset_that_comes_later_has_its_own_delay(
    home: Home, sound_server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwall.daemon.sound.voice.LOOK_FOR_SOUND_S", 0.0)
    for name in ("pacat", "aplay"):
        program(sound_server, name, "exit 1")
    async with running(home, heard(home)) as service:
        await until(lambda: service.voice.delay_known)
        turn_to(sound_server, HEADSET)
        audible(sound_server)
        await until(lambda: service.voice.heard is True)
        await until(lambda: service.status().voice.delay_s == 0.2)


async def test_while_the_car_stands_the_device_is_asked_for_now_and_then(
    home: Home, sound_server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`audio calibrate` beside the daemon counts, and so does a server that turns to a headset by itself."""
    monkeypatch.setattr("pitwall.daemon.sound.voice.ASK_DEVICE_EVERY_S", 0.0)
    audible(sound_server)
    async with running(home, heard(home)) as service:
        await until(lambda: service.voice.delay_known)
        keep_calibration(home, SINK, CALIBRATED)
        await until(lambda: service.status().voice.delay_s == 0.123)
        turn_to(sound_server, HEADSET)
        await until(lambda: service.status().voice.delay_s == 0.2)


async def driven_to_a_headset(home: Home, folder: Path, car: Moving) -> str:
    """A session whose sound breaks off on the move, and goes to another device from then on."""
    audible(folder)
    async with running(home, heard(home, source=True)) as service:
        await until(lambda: service.voice.delay_known and service.voice.heard is True)
        car.speed_mps = 20.0
        await until(lambda: service.keeper.session is not None)
        turn_to(folder, HEADSET)
        os.kill(int((folder / "pacat.pid").read_text()), signal.SIGKILL)
        await until(lambda: service.keeper.current.path.audio_delay_s == 0.2)
        return service.keeper.current.id


async def test_an_open_session_learns_of_another_device_and_so_does_one_that_goes_on(
    home: Home, sound_server: Path, car: Moving
) -> None:
    session = await driven_to_a_headset(home, sound_server, car)
    async with running(home, heard(home, "delay_s = 0.3", source=True)) as service:
        await until(lambda: service.keeper.session is not None)
        assert service.keeper.current.id == session
        await until(lambda: service.keeper.current.path.audio_delay_s == 0.3)


def test_the_journal_tells_a_replay_of_it_unless_a_delay_is_given(
    home: Home, sound_server: Path, car: Moving
) -> None:
    path = home.journals / f"{asyncio.run(driven_to_a_headset(home, sound_server, car))}.pwj"
    journal = JournalRecording(path)
    assert settings_of(journal.meta.options).audio_delay_s == 0.06
    told = [record for _, record in journal.records() if isinstance(record, ControlRecord)]
    assert [record.detail for record in told if record.kind == "delay"] == ["0.2"]
    for given_s, delay_s in ((None, 0.2), (0.1, 0.1)):
        with Store(home) as store:
            store.open()
            replay = Replay(path, home, store, ReplayOptions(audio_delay_s=given_s))
            assert replay.run()
        assert replay.drive.audio_delay_s == delay_s


def test_calls_start_so_much_sooner_as_the_sound_takes_longer(spoken_home: Home) -> None:
    def leads(*told: ControlRecord) -> dict[int, float]:
        """Seconds before its action point that each call was meant to start, without its own length."""
        driven = Driven(spoken_home)
        driven.feed(heapq.merge(split_drive.drive(200.0), told, key=lambda each: each.t))
        return {line.cue: line.lead_s - line.clip_s for line in driven.lines if line.lead_s and line.clip_s}

    wired, headset = leads(), leads(control(100.0, "delay", "0.2"))
    later = {cue: headset[cue] - wired[cue] for cue in wired.keys() & headset.keys()}
    assert {round(late_s, 2) for late_s in later.values()} == {0.0, 0.14}


async def test_a_voice_that_fails_again_and_again_is_audio_lost(
    home: Home, sound_server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> Player:
        raise RuntimeError("a bug in the player")

    monkeypatch.setattr("pitwall.daemon.sound.voice.open_player", fails)
    audible(sound_server)
    async with running(home, heard(home)) as service:
        await until(lambda: service.voice.part.restarts > 0)
        await until(lambda: "audio" in [each.name for each in service.status().degradations])
        assert service.status().degradations[0].reason == "the voice is being started again"
        monkeypatch.undo()
        monkeypatch.setenv("PATH", f"{sound_server}:{os.environ['PATH']}")
        await until(lambda: service.status().degradations == ())


async def test_in_the_first_seconds_it_is_not_known_whether_anybody_hears(
    home: Home, sound_server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sound program starts and takes nothing: not lost at once, but not for ever unknown either."""
    monkeypatch.setattr("pitwall.daemon.sound.voice.STARTING_S", math.inf)
    for name in ("pacat", "aplay"):
        program(sound_server, name, "exec sleep 60")
    async with running(home, heard(home)) as service:
        assert service.voice.heard is None
        monkeypatch.setattr("pitwall.daemon.sound.voice.STARTING_S", 0.0)
        await until(lambda: service.voice.heard is False)


async def test_without_sound_it_is_said_once(
    home: Home, sound_server: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The device is looked for again and again; the log says once that there is none."""
    monkeypatch.setattr("pitwall.daemon.sound.voice.LOOK_FOR_SOUND_S", 0.0)
    tried = sound_server / "tried"
    for name in ("pacat", "aplay"):
        program(sound_server, name, f"echo {name} >> {tried}; echo refused >&2; exit 1")
    caplog.set_level(logging.INFO, logger="pitwall")
    async with running(home, heard(home)) as service:
        await until(lambda: tried.exists() and tried.read_text().count("\n") > 8)
        await until(lambda: "audio" in [each.name for each in service.status().degradations])
    told = [record.getMessage() for record in caplog.records]
    assert len([line for line in told if line.startswith("no sound, callouts are shown as text")]) == 1
    assert [line for line in told if line.startswith("audio: ")] == ["audio: no sound device"]
