"""`pitwall doctor --phone` beside a real helper: what is red says the tap or the command that mends it."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from phone_folder import HelperProcess, PhoneFolder, free_port
from typed import typed
from until import wait_until

from pitwall.api.token import load_token
from pitwall.config import Home


def doctor(home: Home, port: int, *options: str) -> dict[str, Any]:
    """The checks by name; those of `--phone` alone take no part in the exit code's other reasons."""
    at = {"PITWALL_PHONE_PORT": str(port)}
    done = typed(home, "doctor", "--phone", "--json", *options, environment=at)
    rows = json.loads(done.stdout)
    assert done.returncode == (1 if any(row["verdict"] == "missing" for row in rows) else 0)
    return {row["name"]: row for row in rows}


def test_red_lines_say_what_to_tap_and_green_ones_nothing(home: Home, phone: PhoneFolder) -> None:
    load_token(home)
    phone.be("granted-DUMP")
    phone.be("whitelist", "user,com.termux,10234\n")
    helper = HelperProcess(phone, "127.0.0.1:1")
    try:
        wait_until((phone.state / "wake-lock").exists)
        found = doctor(home, helper.port)
        assert found["wake-lock"]["verdict"] == "good"
        assert found["helper"]["verdict"] == found["battery exemption"]["verdict"] == "good"
        assert found["phantom processes"]["verdict"] == "missing"
        assert "Disable child process restrictions" in found["phantom processes"]["mend"]
        assert found["standby bucket"]["verdict"] == "missing"
        assert found["standby bucket"]["mend"].count("adb-tune") == 1
        assert found["heat"]["verdict"] == "good"
        assert found["a source"]["verdict"] == "missing"
        assert (found["battery"]["verdict"], found["battery"]["found"]) == ("missing", "57 %, on no charger")
        assert found["sound goes to"]["found"] == "a wired headset"
        assert found["media volume"]["found"] == "80 %"
        phone.be("no-api")
        phone.no_longer("wake-lock")
        found = doctor(home, helper.port)
        assert found["Termux:API"]["verdict"] == found["wake-lock"]["verdict"] == "missing"
        assert "pitwall-start" in found["wake-lock"]["mend"]
        phone.no_longer("granted-DUMP")
        found = doctor(home, helper.port)
        assert (found["heat"]["verdict"], "adb-doctor" in found["heat"]["found"]) == ("note", True)
    finally:
        assert helper.end() == 0


def test_without_the_helper_it_says_how_to_start_it(home: Home) -> None:
    load_token(home)
    assert "sv up pitwall-phone" in doctor(home, free_port())["helper"]["mend"]


def test_a_source_that_answers_is_offered(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from pitwall import doctor_phone
    from pitwall.settings import load_settings

    def rows(text: str = "") -> dict[str, Any]:
        path = Path(home.root / "pitwall.toml")
        path.write_text(text)
        monkeypatch.setenv("PITWALL_PHONE_PORT", str(free_port()))
        return {row.name: row for row in doctor_phone.examine_phone(home, load_settings(path, {}).settings)}

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        kinds = tuple(
            each._replace(port=port, uri=f"nmea:tcp://127.0.0.1:{port}") if each.name == "gps" else each
            for each in doctor_phone.SOURCES
        )
        monkeypatch.setattr(doctor_phone, "SOURCES", kinds)
        offered = rows()["GPS over Bluetooth or USB"]
        assert offered.verdict == "note"
        assert f'[sources.gps] and uri = "nmea:tcp://127.0.0.1:{port}"' in offered.mend
        configured = f'[sources.gps]\nuri = "nmea:tcp://127.0.0.1:{port}"\n'
        assert rows(configured)["GPS over Bluetooth or USB"].verdict == "good"
    wait_until(lambda: not doctor_phone._answers(port))
    silent = rows(configured)["GPS over Bluetooth or USB"]
    assert (silent.verdict, "TCP server" in silent.mend) == ("missing", True)


def test_readings_that_do_not_come_are_red_though_their_port_answers() -> None:
    from pitwall.contract.status import SourceStatus
    from pitwall.doctor_phone import _readings

    alive = SourceStatus(name="gps", uri="nmea:x", state="up", readings=90, rate_hz=10.0, age_s=0.1)
    silent = SourceStatus(name="gps", uri="nmea:x", state="up", readings=90, rate_hz=0.0, age_s=44.0)
    assert (_readings(alive).verdict, _readings(alive).found) == (
        "good",
        "10.0 a second, the last one 0.1 s ago",
    )
    assert _readings(silent).verdict == "missing"
    assert "44.0 s ago" in _readings(silent).found
    assert _readings(SourceStatus(name="car", uri="can:x", state="up")).found == "none yet"
