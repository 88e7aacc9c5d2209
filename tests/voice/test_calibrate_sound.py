"""`pitwall audio` as a user types it, against a real PulseAudio: measured, kept, shown, used."""

from __future__ import annotations

import json
import os
import pty
import select
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import null_sink
import pytest
from null_sink import SoundServer

from pitwall.config import Home
from pitwall.voice.calibrate import TAPS_LEAD_S
from pitwall.voice.delay import Calibration, delay_in_force, keep_calibration, output_device
from pitwall.voice.player import AHEAD_S, AUDIO_DELAY_S
from pitwall.voice.sound_program import PULSE_MS
from pitwall.voice.wav import QUIET, RATE_HZ, samples

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "scripts" / "data" / "sonoma-simulated.vbo"
DRUMMER_OFF_S = 0.02  # pieces of 5 ms, a pipe, a terminal, another process's turn
DEAF_S = 0.4  # a drummer's: one click is one tap


def pitwall(home: Home, *words: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pitwall", *map(str, words)],
        env={**os.environ, "PITWALL_HOME": str(home.root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, done.stderr
    return done


def calibrating(home: Home) -> list[str]:
    return [sys.executable, "-m", "pitwall", "--home", str(home.root), "audio", "calibrate"]


def drum(stop: threading.Event, keyboard: int) -> None:
    """Press Enter at each click that the monitor plays."""
    options = f"--raw --format=s16le --rate={RATE_HZ} --channels=1 --latency-msec=5".split()
    with subprocess.Popen(["parec", "-d", "test.monitor", *options], stdout=subprocess.PIPE) as ear:
        tapped_s = 0.0
        while not stop.is_set() and (pcm := ear.stdout.read(220)):
            now_s = time.monotonic()
            if now_s - tapped_s > DEAF_S and max(map(abs, samples(pcm))) > QUIET:
                os.write(keyboard, b"\n")
                tapped_s = now_s
        ear.kill()


@pytest.mark.long
def test_taps_on_a_terminal_give_the_delay(server: SoundServer, home: Home) -> None:
    assert delay_in_force(home, "test").source == "nominal"
    ours, theirs = pty.openpty()
    stop = threading.Event()
    drummer = threading.Thread(target=drum, args=(stop, ours))
    with subprocess.Popen(
        [*calibrating(home), "--json"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        drummer.start()
        told, complaint = process.communicate(timeout=300)
        stop.set()
        drummer.join()
    while select.select([ours], [], [], 0)[0]:
        os.read(ours, 4096)  # the terminal's echo
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 0, complaint
    assert "tap Enter with each click" in complaint
    shown = json.loads(told)["calibration"]
    # The server holds PULSE_MS of a click, the player keeps the pipe no further than AHEAD_S before the
    # clock, and the drummer does not tap before it as people do.
    heard_s = shown["delay_s"] - TAPS_LEAD_S
    assert -DRUMMER_OFF_S < heard_s < PULSE_MS / 1000 + AHEAD_S + DRUMMER_OFF_S
    assert delay_in_force(home, "test").seconds == shown["delay_s"]


def test_without_a_terminal_nobody_can_tap(server: SoundServer, home: Home) -> None:
    told = pitwall(home, "audio", "calibrate", code=2).stderr
    assert "run this in a terminal" in told


def test_without_a_sound_device_one_line_says_so(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path / 'nothing'}")
    monkeypatch.setenv("ALSA_CONFIG_PATH", os.devnull)
    told = pitwall(home, "audio", "calibrate", code=2).stderr
    [told] = told.splitlines()
    assert told.startswith("pitwall: there is no sound device: start the sound server")


def test_both_voices_are_heard_one_after_the_other(server: SoundServer, home: Home) -> None:
    null_sink.need("flite")
    (home.root / "pitwall.toml").write_text('[audio]\nspeak = "flite -o {wav}"\n')
    lines = pitwall(home, "audio", "test").stdout.splitlines()
    assert [line.rpartition(":")[0] for line in lines] == ["flite -o {wav}", "espeak-ng"]
    assert all(0.5 < float(line.split()[-2]) < 4.0 for line in lines)


def replayed(home: Home, *words: str) -> str:
    return pitwall(home, "replay", DEMO, "--speed", "max", "--json", *words).stdout


def lead_s(told: str) -> dict[tuple[int, str], float]:
    """What each callout of a replay was led by beyond its own length, by lap and text."""
    lines = [json.loads(line) for line in told.splitlines()]
    led = [line for line in lines if line["lead_s"] is not None]
    return {(line["lap"], line["text"]): line["lead_s"] - line["clip_s"] for line in led}


@pytest.mark.long
def test_a_spoken_replay_reckons_with_it_and_a_silent_one_never(
    server: SoundServer, spoken_home: Home
) -> None:
    plain = replayed(spoken_home)
    nominal = lead_s(plain)
    measured = Calibration(0.36, 0.001, 0.01, 9, 0.0)
    keep_calibration(spoken_home, output_device(), measured)
    assert replayed(spoken_home) == plain
    spoken = lead_s(replayed(spoken_home, "--speak"))
    later = [spoken[cue] - nominal[cue] for cue in spoken.keys() & nominal.keys()]
    assert len(later) >= 5
    assert statistics.median(later) == pytest.approx(measured.delay_s - AUDIO_DELAY_S["wired"], abs=0.02)
    asked = lead_s(replayed(spoken_home, "--speak", "--audio-delay", str(AUDIO_DELAY_S["wired"])))
    assert asked == nominal
