"""A film of a lap with speed, delta, map and callouts in it, by the ffmpeg of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from bisect import bisect_left
from pathlib import Path

import pytest
from films import FIX_HZ, FPS, film

from pitwall import cli
from pitwall.analysis.overlay import HeardCall, Instant, begin_of, subtitles
from pitwall.config import Home
from pitwall.store import queries
from pitwall.store.store import Store

# The film begins so long before lap 1.
BEFORE_S, LONG_S = 4.0, 40


@pytest.fixture
def ffmpeg() -> str:
    """The program; skipped without it, under CI=true a failure."""
    program = shutil.which("ffmpeg")
    if program is None:
        reason = "ffmpeg is not installed: apt-get install ffmpeg"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return program


@pytest.fixture
def speeds(driven: Home, monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float]]:
    """The demo's speeds by session time, from before its lap 1 on."""
    monkeypatch.setenv("PITWALL_HOME", str(driven.root))
    monkeypatch.chdir(driven.root)
    with Store(driven) as store:
        store.open()
        [row] = queries.sessions(store)
        begin_t = next(lap.start_t for lap in queries.laps(store, row.id) if lap.number == 1) - BEFORE_S
        sql = "SELECT t, speed_mps FROM frames WHERE speed_mps IS NOT NULL AND t >= ? ORDER BY t"
        return [(t - begin_t, v) for t, v in store.cursor().execute(sql, [begin_t]).fetchall()]


def lit(program: str, path: Path, at_s: float, crop: str) -> int:
    """The brightest point of a part of the picture, 0 to 255."""
    job = [program, "-v", "error", "-ss", str(at_s), "-i", str(path), "-frames:v", "1", "-vf", f"crop={crop}"]
    job += ["-pix_fmt", "gray", "-f", "rawvideo", "-"]
    return max(subprocess.run(job, capture_output=True, check=True).stdout)


def test_a_film_shows_speed_delta_and_map_of_the_lap(
    speeds: list[tuple[float, float]], ffmpeg: str, capsys: pytest.CaptureFixture[str]
) -> None:
    black = "color=black:size=320x180:rate=5:duration=60"
    subprocess.run(
        [
            ffmpeg,
            "-v",
            "error",
            "-f",
            "lavfi",
            "-i",
            black,
            "-f",
            "lavfi",
            "-i",
            "sine=duration=60",
            "black.mov",
        ],
        check=True,
    )
    assert cli.main(["overlay", "black.mov", "--lap", "1", "--at", "20.5", "--out", "over.mp4"]) == 0
    assert "lap 1, which begins at 20.50 s" in capsys.readouterr().out
    parts = {"speed": "120:40:0:140", "delta": "80:40:120:0", "map": "80:60:240:5"}
    seen = {name: lit(ffmpeg, Path("over.mp4"), 15.0, crop) for name, crop in parts.items()}
    assert all(each > 150 for each in seen.values()), seen
    assert lit(ffmpeg, Path("over.mp4"), 1.0, parts["speed"]) < 60, "the lap has not begun"
    streams = subprocess.run([ffmpeg, "-i", "over.mp4"], capture_output=True, check=False).stderr
    assert b"Audio:" in streams
    assert cli.main(["overlay", "black.mov", "--lap", "1", "--at", "20", "--out", "over.mp4"]) == 2
    assert cli.main(["overlay", "black.mov", "--lap", "1"]) == 2
    assert "no GPS of a GoPro: say where" in capsys.readouterr().err
    assert not list(Path().glob(".over*"))


def test_a_gopros_film_is_placed_by_its_own_speeds(
    speeds: list[tuple[float, float]], ffmpeg: str, capsys: pytest.CaptureFixture[str]
) -> None:
    times = [t for t, _ in speeds]
    own = [speeds[bisect_left(times, n / FIX_HZ)][1] for n in range(LONG_S * FIX_HZ)]
    # Its clock is days off, as a camera's is.
    Path("gopro.mp4").write_bytes(film(LONG_S * FPS, own, 1_500_000_000.0))
    assert cli.main(["overlay", "gopro.mp4", "--lap", "1"]) == 0
    found = re.search(r"begins at ([\d.]+) s", capsys.readouterr().out)
    assert found is not None
    assert abs(float(found[1]) - BEFORE_S) < 0.1
    assert Path("gopro-lap1.mp4").stat().st_size > 0


def test_speeds_of_another_drive_or_of_two_places_alike_place_nothing(
    speeds: list[tuple[float, float]],
) -> None:
    part = [(t - 20.0, v) for t, v in speeds if 20.0 <= t < 70.0]
    found = begin_of(part, speeds, None)
    assert found is not None
    assert abs(found - 20.0) < 0.1
    assert begin_of([(t, 30.0 + t % 7.0) for t, _ in part], speeds, None) is None
    twice = [*speeds, *((t + speeds[-1][0] + 0.5, v) for t, v in speeds)]
    assert begin_of(part, twice, None) is None
    named = begin_of(part, twice, speeds[-1][0] + 15.0)
    assert named is not None
    assert abs(named - speeds[-1][0] - 20.5) < 0.1


def test_words_are_shown_as_they_are() -> None:
    lap = [Instant(0.0, 100.0, 3.0, -0.2, (0.0, 0.0)), Instant(0.1, 101.0, 3.0, 0.1, (1.0, 1.0))]
    text = subtitles(
        lap, [HeardCall(0.5, 1.0, "Brake {\\b1} at the bridge")], [(0.0, 0.0), (9.0, 9.0)],
        title="t", unit="km/h", size=(1280, 720), ahead_s=3.0,
    )  # fmt: skip
    assert "call,,0,0,0,,Brake (/b1) at the bridge" in text
    assert "0:00:03.50,0:00:06.00,call" in text


def test_without_ffmpeg_it_says_what_to_install(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PITWALL_HOME", str(home.root))
    monkeypatch.setenv("PATH", "")
    assert cli.main(["overlay", "film.mp4"]) == 2
    assert "ffmpeg is not installed: apt install ffmpeg" in capsys.readouterr().err
