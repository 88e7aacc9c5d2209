"""The scripts over adb with Debian's real client, and a device of the tests with a real daemon behind it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import null_sink
import pytest
from adb_device import AdbDevice
from phone_folder import HELPER, ROOT, HelperProcess, PhoneFolder, free_port
from running_daemon import Daemon
from test_install import Installed

from pitwall.api.token import load_token
from pitwall.config import Home

# A piece of the demo with a callout before a corner and the line crossed soon after.
BEGIN_S, SECONDS = "105", "29"


class Laptop:
    """A computer with adb, a key of its own, and the phone connected."""

    def __init__(self, folder: Path, phone: PhoneFolder, **more: str) -> None:
        null_sink.need("adb")
        self.folder = folder
        folder.mkdir()
        self.device = AdbDevice(phone.environment(PHONE_USER="shell", **more))
        self.serial = f"127.0.0.1:{self.device.port}"
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "ANDROID_ADB_SERVER_PORT": str(free_port()),
            "PYTHONPATH": str(ROOT),
        }
        self.ports: list[str] = []
        self.adb("connect", self.serial)
        # The keys are exchanged after that has come back.
        self.adb("-s", self.serial, "wait-for-device")

    def adb(self, *arguments: str) -> str:
        """What it printed."""
        return subprocess.run(
            ["adb", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        ).stdout

    def run(self, name: str, *options: str) -> tuple[int, str]:
        """The exit code of a script, and all that it printed."""
        script = str(ROOT / "scripts" / "adb_phone.py")
        done = subprocess.run(
            [sys.executable, script, name, "-s", self.serial, *self.ports, *options],
            env=self.environment, capture_output=True, text=True, timeout=900, check=False, cwd=self.folder,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def knows(self, home: Home) -> None:
        """As if it had installed this phone: it has the token."""
        notes = self.folder / "config/pitwall/phones" / re.sub("[^A-Za-z0-9.-]", "_", self.serial)
        notes.parent.mkdir(parents=True, exist_ok=True)
        Path(f"{notes}.json").write_text(json.dumps({"token": load_token(home)}))

    def close(self) -> None:
        self.adb("kill-server")
        self.device.close()


@pytest.fixture
def laptop(tmp_path: Path, phone: PhoneFolder) -> Iterator[Laptop]:
    made = Laptop(tmp_path / "laptop", phone)
    yield made
    made.close()


@pytest.fixture
def daemon(spoken_home: Home, laptop: Laptop) -> Iterator[Daemon]:
    """A real daemon behind the phone's port, and a laptop that has its token."""
    home, port = spoken_home, free_port()
    (home.root / "pitwall.toml").write_text(f'[audio]\nplayer = "text"\n[api]\nport = {port}\n')
    laptop.knows(home)
    laptop.ports = ["--port", str(port)]
    with Daemon(home) as running:
        yield running


def rows(told: str) -> dict[str, tuple[str, str]]:
    """The table of adb-smoke: what, whether it is good, what was found."""
    return {line[6:20].strip(): (line[:6].strip(), line[20:]) for line in told.splitlines()}


@pytest.mark.long
def test_smoke_is_green_with_a_real_daemon(laptop: Laptop, daemon: Daemon) -> None:
    # How fast a loaded machine is, is not asked here.
    code, told = laptop.run("smoke", "--begin", BEGIN_S, "--seconds", SECONDS, "--slow", "20")
    assert code == 0, told
    found = rows(told)
    assert {verdict for verdict, _ in found.values()} == {"good"}
    assert found["laps advance"][1].startswith("lap 0 out")


@pytest.mark.long
def test_smoke_says_which_part_is_wrong(laptop: Laptop, home: Home, phone: PhoneFolder) -> None:
    """Dead, a stranger, deaf and slow."""
    port = free_port()
    (home.root / "pitwall.toml").write_text(f"[api]\nport = {port}\n")
    laptop.ports = ["--port", str(port)]
    code, told = laptop.run("smoke")
    assert (code, "the daemon does not answer" in told, "sv up pitwall" in told) == (2, True, True), told
    os.environ["PULSE_SERVER"] = "tcp:127.0.0.1:1"
    try:
        daemon = Daemon(home)
    finally:
        del os.environ["PULSE_SERVER"]
    with daemon:
        code, told = laptop.run("smoke")
        assert (code, "does not know this computer's token" in told) == (2, True), told
        laptop.knows(home)
        daemon.wait_until(lambda status: status["voice"]["heard"] is False)
        laptop.device.slow_s = 0.55
        old = phone.prefix / "opt/pitwall/releases/0.0.9-1/termux/phone.py"
        old.parent.mkdir(parents=True)
        shutil.copy(HELPER, old)
        helper = HelperProcess(phone, f"127.0.0.1:{port}", file=old)
        laptop.ports += ["--helper-port", str(helper.port)]
        code, told = laptop.run("smoke", "--seconds", "0.5")
        helper.end()
        found = rows(told)
        assert code == 1, told
        assert found["version"][0] == "RED"
        assert found["version"][1].startswith("0.0.9-1, here 0.1.0-")
        assert found["heard"] == ("RED", "nobody hears them: no sound device")
        assert (found["telemetry"][0], "too slow" in found["telemetry"][1]) == ("RED", True)
        assert found["laps advance"] == ("RED", "no lap was begun")


