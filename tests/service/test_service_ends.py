"""SIGTERM at any moment: closed and exit code 0, or cut off in time and with a code that says so."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from running_daemon import PATIENT, ROOT, WITHIN_S
from until import until

from pitwall.commands.run import CUT_OFF, EXIT_WITHIN_S, LAST_WORDS_S
from pitwall.config import Home
from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.prepare import known_tracks
from pitwall.store import queries
from pitwall.store.store import Store


def told_to_end(
    home: Home, when: str | Sequence[str], number: int, *, patient: bool = True, **environment: str
) -> tuple[int, str]:
    """`pitwall run`, told to end when it has said all of `when`: its exit code and all that it said."""
    program = ["-c", PATIENT] if patient else ["-m", "pitwall"]
    with subprocess.Popen(
        [sys.executable, "-u", *program, "run"],
        env={**os.environ, "PITWALL_HOME": str(home.root), **environment},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = ""
        while not all(each in said for each in ([when] if isinstance(when, str) else when)):
            line = process.stdout.readline()
            assert line, said
            said += line
        process.send_signal(number)
        try:
            code = process.wait(2 * WITHIN_S)
        finally:
            process.kill()
        return code, said + process.stdout.read()


@pytest.fixture
def hung_sound(tmp_path: Path) -> str:
    """A PATH with a sound server that does not answer: the start waits for it for a second."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "pactl"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.long
def test_told_to_end_before_it_is_ready_it_ends_as_ever(home: Home, hung_sound: str, number: int) -> None:
    (home.root / "pitwall.toml").write_text("[api]\nport = 0\n")
    code, said = told_to_end(home, "settings:", number, PATH=hung_sound)
    assert code == 0, said
    assert "is ready" not in said
    assert "Traceback" not in said
    with Store(home) as store:
        assert store.open().lines == []


async def test_a_first_start_that_still_renders_its_phrases_does_not_wait_for_them(tmp_path: Path) -> None:
    """A phone needs minutes for a track's phrases; the end waits for every thread."""
    home = Home(tmp_path / "first")
    home.prepare()
    vocabulary = Vocabulary(home, known_tracks(home)[0], sound=True)
    vocabulary.want("sonoma")
    rendering = asyncio.create_task(vocabulary.run())
    await until(lambda: any(home.clips.glob("*.wav")))
    rendering.cancel()
    vocabulary.stop()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert len(list(home.clips.glob("*.wav"))) < 20


def test_what_hangs_at_the_end_is_cut_off_in_time_and_the_code_says_so(home: Home) -> None:
    """A journal on a disk that never answers: here a pipe that nobody writes to."""
    os.mkfifo(home.journals / "20260101-000000.pwj")
    (home.root / "pitwall.toml").write_text('[api]\nport = 0\n[audio]\nplayer = "none"\n')
    code, said = told_to_end(home, "settings:", signal.SIGTERM, patient=False)
    assert code == CUT_OFF, said
    assert "cut off" in said.splitlines()[-1]
    assert EXIT_WITHIN_S + LAST_WORDS_S < 3.0


@pytest.mark.long
def test_the_console_tells_the_drive(spoken_home: Home) -> None:
    demo = ROOT / "scripts" / "data" / "sonoma-simulated.vbo"
    (spoken_home.root / "pitwall.toml").write_text(
        f'[api]\nport = 0\n[audio]\nplayer = "text"\n[sources.file]\nuri = "replay:{demo}?speed=10"\n'
    )
    code, said = told_to_end(spoken_home, ["lap 1 ", '  "'], signal.SIGTERM)
    assert code == 0, said
    lines = said.splitlines()
    [opened] = [line for line in lines if line.startswith("session ") and line.endswith(" opened")]
    assert lines.index(opened) < lines.index("track: Sonoma Raceway, long course")
    assert any(line.startswith("lap 1 ") and "1:5" in line for line in lines)
    assert any(line.startswith('  "') for line in lines), "a callout"
    assert lines[-1].startswith("  Sonoma Raceway, long course: ")
    assert "flying lap" in lines[-1]
    assert opened.split()[1] in lines[-1], "what to look at next"
    # Started again it goes on with that session, and counts what was driven before.
    code, said = told_to_end(spoken_home, [" so far"], signal.SIGTERM)
    assert code == 0, said
    again = said.splitlines()
    assert "track: Sonoma Raceway, long course" in again
    driven = lines[-1].partition(": ")[2].partition(",")[0]
    assert any(line.startswith(f"{driven} so far, best 1:5") for line in again), said
    assert again[-1].startswith("  Sonoma Raceway, long course: "), said
    with Store(spoken_home) as store:
        store.open()
        [row] = queries.sessions(store)
    assert (row.kind, row.source_name, row.counts) == ("replay", demo.name, False), "nobody drove today"
