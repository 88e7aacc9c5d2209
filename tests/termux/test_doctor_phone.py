"""`pitwall doctor --phone` beside a real helper: what is red says the tap or the command that mends it."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import msgspec
import pytest
from phone_folder import HelperProcess, PhoneFolder, free_port
from typed import typed
from until import wait_until

from pitwall import doctor, doctor_phone
from pitwall.api.token import load_token
from pitwall.config import Home
from pitwall.contract.status import SourceStatus
from pitwall.settings import Settings, load_settings


def seen(home: Home, port: int, *options: str) -> dict[str, Any]:
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
        found = seen(home, helper.port)
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
        assert found["phone call"]["verdict"] == found["do not disturb"]["verdict"] == "good"
        assert not [name for name in found if name.startswith("SensorServer")]
        (phone.state / "settings").mkdir(exist_ok=True)
        phone.be("settings/zen_mode", "2\n")
        phone.be("apps", "github.umer0586.sensorserver\n")
        found = seen(home, helper.port)
        assert found["do not disturb"]["verdict"] == found["SensorServer battery"]["verdict"] == "missing"
        assert "Allow all the time" in found["SensorServer location, screen off"]["mend"]
        phone.be("no-api")
        phone.no_longer("wake-lock")
        found = seen(home, helper.port)
        assert found["Termux:API"]["verdict"] == found["wake-lock"]["verdict"] == "missing"
        assert "pitwall-start" in found["wake-lock"]["mend"]
        phone.no_longer("granted-DUMP")
        found = seen(home, helper.port)
        assert (found["heat"]["verdict"], "adb-doctor" in found["heat"]["found"]) == ("note", True)
    finally:
        assert helper.end() == 0


def test_without_the_helper_it_says_how_to_start_it(home: Home) -> None:
    load_token(home)
    assert "sv up pitwall-phone" in seen(home, free_port())["helper"]["mend"]


def test_a_source_that_answers_is_offered(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_readings_that_do_not_come_or_have_gaps_are_red_though_their_port_answers() -> None:
    def read(readings: int, age_s: float | None, silent_s: float) -> tuple[str, str]:
        begun = SourceStatus(name="gps", uri="nmea:x", state="up", readings=90)
        now = msgspec.structs.replace(begun, readings=90 + readings, age_s=age_s)
        row = doctor_phone._readings(begun, now, silent_s, 10.0)
        return row.verdict, row.found

    assert read(100, 0.1, 0.2) == ("good", "10.0 a second, the last one 0.1 s ago, at most 0.2 s apart")
    assert read(40, 0.1, 10.4)[0] == "missing"
    assert read(0, 44.0, 44.0) == ("missing", "0.0 a second, the last one 44.0 s ago, at most 44.0 s apart")
    assert read(0, None, 0.0) == ("missing", "none yet")


def test_battery_speed_and_storage_are_judged_by_what_is_configured(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home.root / "pitwall.toml"
    path.write_text('[sources.car]\nuri = "can:slcan://socket/127.0.0.1:3333"\n')
    with_car, without = load_settings(path, {}).settings, Settings()

    def battery(plugged: str, status: str = "") -> list[tuple[str, str]]:
        known = doctor_phone._Battery(80.0, plugged, status)
        return [(row.name, row.verdict) for row in doctor_phone._battery(known, with_car)]

    assert battery("PLUGGED_AC", "CHARGING") == [("battery", "good")]
    assert battery("PLUGGED_USB", "DISCHARGING") == [("battery", "missing")]
    assert battery("UNPLUGGED", "DISCHARGING") == [("battery", "good"), ("USB power", "note")]

    monkeypatch.setattr(doctor_phone, "ALL_OF_A_CORE", 1e9)  # of a busy machine
    monkeypatch.setattr(doctor_phone, "MUCH_OF_A_CORE", 0.0)
    with pytest.raises(doctor.Trouble, match=r"full bus takes about .* of a core .*: tight"):
        doctor_phone._speed(home, with_car)
    hours = [int(doctor._space(home, each).split("room for ")[1].split()[0]) for each in (with_car, without)]
    path.write_text('[sources.gps]\nuri = "nmea:tcp://127.0.0.1:5000"\n')
    longer = doctor._space(home, load_settings(path, {}).settings)
    assert longer.endswith("hours with gps")
    assert int(longer.split("room for ")[1].split()[0]) > 20 * max(hours)
