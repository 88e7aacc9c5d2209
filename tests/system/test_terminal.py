"""What a person sees in a terminal: every command fits its width, wrapped at words, with nothing cut off."""

from __future__ import annotations

import os
import pty
import re
import threading
from pathlib import Path

import pytest
from copies import copied
from long_runs import some
from running_daemon import DEMO

from pitwall.cli import COMMANDS, main

STEERING = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
# Their output is text: in a terminal it is the same words in the same order.
TEXTS = [
    ["debrief"],
    ["ask", "why was lap 3 slower than lap 5?"],
    ["doctor"],
    ["debrief", "--all-days", "--update"],
    ["simulate", "nowhere"],
]
# What these print depends on the moment: a time of day, free space, what was judged before.
CHANGES = ("doctor", "--all-days")
TABLES = [
    ["inspect", str(DEMO)],
    ["sessions"],
    ["laps", "last"],
    ["jobs"],
    ["track", "list"],
    ["debrief", "--all-days"],
]


@pytest.fixture(scope="module")
def home(demo_replayed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a session, its replay and a job."""
    home = copied(demo_replayed, tmp_path_factory.mktemp("terminal") / "home")
    assert main(["--home", str(home), "jobs", "add", "voice-scripts", "--track", "sonoma"]) == 0
    return home


def on_a_terminal(home: Path, words: list[str], width: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the command in this process with a terminal of this width for both of its outputs."""
    ours, theirs = pty.openpty()
    seen: list[bytes] = []

    def read() -> None:
        try:
            while piece := os.read(ours, 65_536):
                seen.append(piece)
        except OSError:  # how a terminal ends on Linux
            return

    reader = threading.Thread(target=read)
    reader.start()
    with monkeypatch.context() as patch, os.fdopen(theirs, "w") as terminal:
        patch.setenv("COLUMNS", str(width))
        patch.setenv("TERM", "xterm")
        patch.setattr("sys.stdout", terminal)
        patch.setattr("sys.stderr", terminal)
        main(["--home", str(home), *words])
    reader.join()
    os.close(ours)
    return STEERING.sub("", b"".join(seen).decode()).replace("\r\n", "\n")


@pytest.mark.parametrize("words", some(TEXTS, 3), ids=lambda words: " ".join(words[:2]))
def test_text_is_wrapped_at_words_and_is_whole(
    home: Path, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = on_a_terminal(home, words, 80, monkeypatch)
    # A path or an id is never broken, so that it can be copied.
    assert all(len(line) <= 80 or len(line.split()) == 1 for line in shown.splitlines())
    capsys.readouterr()
    main(["--home", str(home), *words])
    told = capsys.readouterr()
    assert shown.strip()
    if not {*words} & {*CHANGES}:
        assert set((told.out + told.err).split()) - {"pitwall:"} <= set(shown.split())


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("words", TABLES, ids=lambda words: words[0])
def test_a_table_fits(home: Path, words: list[str], width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = on_a_terminal(home, words, width, monkeypatch)
    assert shown.strip()
    assert "…" not in shown
    # A path is never broken, so that it can be copied.
    assert all(len(line) <= width or line.startswith("/") for line in shown.splitlines())


def test_in_a_pipe_a_row_is_one_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--home", str(home), "inspect", str(DEMO)])
    out = capsys.readouterr().out
    assert re.search(r"brake_bar \(Brake_Pressure_Front\) +bar +0 +60.23 +100% ", out)
    assert not any(line.endswith(" ") for line in out.splitlines())


@pytest.mark.parametrize("command", ["", "more", *COMMANDS])
def test_help_fits_80_columns(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    assert all(len(line) <= 80 for line in capsys.readouterr().out.splitlines())