def test_a_phone_that_does_not_trust_this_computer(laptop: Laptop) -> None:
    assert laptop.device.keys, "its owner allowed this computer's key"
    laptop.adb("disconnect", laptop.serial)
    laptop.device.allows = False
    laptop.adb("connect", laptop.serial)
    assert laptop.run("tune")[0] in (0, 1), "a known key needs no leave"
    laptop.adb("disconnect", laptop.serial)
    laptop.device.keys.clear()
    laptop.adb("connect", laptop.serial)
    code, told = laptop.run("doctor")
    assert (code, "unlock it, allow it" in told) == (2, True), told
    laptop.adb("disconnect", laptop.serial)
    code, told = laptop.run("doctor")
    assert (code, "there is no such phone" in told) == (2, True), told


@pytest.mark.long
def test_tune_sets_what_the_doctor_wants_and_undo_puts_it_back(laptop: Laptop, phone: PhoneFolder) -> None:
    phone.be("settings/cached_apps_freezer", "enabled\n")
    phone.be("whitelist", "system,com.android.shell,2000\n")
    phone.be("apps", "github.umer0586.sensorserver\n")
    before = {path: path.read_text() for path in (phone.state / "settings").iterdir()}
    df = phone.prefix / "bin" / "df"
    df.write_text("#!/bin/sh\necho Filesystem\necho /dev/block/dm-9 112000000 99000000 900000 99% /data\n")
    df.chmod(0o755)
    red = laptop.run("doctor")
    assert red[0] == 1
    assert "missing phantom processes" in red[1]
    assert "missing free space          878 MB, 2,000 MB wanted" in red[1]
    told = laptop.run("tune")[1]
    for name in (
        "battery exemption", "phantom processes", "frozen apps", "standby bucket", "heat",
        "SensorServer battery", "SensorServer location", "SensorServer location, screen off",
    ):  # fmt: skip
        assert f"good    {name}" in told, told
    assert laptop.run("tune")[1].count("good    ") == told.count("good    "), "a second run changes nothing"
    code, told = laptop.run("tune", "--undo")
    assert code == 0, told
    assert {path: path.read_text() for path in (phone.state / "settings").iterdir()} == before
    kept = (phone.state / "whitelist").read_text()
    assert "com.termux" not in kept
    assert "sensorserver" not in kept
    assert phone.lines("bucket-com.termux") == ["20"]
    assert laptop.run("tune", "--undo")[0] == 2


@pytest.mark.long
def test_logs_and_pull_go_through_the_helper(laptop: Laptop, home: Home, phone: PhoneFolder) -> None:
    laptop.knows(home)
    log = phone.prefix / "var/log/sv/pitwall/current"
    log.parent.mkdir(parents=True)
    log.write_text("the daemon's last words\n")
    journal = home.journals / "one.pwj"
    journal.write_bytes(os.urandom(200_000))
    helper = HelperProcess(phone, "127.0.0.1:1")
    laptop.ports = ["--helper-port", str(helper.port)]
    try:
        code, told = laptop.run("logs")
        assert (code, "the daemon's last words" in told, "no log yet" in told) == (0, True, True)
        pulled = laptop.folder / "pitwall-phone" / "journals" / "one.pwj"
        pulled.parent.mkdir(parents=True)
        pulled.write_bytes(journal.read_bytes()[:150_000])
        code, told = laptop.run("pull")
        assert (code, "200000 bytes, 50000 fetched" in told) == (0, True), told
        assert pulled.read_bytes() == journal.read_bytes()
        pulled.write_bytes(bytes(150_000))
        code, told = laptop.run("pull")
        assert (code, "DAMAGED journals/one.pwj" in told) == (1, True)
        assert laptop.run("pull")[0] == 0
        assert pulled.read_bytes() == journal.read_bytes()
    finally:
        assert helper.end() == 0


def test_install_goes_by_cable_and_keyboard(tmp_path: Path, phone: PhoneFolder) -> None:
    """Sent, typed into Termux's window, installed there by install.sh, and the token in its place."""
    installed = Installed(phone, tmp_path)
    (tmp_path / "sdcard").mkdir()
    made = Laptop(
        tmp_path / "laptop", phone, HOME=str(installed.home), PYTHON=sys.executable,
        STAND_IN=str(Path(__file__).with_name("stand_in.sh")),
    )  # fmt: skip
    try:
        options = ("--folder", str(tmp_path / "sdcard/pitwall"), "--look-every", "0.2", "--minutes", "2")
        code, told = made.run("install", *options)
        assert code == 0, told
        assert "Pitwall is listening" in told
        assert phone.lines("typed-lines") == [
            f"sh {tmp_path}/sdcard/pitwall/begin.sh {tmp_path}/sdcard/pitwall"
        ]
        (notes,) = (made.folder / "config/pitwall/phones").iterdir()
        assert (phone.home / "token").read_text() == json.loads(notes.read_text())["token"]
        assert not list((tmp_path / "sdcard/pitwall").glob("*token*"))
        phone.be("fail-python")
        code, told = made.run("bench", *options)
        assert (code, "the bench failed there: python: no network" in told) == (2, True), told
        phone.be("no-boot")
        code, told = made.run("install", *options)
        assert (code, "com.termux.boot is not on the phone" in told) == (2, True)
    finally:
        made.close()
