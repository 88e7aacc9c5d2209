"""A source whose extra or file is not on this machine: it alone is down and says why, the rest runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from running_daemon import DEMO, Daemon, write_settings
from test_settings import pitwall

from pitwall.commands.settings_file import checked_settings
from pitwall.config import Home

SOURCES = {"gps": f"replay:{DEMO}", "bus": "can:virtual/x?dbc=aim-mxp", "card": "replay:/no/card/drive.vbo"}
CURES = {"bus": 'pip install "pitwall[can]"', "card": "no recording at /no/card/drive.vbo"}


@pytest.fixture
def without_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where `pitwall[can]` was never installed."""
    package = tmp_path / "path" / "can"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('not installed here', name='can')\n")
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    monkeypatch.setitem(sys.modules, "can", None)  # for commands that run in this process


@pytest.mark.usefixtures("without_can")
def test_what_is_absent_is_down_and_the_rest_runs(home: Home) -> None:
    write_settings(home, SOURCES)
    with Daemon(home) as daemon:
        status = daemon.wait_until(lambda status: status["sources"][0]["readings"] > 20)
        sources = {each["name"]: each for each in status["sources"]}
        assert sources["gps"]["state"] == "up"
        for name, cure in CURES.items():
            assert sources[name]["state"] == "down"
            assert cure in sources[name]["last_error"]
        states = {part["name"]: part["state"] for part in status["parts"]}
        assert (states["source bus"], states["source card"], states["source gps"]) == ("down", "down", "up")
        assert daemon.end() == 0
    for number, name in ((9, "bus"), (11, "card")):
        [note] = [
            line for line in daemon.log if line.startswith(f"pitwall: {home.root}/pitwall.toml:{number}:")
        ]
        assert f"source {name}: " in note
        assert CURES[name] in note


@pytest.mark.usefixtures("without_can")
def test_the_doctor_tells_each_of_them(home: Home) -> None:
    write_settings(home, SOURCES)
    checks = {
        each["name"]: each for each in json.loads(pitwall(home.root, "doctor", "--json", code=1).stdout)
    }
    assert checks["settings"]["verdict"] == "good"
    assert checks["source gps"]["verdict"] == "good"
    for name, cure in CURES.items():
        check = checks[f"source {name}"]
        assert (check["verdict"], cure in check["found"]) == ("missing", True)
        assert "runs without this source" in check["mend"]


def test_a_shipped_name_misspelt_is_a_mistake(home: Home) -> None:
    write_settings(home, {"bus": "can:virtual/x?dbc=aim-mpx"})
    [told] = checked_settings(None, home).loaded.wrong
    assert "option dbc: no file aim-mpx" in told
