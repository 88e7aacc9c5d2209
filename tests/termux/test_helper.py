"""The helper beside a real daemon, with commands that answer, hang and deadlock as the phone's do."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import null_sink
import pytest
from phone_folder import HELPER, HelperProcess, PhoneFolder
from service_inside import Moving, running, settings
from until import until

from pitwall.coach.cue import Callout
from pitwall.config import Home
from pitwall.daemon.app import Daemon
from pitwall.drive.controls import HushUntil, MarkLap, control_of
from pitwall.settings import load_settings
from pitwall.telemetry.recordings.journal import ControlRecord, JournalRecording
from pitwall.voice.delay import Calibration, delay_in_force, keep_calibration, on_route

# A message of no track: its clip is ready at each start.
TEXT = "GPS lost."


@asynccontextmanager
async def helped(
    phone: PhoneFolder, service: Daemon, patience_s: float = 5.0
) -> AsyncIterator[HelperProcess]:
    """A helper beside this daemon; it ends in order, at SIGTERM."""
    helper = await asyncio.to_thread(HelperProcess, phone, f"127.0.0.1:{service.port}", patience_s=patience_s)
    try:
        yield helper
    except BaseException:
        print(*helper.log, sep="\n")
        raise
    finally:
        assert await asyncio.to_thread(helper.end) == 0


def token(home: Home) -> str:
    return (home.root / "token").read_text().strip()


async def test_battery_heat_and_network_reach_the_daemon(home: Home, phone: PhoneFolder) -> None:
    phone.be("granted-DUMP")
    phone.be("thermal", "IsStatusOverride: false\nThermal Status: 3\n")
    async with running(home, settings(home, "")) as service, helped(phone, service) as helper:
        await until(lambda: service.phone_reports.report is not None)
        report = service.phone_reports.report
        assert report is not None
        assert (report.battery_pct, report.battery_c, report.charging) == (57.0, 31.5, False)
        assert (report.heat, report.helper_version) == ("severe", "1")
        assert report.network in ("none", "mobile")
        assert report.metered is (True if report.network == "mobile" else None)
        await until(lambda: "phone" in [each.name for each in service.status().degradations])
        await until(lambda: any(each.startswith("termux-notification ") for each in phone.lines("calls")))
        assert (report.route, report.volume_pct) == ("wired", 80.0)
        assert "termux-wake-lock " in phone.lines("calls")
        assert (await asyncio.to_thread(helper.ask, "/health"))[0] == 200
    assert phone.lines("calls")[-1] == "termux-wake-unlock "


async def test_without_the_right_to_read_the_heat_the_batterys_stands_for_it(
    home: Home, phone: PhoneFolder
) -> None:
    phone.be("battery", '{"percentage": 12, "plugged": "PLUGGED_AC", "temperature": 47.2}')
    async with running(home, settings(home, "")) as service, helped(phone, service):
        await until(lambda: service.phone_reports.report is not None)
        report = service.phone_reports.report
        assert report is not None
        assert (report.heat, report.charging) == ("severe", True)


async def test_commands_that_hang_cost_nothing_and_are_told_once(home: Home, phone: PhoneFolder) -> None:
    phone.be("no-api")
    async with running(home, settings(home, "")) as service, helped(phone, service, 0.2) as helper:
        await until(lambda: service.phone_reports.report is not None)
        report = service.phone_reports.report
        assert report is not None
        assert (report.battery_pct, report.heat, report.helper_version) == (None, None, "1")
        service.keeper._open("a drive to be marked")
        code, marked = await asyncio.to_thread(helper.ask, "/tell/mark", token(home), {})
        assert (code, marked) == (200, {"told": "mark: lap 0"})
    told = [line for line in helper.log if "Termux:API gives no answer" in line]
    assert len(told) == 1, helper.log
    asked = [line.split()[0] for line in phone.lines("calls") if line.startswith("termux-")]
    left = [name for name in asked if not name.startswith("termux-wake")]
    assert len(left) == 1, "one hung, and the others were not even tried"
    assert not left_over(phone)


async def test_buttons_mute_mark_and_need_the_token(
    home: Home, phone: PhoneFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    car = Moving()
    monkeypatch.setattr("pitwall.daemon.intake.sources.open_source", lambda *_: car)
    with_car = settings(home, '[sources.one]\nuri = "test:one"')
    async with running(home, with_car) as service, helped(phone, service) as helper:
        await until(lambda: service.keeper.session is not None)
        for shown, code in (("", 401), ("wrong" * 9, 401), (token(home), 200)):
            assert (await asyncio.to_thread(helper.ask, "/tell/mute", shown, {}))[0] == code
        assert (await asyncio.to_thread(helper.ask, "/tell/unmute", token(home), {}))[0] == 200
        assert service.status().coach.mode == "coach"
        assert (await asyncio.to_thread(helper.ask, "/tell/nonsense", token(home), {}))[0] == 404
        session = service.keeper.current.id
        for mark in ("mark", "traffic"):
            told = await asyncio.to_thread(helper.ask, f"/tell/{mark}", token(home), {})
            assert told == (200, {"told": f"{mark}: lap 0"})
        await until(lambda: "termux-vibrate -d 150" in phone.lines("calls"))
    records = JournalRecording(home.journals / f"{session}.pwj").records()
    told = [
        control_of(each)
        for _, each in records
        if isinstance(each, ControlRecord) and each.kind in ("hush", "mark")
    ]
    assert told == [HushUntil("session"), HushUntil("over"), MarkLap("mark"), MarkLap("traffic")]


async def test_a_muted_phone_is_a_loss_and_its_headset_has_a_delay_of_its_own(
    home: Home, phone: PhoneFolder
) -> None:
    phone.be(
        "audio-info",
        '{"BLUETOOTH_A2DP_IS_ON": true, "STREAM_MUSIC_VOLUME": 0, "STREAM_MUSIC_MAXVOLUME": 15}',
    )
    phone.be("granted-DUMP")
    phone.be("call", "  mCallState=0\n  mCallState=2\n")
    measured = Calibration(0.31, 0.01, 0.01, 9, 0.0)
    keep_calibration(home, "phone_sink (bluetooth)", measured)
    keep_calibration(home, "phone_sink (wired)", msgspec.structs.replace(measured, delay_s=0.05))
    async with running(home, settings(home, "")) as service, helped(phone, service):
        await until(lambda: service.phone_reports.route() == "bluetooth")
        await until(lambda: service.losses.why("volume") == "the phone's media volume is 0")
        await until(lambda: service.losses.why("call") == "a phone call is on")
    device = on_route("phone_sink", "bluetooth")
    assert delay_in_force(home, device).seconds == 0.31
    assert delay_in_force(home, on_route("phone_sink", "speaker")).source == "nominal"


async def test_a_body_is_bounded_and_read_after_the_token(home: Home, phone: PhoneFolder) -> None:
    async with running(home, settings(home, "")) as service, helped(phone, service) as helper:
        good = f"Authorization: Bearer {token(home)}\r\n"

        async def answered(lines: str) -> bytes:
            """The first line of the answer, where the body itself never comes; the connection is closed."""
            reader, writer = await asyncio.open_connection("127.0.0.1", helper.port)
            writer.write(f"POST /tell/mute HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode())
            whole = await reader.read()
            writer.close()
            return whole.splitlines()[0].split()[1]

        assert await answered("Content-Length: 400000000\r\n") == b"401"
        assert await answered("Content-Length: -1\r\n") == b"401"
        assert await answered(good + "Content-Length: -1\r\n") == b"411"
        assert await answered(good + "Content-Length: 1e3\r\n") == b"411"
        assert await answered(good + "Transfer-Encoding: chunked\r\n") == b"411"
        assert await answered(good + "Content-Length: 4097\r\n") == b"413"
        assert service.status().coach.mode == "coach"


def test_a_wifi_that_wants_a_log_in_is_told_where_we_may_see_it(phone: PhoneFolder) -> None:
    program = "import phone; print(phone.network(phone.Commands(), '192.168.4.7'))"
    phone.be("wifi", '{"ip": "192.168.4.7"}')
    line = "NetworkAgentInfo{network{101} lp{LinkAddresses: [ %s/24 ]} nc{[ Capabilities: %s ]}}"
    of_another = line % ("10.0.0.2", "INTERNET&CAPTIVE_PORTAL")

    def told() -> str:
        environment = phone.environment(PYTHONPATH=str(HELPER.parent))
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert told() == "{'network': 'wifi', 'captive': None}", "without the right to see"
    phone.be("granted-DUMP")
    phone.be("connectivity", f"{line % ('192.168.4.7', 'INTERNET&CAPTIVE_PORTAL')}\n")
    assert told() == "{'network': 'wifi', 'captive': True}"
    phone.be("connectivity", f"{of_another}\n{line % ('192.168.4.7', 'INTERNET&VALIDATED')}\n")
    assert told() == "{'network': 'wifi', 'captive': False}"


async def test_a_mark_without_a_drive_says_why_not(home: Home, phone: PhoneFolder) -> None:
    async with running(home, settings(home, "")) as service, helped(phone, service) as helper:
        status, told = await asyncio.to_thread(helper.ask, "/tell/yellow", token(home), {})
        assert (status, told) == (409, {"told": "not marked: no drive is recorded now"})
        assert not any(line.startswith("termux-vibrate") for line in phone.lines("calls"))


async def test_sound_goes_from_pulseaudio_to_wav_to_lines_and_no_callout_is_lost(
    home: Home, phone: PhoneFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    null_sink.need("pulseaudio", "pacat", "parec", "espeak-ng")
    (home.root / "pitwall.toml").write_text("[api]\nport = 0\n")
    async with running(home, load_settings(home.root / "pitwall.toml", {})) as service:
        async with helped(phone, service) as helper:
            heard_at = {
                "PULSE_SERVER": f"tcp:127.0.0.1:{helper.pulse_port}",
                "PULSE_COOKIE": str(home.root / "pulse-cookie"),
            }
            for name, value in heard_at.items():
                monkeypatch.setenv(name, value)
            monkeypatch.setattr("pitwall.daemon.sound.voice.LOOK_FOR_SOUND_S", 0.0)
            await until(lambda: service.vocabulary.clip(TEXT) is not None)
            await until(lambda: service.voice.heard is True)
            await until(lambda: service.live.status().clients == 1)
            recorder = await asyncio.to_thread(null_sink.Recorder, {**os.environ})
            try:
                say(service)
                await until(lambda: any(recorder.pcm))
            finally:
                await asyncio.to_thread(recorder.close)
            assert not phone.lines("played"), "the daemon was heard, nobody else spoke"

            phone.be("no-pulse")
            os.kill(pulse_of(helper), signal.SIGKILL)
            say(service)
            # The one that the death cut off may be spoken again before it.
            await until(lambda: len(phone.lines("played")) >= 1)
            assert is_wav(phone.lines("played")[0])

            phone.be("play-broken")
            say(service)
            say(service)
            await until(lambda: phone.lines("spoken")[:2] == [TEXT, TEXT])
            speakers = [line for line in phone.lines("calls") if line.startswith("termux-tts-speak")]
            assert len(speakers) == 1, "one process speaks all lines"
        assert not left_over(phone)


def is_wav(path: str) -> bool:
    return Path(path).read_bytes()[:4] == b"RIFF"


def say(service: Daemon) -> None:
    """As the path would: spoken and shown."""
    service.listeners.callout(Callout(1, 0.0, TEXT, 1.0, True))


def pulse_of(helper: HelperProcess) -> int:
    """The PulseAudio that the helper runs."""
    children = Path(f"/proc/{helper.process.pid}/task").glob("*/children")
    for child in " ".join(path.read_text() for path in children).split():
        if Path(f"/proc/{child}/comm").read_text().strip() == "pulseaudio":
            return int(child)
    raise AssertionError("no pulseaudio")


def left_over(phone: PhoneFolder) -> list[str]:
    """Programs of this phone that still run."""
    mark, found = f"PHONE={phone.state}".encode(), []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


async def test_pulseaudio_asks_for_the_cookie(home: Home, phone: PhoneFolder) -> None:
    null_sink.need("pulseaudio", "pactl")
    async with running(home, settings(home, "")) as service, helped(phone, service) as helper:

        def pactl(cookie: Path) -> bool:
            environment = {
                **os.environ,
                "PULSE_SERVER": f"tcp:127.0.0.1:{helper.pulse_port}",
                "PULSE_COOKIE": str(cookie),
            }
            done = subprocess.run(["pactl", "info"], env=environment, capture_output=True, timeout=300)
            return done.returncode == 0

        await until(lambda: (home.root / "pulse-cookie").exists() and pactl(home.root / "pulse-cookie"))
        other = home.root / "other-cookie"
        other.write_bytes(bytes(256))
        assert not pactl(other)
        assert (home.root / "pulse-cookie").stat().st_mode & 0o077 == 0


async def test_a_warning_cuts_off_what_play_audio_plays(home: Home, phone: PhoneFolder) -> None:
    null_sink.need("espeak-ng")
    phone.be("no-pulse")
    phone.be("play-long")
    (home.root / "pitwall.toml").write_text("[api]\nport = 0\n")
    async with running(home, load_settings(home.root / "pitwall.toml", {})) as service:
        await until(lambda: service.vocabulary.clip(TEXT) is not None)
        async with helped(phone, service):
            await until(lambda: service.live.status().clients == 1)
            say(service)
            await until(lambda: len(phone.lines("played")) == 1)
            say(service)
            await until(lambda: len(phone.lines("played")) == 2)
