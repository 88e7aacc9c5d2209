"""The services under real runit: start, end, crash, boot, logs, and what a killed process leaves behind."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
from collections.abc import Iterator
from functools import partial

import pytest
from phone_folder import ROOT, PhoneFolder
from pushed_drive import PushedDrive
from services import Services
from test_helper import left_over
from until import wait_until

from pitwall.config import Home
from pitwall.telemetry.recordings.detect import open_recording
from pitwall.words.language import ENGLISH


@pytest.fixture
def services(phone: PhoneFolder) -> Iterator[Services]:
    made = Services(phone)
    yield made
    made.end()
    wait_until(lambda: not left_over(phone))


def heard(phone: PhoneFolder, text: str) -> int:
    """How often the helper has spoken this text, as a line or by its clip."""
    clip = clips(phone).get(text, "no such clip")
    return phone.lines("spoken").count(text) + sum(clip in line for line in phone.lines("played"))


def clips(phone: PhoneFolder) -> dict[str, str]:
    """The rendered texts with the names of their files."""
    spoken = phone.home / "clips" / "spoken.json"
    return dict(json.loads(spoken.read_text())) if spoken.exists() else {}


def gone(pid: int) -> bool:
    return not os.path.exists(f"/proc/{pid}")


def test_they_start_at_boot_and_sv_down_is_sigterm_to_python(services: Services) -> None:
    services.enable()
    services.boot()
    wait_until(lambda: services.ready(1))
    assert services.pid("pitwall") not in (0, services.daemon_pid()), "proot stands in between"
    assert "termux-wake-lock " in services.phone.lines("calls")
    daemon = services.daemon_pid()
    assert services.sv("-w", "30", "down", "pitwall").returncode == 0
    wait_until(lambda: gone(daemon))
    # By itself: killed, it would be -1. Cut off under load its end is 75, or the code of a child
    # that ends after it: proot gives the last one.
    log = services.log("pitwall")
    cut_off = "cut off; the next start mends" in log
    assert re.search(rf"ended with exit code {'[0-9]+' if cut_off else '0'}, signal 0", log), log
    # The lock's file is there after a good end, the database's log is not: it was closed.
    assert cut_off or not (services.phone.home / "pitwall.duckdb.wal").exists()
    assert services.sv("-w", "30", "down", "pitwall-phone").returncode == 0
    assert "helper 1 listens" in services.log("pitwall-phone")


def test_a_service_that_is_down_stays_down_at_boot(services: Services) -> None:
    services.boot()
    assert services.sv("status", "pitwall").stdout.startswith("down: pitwall:")
    assert services.sv("up", "pitwall").returncode == 0
    wait_until(lambda: services.ready(1))


def test_what_does_not_mend_itself_is_not_started_every_second(phone: PhoneFolder) -> None:
    """Wrong settings (2), and a `run` that runit can't execute (111)."""
    sleep = phone.prefix / "bin" / "sleep"
    sleep.write_text('#!/bin/sh\necho "$1"\n')
    sleep.chmod(0o755)
    for code, rested in (("0", []), ("2", ["10"]), ("111", ["10"]), ("-1", []), ("1", [])):
        words = ["sh", str(ROOT / "termux" / "service" / "pitwall" / "finish"), code, "0"]
        done = subprocess.run(
            words, env=phone.environment(), cwd=phone.state, stdout=subprocess.PIPE, text=True
        )
        assert done.stdout.splitlines()[1:] == rested


def test_an_end_before_the_daemon_is_up_is_an_end(services: Services) -> None:
    """proot takes no notice of SIGTERM, and there is no daemon yet that could be told."""
    (services.phone.prefix / "opt/pitwall/releases/1/venv/bin/pitwall").write_text(
        "#!/bin/sh\nexec sleep 3600\n"
    )
    services.enable()
    services.boot()
    wait_until(lambda: services.pid("pitwall") != 0)
    assert services.sv("-w", "30", "down", "pitwall").returncode == 0


def test_what_a_killed_helper_leaves_behind_is_ended(services: Services) -> None:
    services.enable()
    services.phone.be("play-long")
    services.boot()
    wait_until(lambda: "helper 1 listens" in services.log("pitwall-phone"))
    environment = {**services.environment, "PITWALL_SERVICE": str(services.folder / "pitwall-phone")}
    orphan = subprocess.Popen(["sleep", "3600"], env=environment, start_new_session=True)
    os.kill(services.pid("pitwall-phone"), signal.SIGKILL)
    assert orphan.wait(60) == -signal.SIGTERM
    wait_until(lambda: services.log("pitwall-phone").count("helper 1 listens") == 2)


def test_the_log_is_rotated(services: Services) -> None:
    log = services.phone.prefix / "var/log/sv/pitwall"
    log.mkdir(parents=True)
    (log / "config").write_text("s10000\nn2\n")
    (services.phone.prefix / "opt/pitwall/releases/1/venv/bin/pitwall").write_text(
        "#!/bin/sh\nfor i in $(seq 2000); do echo line $i of many; done; exec sleep 3600\n"
    )
    services.enable()
    services.boot()
    wait_until(lambda: "line 2000 of many" in services.log("pitwall"))
    assert 1 <= len(list(log.glob("@*"))) <= 2
    assert all(path.stat().st_size <= 11_000 for path in log.iterdir())


@pytest.mark.long
def test_a_drive_survives_kills_of_daemon_proot_and_helper(services: Services) -> None:
    """After each kill the next callout is heard. A few kills; for more:
    PITWALL_KILLS=100 scripts/test --long tests/termux/test_services.py -k survives"""
    kills = int(os.environ.get("PITWALL_KILLS", "3"))
    dice, phone = random.Random(kills), services.phone
    daemon, proot = services.daemon_pid, partial(services.pid, "pitwall")
    helper = partial(services.pid, "pitwall-phone")
    turns = [(daemon,), (proot,), (helper,), (helper, daemon)]
    low, back = ENGLISH.fixed["phone_low"], ENGLISH.fixed["phone_back"]
    services.enable()
    services.boot()
    # install.sh renders them before the first start.
    wait_until(lambda: {low, back} <= clips(phone).keys())
    with PushedDrive(Home(phone.home), services.port) as drive:
        for kill in range(kills):
            drive.wait_for(2 + dice.randrange(10))
            text, battery_pct = ((low, 9), (back, 57))[kill % 2]
            before = heard(phone, text)
            for victim in turns[kill % 4]:
                pid = victim()
                os.kill(pid, signal.SIGKILL)
                wait_until(partial(gone, pid))
            phone.be("battery", f'{{"percentage": {battery_pct}, "plugged": "UNPLUGGED"}}')
            dead = [one for turn in range(kill + 1) for one in turns[turn % 4]]
            wait_until(partial(services.started, len(dead) - dead.count(helper) + 1, dead.count(helper) + 1))
            # (A loss of the GPS would not do: a kill may have brought one just now.)
            wait_until(lambda text=text, before=before: heard(phone, text) > before)  # type: ignore[misc]
        drive.wait_for(20)
    assert services.sv("-w", "60", "down", "pitwall").returncode == 0
    recorded: list[float] = []
    for journal in sorted((phone.home / "journals").glob("*.pwj")):
        recording = open_recording(journal)
        at = {
            (i, place)
            for i, stream in enumerate(recording.info.streams)
            for place, channel in enumerate(stream.channels)
            if channel.name == "number"
        }
        for sample in recording.samples():
            recorded += [sample.values[place] for i, place in at if i == sample.stream]
    assert drive.acked <= set(recorded), "what was acknowledged is on the disk"
    assert len(recorded) == len(set(recorded)), "and nothing twice"
