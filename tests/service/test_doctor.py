"""pitwall doctor: finds what is wrong with a real home, a real port, real devices; says how to mend it."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path

import pytest
from running_daemon import DEMO, Daemon, write_settings
from typed import typed

import pitwall.doctor as doctor_module
from pitwall.config import Home
from pitwall.daemon.sessions.place import KnownTracks
from pitwall.doctor import Check, examine
from pitwall.settings import ApiSettings, AudioSettings, LimitSettings, Settings, SourceSettings

QUIET = AudioSettings(player="text")


def settings(**changes: object) -> Settings:
    return Settings(**{"audio": QUIET, "api": ApiSettings(port=0), **changes})  # type: ignore[arg-type]


def found(home: Home, wanted: str, **changes: object) -> Check:
    checks = [check for check in examine(home, settings(**changes)) if check.name == wanted]
    assert len(checks) == 1
    return checks[0]


def test_on_a_sound_machine_nothing_that_is_needed_is_missing(home: Home) -> None:
    checks = examine(home, settings())
    assert [check for check in checks if check.verdict == "missing"] == []
    names = {check.name for check in checks}
    assert {"packages", "extra can", "home", "token", "free space", "clock"} <= names
    assert {"speech", "sound", "tracks", "reference lap", "free port", "sources"} <= names
    assert all(check.mend for check in checks if check.verdict != "good")


def test_a_port_that_somebody_else_has_is_missing(home: Home) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        check = found(home, "free port", api=ApiSettings(port=port))
    assert check.verdict == "missing"
    assert str(port) in check.found


def test_the_port_of_the_daemon_itself_is_as_it_should_be(home: Home) -> None:
    write_settings(home, {})
    with Daemon(home) as daemon:
        port = int(daemon.address.rsplit(":", 1)[1])
        check = found(home, "free port", api=ApiSettings(port=port))
        assert (check.verdict, "the daemon runs" in check.found) == ("good", True)
        assert daemon.end() == 0


def test_a_home_that_can_not_be_written_is_missing(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    check = found(Home(blocker / "home"), "home")
    assert check.verdict == "missing"
    assert "PITWALL_HOME" in check.mend


def test_a_token_that_others_can_read_is_named(home: Home) -> None:
    token = home.root / "token"
    token.write_text("x" * 43)
    token.chmod(0o644)
    check = found(home, "token")
    assert (check.verdict, "chmod 600" in check.mend) == ("note", True)


def test_a_damaged_voice_script_is_named(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    assert found(home, "voice scripts").verdict == "good"
    (home.audio_cache / "turn_7.json").write_text('{"brake": "Brake at the')
    check = found(home, "voice scripts")
    assert (check.verdict, "turn_7.json: is not JSON" in check.found) == ("note", True)
    KnownTracks(home)
    assert "turn_7.json: is not JSON" in caplog.text


def test_little_space_is_named(home: Home) -> None:
    assert found(home, "free space", limits=LimitSettings(free_floor_mb=1e12)).verdict == "note"


@pytest.mark.parametrize(
    ("uri", "verdict", "what"),
    [
        (f"replay:{DEMO}", "good", "replay:"),
        ("nmea:tcp://127.0.0.1:1", "note", "127.0.0.1:1 does not answer"),
        ("sensorserver:ws://127.0.0.1:1", "note", "127.0.0.1:1 does not answer"),
        ("can:slcan://socket/127.0.0.1:1?obd=true", "note", "127.0.0.1:1 does not answer"),
        ("nmea:serial:///dev/ttyNoSuch", "note", "is not there"),
        ("can:socketcan/nosuch0?obd=true", "note", "there is no network interface nosuch0"),
        ("nmea:tcp://127.0.0.1", "missing", "needs a host and a port"),
        ("ftp://x", "missing", "no source is called"),
        ("sensorserver:ws://127.0.0.1:1?mount=flatt", "missing", "use auto, portrait, landscape-left"),
    ],
)
def test_sources_are_tried(home: Home, uri: str, verdict: str, what: str) -> None:
    check = found(home, "source one", sources={"one": SourceSettings(uri=uri)})
    assert check.verdict == verdict
    assert what in check.found


def test_an_interface_that_is_missing_or_down_is_told_with_its_command(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SourceSettings(uri="can:socketcan/can0", options={"obd": True})
    command = "sudo ip link set can0 up type can bitrate 500000"
    assert command in found(home, "source car", sources={"car": source}).mend
    monkeypatch.setattr(doctor_module, "INTERFACES", tmp_path)
    (tmp_path / "can0").mkdir()
    (tmp_path / "can0" / "flags").write_text("0x40080\n")
    assert command in found(home, "source car", sources={"car": source}).mend
    (tmp_path / "can0" / "flags").write_text("0x40081\n")
    assert found(home, "source car", sources={"car": source}).verdict == "good"


def test_without_a_source_the_lines_for_one_are_told(home: Home) -> None:
    check = found(home, "sources")
    assert check.verdict == "note"
    assert f"{home.root / 'pitwall.toml'}: [sources.gps]" in check.mend
    assert "sources" not in {
        check.name for check in examine(home, settings(sources={"one": SourceSettings(uri=f"replay:{DEMO}")}))
    }


def test_a_look_that_hangs_is_given_up(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def hangs(home: Home, settings: Settings) -> str:
        release.wait(60.0)
        return ""

    monkeypatch.setattr(doctor_module, "_clock", hangs)
    monkeypatch.setattr(doctor_module, "LOOK_WITHIN_S", 0.2)
    check = found(home, "clock")
    release.set()
    assert (check.verdict, "no answer" in check.found) == ("note", True)


def test_the_command_prints_a_line_each_and_its_code_says_whether_all_is_there(home: Home) -> None:
    write_settings(home, {})
    done = typed(home, "doctor")
    assert done.returncode == 0, done.stdout
    assert "ok      home" in done.stdout
    (home.root / "pitwall.toml").write_text("[api]\nprot = 1\n")
    done = typed(home, "doctor", "--json")
    assert done.returncode == 1
    checks = json.loads(done.stdout)
    assert checks[0]["verdict"] == "missing"
    assert "pitwall.toml:2" in checks[0]["found"]
