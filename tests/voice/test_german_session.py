"""A session in German from end to end: settings, drive, espeak's German voice, and the sound device."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from long_runs import some
from null_sink import SETTLE_S, SoundServer

from pitwall.coach.scripts import load_scripts, phrases
from pitwall.config import Home, shipped
from pitwall.drive.prepare import known_tracks
from pitwall.voice.render import PhraseRenderer, Voice
from pitwall.voice.wav import BYTES_PER_S
from pitwall.words.language import ENGLISH, language

# The out lap up to its last corner. Twenty times as fast, calls still have time to be heard one by one.
ROWS, SPEED = 1300, "20"
SPOKEN = ("spoken", "held then spoken")
SETTINGS = 'language = "de"\nunits = "imperial"\n'
# A machine out of breath repeats or skips some ms: one piece of this length in its middle tells a clip.
PIECE_S = 0.15


@pytest.mark.long
def test_a_german_driver_hears_german(home: Home, server: SoundServer, drives: Path, tmp_path: Path) -> None:
    with server.record() as recorder:
        lines = replayed(home, out_lap(drives, tmp_path), SETTINGS, "--speak", "--speed", SPEED)
        recorder.wait_until(time.monotonic() + SETTLE_S)
        heard = recorder.pcm
    said = [line["text"] for line in lines if line["outcome"] in SPOKEN]
    sonoma, folders = known_tracks(home)[0]["sonoma"], [shipped("audio_cache")]
    german = set(phrases(load_scripts(folders, sonoma, language("de"))))
    english = set(phrases(load_scripts(folders, sonoma, ENGLISH)))
    assert len(said) >= 3
    assert set(said) <= german - english
    for text in said:
        assert any(piece in heard for piece in pieces(text, "gmw/de")), text
        assert not any(piece in heard for piece in pieces(text, "gmw/en")), text


@pytest.mark.parametrize(("units", "unit_mps"), some([("metric", 1 / 3.6), ("imperial", 0.44704)], 1))
def test_a_speed_is_called_in_the_drivers_units(
    spoken_home: Home, drives: Path, tmp_path: Path, units: str, unit_mps: float
) -> None:
    settings = f'units = "{units}"\n[coach]\nmode = "numbers"\n'
    lines = replayed(spoken_home, out_lap(drives, tmp_path), settings, "--speed", "max")
    numbers = {ENGLISH.number_words(number): number for number in range(1000)}
    said = [
        (numbers[line["text"].partition(": ")[2]], float(line["reason"].split()[0]))
        for line in lines
        if "at the slowest point" in line["reason"]
    ]
    assert len(said) >= 3
    for number, speed_mps in said:
        assert abs(number - speed_mps / unit_mps) <= 1.0


def out_lap(drives: Path, folder: Path) -> Path:
    """The out lap up to its last corners, as a recording."""
    short = folder / "out-lap.csv"
    rows = (drives / "sonoma-m3-vbox.csv").read_bytes().splitlines(keepends=True)
    short.write_bytes(b"".join(rows[: 1 + ROWS]))
    return short


def replayed(home: Home, file: Path, settings: str, *options: str) -> list[Any]:
    """The ledger of `pitwall replay` with these settings."""
    (home.root / "pitwall.toml").write_text(settings)
    command = (sys.executable, "-m", "pitwall", "--home", str(home.root), "replay", str(file), "--json")
    run = subprocess.run([*command, *options], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def pieces(text: str, voice: str) -> list[bytes]:
    """The middle half of the phrase as this voice says it, cut into pieces, those of silence left out."""
    with PhraseRenderer(Voice(voice)) as speaker:
        pcm = speaker.pcm(text)
    length = int(PIECE_S * BYTES_PER_S) // 2 * 2
    begins = range(len(pcm) // 4 // 2 * 2, len(pcm) * 3 // 4, length)
    return [piece for begin in begins if any(piece := pcm[begin : begin + length]) and len(piece) == length]
