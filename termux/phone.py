"""The phone's helper: runs in native Termux beside the daemon, with nothing but the standard library.

    phone.py serve      until SIGTERM: tells the daemon of battery, heat and network, keeps PulseAudio running
                        for its sound, speaks in its place where that is gone, shows a notification
    phone.py tell WHAT  what a button or a widget does: mute, unmute, mark, traffic, yellow, end, start

Commands of Termux:API hang for ever where their app is missing or frozen: each one here has a time limit, no
two run at once, and one that hung is left alone for a while. The daemon's token guards the port on 127.0.0.1.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import hmac
import http.client
import json
import logging
import os
import queue
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import wave
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

VERSION = "1"
# What install.sh calls the version that this file belongs to, "" where it was not installed.
_INSTALLED = Path(__file__).resolve().parents[1]
RELEASE = _INSTALLED.name if _INSTALLED.parent.name == "releases" else ""
PREFIX = Path(os.environ.get("PREFIX", "/data/data/com.termux/files/usr"))
HOME = Path(os.environ.get("PITWALL_HOME", Path.home() / "pitwall"))
HELPER_PORT, DAEMON_PORT, PULSE_PORT = 8766, 8765, 4713
log = logging.getLogger("phone")

# A broadcast to Termux:API takes 0.5 to 1.1 s on a phone; one that hangs takes for ever.
WITHIN_S = 8.0
# A command that hung is tried again after so long: whoever starts the app in the meantime need do nothing.
LEFT_ALONE_S = 300.0
# The daemon forgets a report after 120 s.
REPORT_EVERY_S = 30.0
# Which address this phone has costs no process to ask: a change is told after so long.
NETWORK_EVERY_S = 5.0
# A headset that is gone costs each callout until somebody says so. Two broadcasts, a second of CPU.
SOUND_EVERY_S = 10.0
# How soon the daemon is looked for again where it does not answer: a refused one costs next to nothing.
LISTEN_S, LISTEN_SOON_S, LISTEN_SOON_FOR_S = 1.0, 0.2, 20.0
# A notification is a broadcast through a virtual machine of its own, half a second of CPU.
NOTIFY_EVERY_S = 15.0
# A callout that could not begin by then is not said: as in the daemon's queue.
LATE_S, LATE_CUT_S = 0.3, 2.0
# The daemon keeps a warning for 2 s while its stream is broken: were PulseAudio back sooner, it would sound
# twice.
PULSE_REST_S, PULSE_REST_MOST_S = 3.0, 60.0
# Of what a command prints so much is kept: `dumpsys` says far more than anybody reads. Beyond the other it
# prints for ever. A button's body holds nothing; the daemon's answers are some kB.
KEPT_BYTES, MOST_PRINTED_BYTES, MOST_BODY_BYTES, MOST_ANSWER_BYTES = 64 << 10, 8 << 20, 4 << 10, 1 << 20
# Buttons, a laptop and the daemon's doctor; who waits longer than `Handler.timeout` is let go.
MOST_CONNECTIONS = 32
HEATS = ("none", "light", "moderate", "severe", "critical", "emergency", "shutdown")
# Without the right to read Android's own heat, the battery's stands for it: Li-ion is charged up to 45 degC.
BATTERY_HEAT_C = (
    (60.0, "emergency"),
    (50.0, "critical"),
    (46.0, "severe"),
    (43.0, "moderate"),
    (40.0, "light"),
)
# The first that starts is used. `module-aaudio-sink` is the one of low latency.
SINKS = ("module-aaudio-sink", "module-sles-sink")
# What may be said of the lap that is driven now; all that a button or a widget may ask for.
MARKS = ("mark", "traffic", "yellow")
# Silence that ends by itself: with the next lap, when a whole lap proved where the car is, with the drive.
HUSHES = {"hush": "lap ended", "lost": "place proved", "mute": "session"}
BUTTONS = ("unmute", "understood", *HUSHES, *MARKS, "start", "end")
SERVICES = ("pitwall", "pitwall-phone")
APPS = ("com.termux", "com.termux.api", "com.termux.boot")


class Setting(NamedTuple):
    """Something of Android's that ends or mutes us. `good` matches the answer to `look` when all is well.
    `tap`: what the driver does on the phone; `put` and `back`: what adb does and undoes ({was}: the answer
    that stood there before). `app`: it matters only where that app is installed."""

    name: str
    look: str
    good: str
    tap: str
    put: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    app: str = ""


def _global(name: str, key: str, value: str, tap: str) -> Setting:
    return Setting(
        name, f"settings get global {key}", rf"^{value}$", tap,
        (f"settings put global {key} {value}",), (f"settings put global {key} {{was}}",),
    )  # fmt: skip


# Apps that hand on what a source of pitwall.toml reads: README.md names them.
SOURCE_APPS = {
    "github.umer0586.sensorserver": "SensorServer",
    "com.jillybunch.shareGPS": "Share GPS",
    "name.kellermann.max.bluenmea": "BlueNMEA",
    "com.hardcodedjoy.tcpuart": "TCPUART",
}


def _of_app(app: str, name: str) -> Iterator[Setting]:
    """What ends a source's app, or takes the position away from it, with the screen off."""
    yield Setting(
        f"{name} battery", "dumpsys deviceidle whitelist", rf"\b{re.escape(app)}\b",
        f"Settings > Apps > {name} > App battery usage > Unrestricted",
        (f"dumpsys deviceidle whitelist +{app}",), (f"dumpsys deviceidle whitelist -{app}",), app,
    )  # fmt: skip
    for right, what, tap in (
        ("FINE", "location", "Allow, and Use precise location"),
        ("BACKGROUND", "location, screen off", "Allow all the time"),
    ):
        named = f"android.permission.ACCESS_{right}_LOCATION"
        yield Setting(
            f"{name} {what}", f"dumpsys package {app}",
            # A right that an app never asks for is not missing.
            rf"\A(?=[\s\S]*Package \[)(?![\s\S]*{named}: granted=false)",
            f"Settings > Apps > {name} > Permissions > Location > {tap}",
            (f"pm grant {app} {named}",), (f"pm revoke {app} {named}",), app,
        )  # fmt: skip


SETTINGS = (
    Setting("Termux:API", "pm path com.termux.api", "^package:", "install Termux:API from Termux's store"),
    Setting("Termux:Boot", "pm path com.termux.boot", "^package:", "install Termux:Boot, and open it once"),
    Setting(
        "battery exemption", "dumpsys deviceidle whitelist", r"com\.termux\b(?!\.)",
        "Settings > Apps > Termux > App battery usage > Unrestricted",
        tuple(f"dumpsys deviceidle whitelist +{app}" for app in APPS),
        tuple(f"dumpsys deviceidle whitelist -{app}" for app in APPS),
    ),
    _global(
        "phantom processes", "settings_enable_monitor_phantom_procs", "false",
        "Settings > System > Developer options > Disable child process restrictions: on",
    ),
    _global(
        "frozen apps", "cached_apps_freezer", "disabled",
        "Settings > System > Developer options > Suspend execution for cached apps: Disabled",
    ),
    Setting(
        "standby bucket", "am get-standby-bucket com.termux", "^(5|10)$",
        "open Termux once a day, or let scripts/adb-tune set it",
        ("am set-standby-bucket com.termux active", "am set-standby-bucket com.termux.api active"),
        ("am set-standby-bucket com.termux {was}",),
    ),
    # The line of `dumpsys power` is from Android's and Termux's source, not seen on a phone.
    Setting(
        "wake-lock", "dumpsys power", "PARTIAL_WAKE_LOCK.*termux",
        "tap pitwall-start, or in Termux: termux-wake-lock",
    ),
    Setting(
        "notifications", "cmd appops get com.termux.api POST_NOTIFICATION", r"allow|No operations",
        "Settings > Apps > Termux:API > Notifications: on",
        ("pm grant com.termux.api android.permission.POST_NOTIFICATIONS",),
        ("pm revoke com.termux.api android.permission.POST_NOTIFICATIONS",),
    ),
    Setting(
        "heat", "dumpsys thermalservice", r"Thermal Status: [0-2]",
        "take the phone out of the sun; where it says nothing, scripts/adb-tune lets Termux read the heat",
        ("pm grant com.termux android.permission.DUMP",), ("pm revoke com.termux android.permission.DUMP",),
    ),
    # 2 is total silence, which mutes media too; the others let media through unless somebody chose otherwise.
    Setting(
        "do not disturb", "settings get global zen_mode", "^([013]|null)$",
        "Settings > Notifications > Do Not Disturb: off, or let media sounds through",
    ),
    *(one for app, name in SOURCE_APPS.items() for one in _of_app(app, name)),
)  # fmt: skip


class Commands:
    """Runs the phone's own commands: each within its time, Termux:API's one at a time."""

    def __init__(self, within_s: float = WITHIN_S) -> None:
        self._within_s = within_s
        self._api = threading.Lock()
        self._silent_until_s: dict[str, float] = {}
        self._told: set[str] = set()

    def tell_once(self, about: str, line: str) -> None:
        """Log it, once for each thing it is about."""
        if about not in self._told:
            self._told.add(about)
            log.warning("%s", line)

    def again(self, about: str) -> None:
        """It works again: when it fails the next time that is told."""
        self._told.discard(about)

    def ask(self, name: str, *arguments: str, within_s: float = WITHIN_S) -> str | None:
        """What a command printed; None where it is missing, failed, or said nothing in time."""
        within_s = min(within_s, self._within_s)
        program = find(name)
        if program is None:
            self.tell_once(name, f"{name} is not installed; pkg install termux-api has Termux's own commands")
            return None
        # They all wait for one app, but for those of Termux itself: what hangs one hangs all.
        api = name.startswith("termux-") and not name.startswith("termux-wake-")
        about = "Termux:API" if api else name
        with self._api if api else contextlib.nullcontext():
            if time.monotonic() < self._silent_until_s.get(about, 0.0):
                return None
            code, told = run_within([program, *arguments], within_s)
            if code is None:
                self._silent_until_s[about] = time.monotonic() + LEFT_ALONE_S
                self.tell_once(
                    about,
                    f"{about} gives no answer ({name}, {within_s:g} s): is its app there, and not frozen?",
                )
                return None
        self.again(about)
        if code:
            self.tell_once(f"{name}!", f"{name} failed ({code}): {told.strip()[-200:]}")
            return None
        return told

    def ask_json(self, name: str) -> dict[str, Any]:
        """The JSON object that a command printed, {} where there is none or it says that it failed.
        A list of objects is given as {"": list}."""
        told = (self.ask(name) or "").strip()
        found = as_object(f'{{"": {told}}}' if told.startswith("[") else told)
        if trouble := found.get("error") or found.get("API_ERROR"):
            self.tell_once(f"{name}!", f"{name}: {str(trouble)[:200]}")
            return {}
        return found


def as_object(text: str | bytes) -> dict[str, Any]:
    """The JSON object that this is, {} where it is none: no program's answer ends the helper."""
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, dict):
            return found
    return {}


def inner(told: object, *keys: str) -> Any:
    """What stands there in nested objects, None where one of the keys is missing."""
    for key in keys:
        told = told.get(key) if isinstance(told, dict) else None
    return told


def find(name: str) -> str | None:
    """A program's path: Termux's, else Android's own."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/system/bin")


def run_within(command: list[str], within_s: float) -> tuple[int | None, str]:
    """(exit code, what was printed, the first KEPT_BYTES of it). The code is None where it took too long, or
    printed without end: all that it started ends."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        start_new_session=True,
    )
    assert process.stdout is not None
    told, printed, until_s = b"", 0, time.monotonic() + within_s
    try:
        while printed < MOST_PRINTED_BYTES:
            ready, _, _ = select.select([process.stdout], [], [], max(until_s - time.monotonic(), 0.0))
            if not ready:
                return None, ""
            piece = process.stdout.read(KEPT_BYTES)
            if not piece:
                process.wait(max(until_s - time.monotonic(), 0.0))
                return process.returncode, told.decode(errors="replace")
            printed += len(piece)
            told += piece[: KEPT_BYTES - len(told)]
    except subprocess.TimeoutExpired:
        pass
    finally:
        if process.returncode is None:
            end_group(process)
        process.stdout.close()
    return None, ""


def end_group(process: subprocess.Popen[Any]) -> None:
    """kill -9 for a program and its children, which have a session of their own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError, AttributeError):
            pipe.close()  # type: ignore[union-attr]


class DaemonClient:
    """The daemon's API on this phone."""

    def __init__(self, address: str) -> None:
        self.address = address

    def token(self) -> str:
        """The daemon's token, "" before its first start."""
        with contextlib.suppress(OSError, ValueError), (HOME / "token").open(encoding="ascii") as file:
            return file.read(1024).strip()
        return ""

    def open(
        self, method: str, path: str, body: object = None, within_s: float = 5.0
    ) -> http.client.HTTPResponse:
        """One request; OSError or HTTPException where nobody answers. The caller reads the answer."""
        connection = http.client.HTTPConnection(self.address, timeout=within_s)
        headers = {"Authorization": f"Bearer {self.token()}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            return connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def ask(self, method: str, path: str, body: object = None, within_s: float = 5.0) -> tuple[int, Any]:
        """(status, JSON); status 0 where nobody answers."""
        try:
            with self.open(method, path, body, within_s) as answer:
                told = answer.read(MOST_ANSWER_BYTES)
                return answer.status, json.loads(told) if told else None
        except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
            return 0, str(error)

    def live(self) -> Iterator[dict[str, Any]]:
        """What the daemon shows at /live, until it goes. Frames come once in ten seconds: none is needed."""
        with self.open("GET", "/live?hz=0.1", within_s=30.0) as answer:
            if answer.status != 200:
                raise OSError(f"/live: {answer.status}")
            while line := answer.readline(MOST_ANSWER_BYTES):
                if line.startswith(b"data:"):
                    yield as_object(line[5:])


class Pulse:
    """PulseAudio for the daemon's sound: TCP on 127.0.0.1 with a cookie, kept running."""

    def __init__(self, commands: Commands, port: int, sinks: tuple[str, ...]) -> None:
        self.on_death: Callable[[], None] = lambda: None
        self._commands, self._port, self._sinks = commands, port, sinks
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self.sink = ""
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)

    def start(self) -> None:
        """Begin to keep it running."""
        self._thread.start()

    def alive(self) -> bool:
        """Whether it runs at this moment."""
        process = self._process
        return process is not None and process.poll() is None

    def stop(self) -> None:
        """End it for good."""
        self._stopping.set()
        if self._process is not None:
            end_group(self._process)
        self._thread.join()

    def _run(self) -> None:
        rest_s = PULSE_REST_S
        while not self._stopping.is_set():
            begun_s = time.monotonic()
            for sink in self._sinks:
                if self._stopping.is_set() or self._live(sink):
                    break
            rest_s = PULSE_REST_S if time.monotonic() - begun_s > 60.0 else min(2 * rest_s, PULSE_REST_MOST_S)
            self._stopping.wait(rest_s)

    def _live(self, sink: str) -> bool:
        """Run it with this sink until it ends; False where it ended at once: the next sink is tried."""
        program = find("pulseaudio")
        if program is None:
            self._commands.tell_once(
                "pulseaudio", "pulseaudio is not installed: callouts go through play-audio"
            )
            return True
        cookie = HOME / "pulse-cookie"
        if not cookie.exists():
            make_private(cookie, os.urandom(256))
        tcp = f"module-native-protocol-tcp listen=127.0.0.1 port={self._port} auth-cookie={cookie}"
        self._process = subprocess.Popen(
            [
                *(
                    program,
                    "-n",
                    "--daemonize=no",
                    "--use-pid-file=no",
                    "--exit-idle-time=-1",
                    "--disable-shm=yes",
                ),
                *(f"--load={sink}", f"--load={tcp} auth-anonymous=0"),
            ],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        begun_s, self.sink = time.monotonic(), sink.split()[0]
        code = self._process.wait()
        lived_s = time.monotonic() - begun_s
        if not self._stopping.is_set():
            self.on_death()
            self._commands.tell_once(
                "pulse", f"pulseaudio with {self.sink} ended ({code}) after {lived_s:.0f} s"
            )
        if lived_s > 5.0:
            self._commands.again("pulse")
        return lived_s > 2.0


class Line(NamedTuple):
    """A callout that is to be heard since `at_s` of time.monotonic(). `cut`: instead of what is playing."""

    text: str
    cut: bool
    at_s: float


class Speaker:
    """Speaks in the daemon's place: a WAV through play-audio, else a line to the one termux-tts-speak."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._lines: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        self._cut = threading.Event()
        self._tts: subprocess.Popen[bytes] | None = None
        self.way = ""
        self._thread = threading.Thread(target=self._run, name="speaker", daemon=True)
        self._thread.start()

    def say(self, line: Line) -> None:
        """Speak it, at once where it cuts; never waits."""
        if line.cut:
            self._cut.set()
        self._lines.put(line)

    def stop(self) -> None:
        """Fall silent, and leave no program behind."""
        self._cut.set()
        self._lines.put(None)
        self._thread.join()
        if self._tts is not None:
            end_group(self._tts)

    def _run(self) -> None:
        free_s = 0.0
        while (line := self._lines.get()) is not None:
            if line.cut:
                self._cut.clear()
            waited_s = free_s - line.at_s  # behind another one
            if waited_s > (LATE_CUT_S if line.cut else LATE_S) or (self._cut.is_set() and not line.cut):
                continue
            if self._play(line):
                self.way = "play-audio"
            elif self._write(line):
                self.way = "termux-tts-speak"
            else:
                self.way = "none"
                self._commands.tell_once("silent", f"nothing speaks here; not heard: {line.text}")
            free_s = time.monotonic()

    def _play(self, line: Line) -> bool:
        program, clip = find("play-audio"), clip_of(HOME / "clips", line.text)
        if program is None or clip is None:
            what = f"no clip of {line.text!r}" if program else "play-audio is not installed"
            self._commands.tell_once("play-audio", f"{what}: callouts are spoken by termux-tts-speak")
            return False
        process = subprocess.Popen(
            [program, str(clip)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
        )
        over_s = time.monotonic() + wav_s(clip) + WITHIN_S
        while process.poll() is None and not self._cut.is_set() and time.monotonic() < over_s:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
        spoke = process.poll() == 0 or self._cut.is_set()
        end_group(process)
        if not spoke:
            self._commands.tell_once(
                "play-audio", "play-audio fails: callouts are spoken by termux-tts-speak"
            )
        return spoke

    def _write(self, line: Line) -> bool:
        """A line to the one process that speaks lines. Two of them would wait for each other for ever."""
        if self._tts is not None and self._tts.poll() is not None:
            end_group(self._tts)
            self._tts = None
        if self._tts is None:
            program = find("termux-tts-speak")
            if program is None:
                return False
            self._tts = subprocess.Popen(
                [program, "-s", "MUSIC"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
            assert self._tts.stdin is not None
            os.set_blocking(self._tts.stdin.fileno(), False)
        assert self._tts.stdin is not None
        try:
            os.write(self._tts.stdin.fileno(), line.text.replace("\n", " ").encode() + b"\n")
        except (BlockingIOError, BrokenPipeError):
            return False
        return True


def clip_of(folder: Path, text: str) -> Path | None:
    """The WAV file of a text, joined from the longest rendered parts; None where words are missing."""
    try:
        listed = as_object((folder / "spoken.json").read_bytes())
    except OSError:
        return None
    # The name of a clip, and never a path.
    known = {phrase: str(key) for phrase, key in listed.items() if re.fullmatch(r"[\w-]{1,100}", str(key))}
    if text in known:
        return folder / f"{known[text]}.wav"
    words, parts = text.split(), list[Path]()
    while words:
        ends = range(len(words), 0, -1)
        end = next((end for end in ends if " ".join(words[:end]).rstrip(":,") in known), 0)
        if not end:
            return None
        parts.append(folder / f"{known[' '.join(words[:end]).rstrip(':,')]}.wav")
        words = words[end:]
    joined = Path(tempfile.gettempdir()) / "pitwall-callout.wav"
    try:
        with wave.open(str(joined), "wb") as out:
            for part in parts:
                with wave.open(str(part), "rb") as one:
                    if not out.getnframes():
                        out.setparams(one.getparams())
                    out.writeframes(one.readframes(one.getnframes()))
    except (OSError, EOFError, wave.Error):
        return None
    return joined


def wav_s(path: Path) -> float:
    """How long a WAV file sounds; 0 where it can't be read."""
    try:
        with wave.open(str(path), "rb") as file:
            return file.getnframes() / file.getframerate()
    except (OSError, EOFError, wave.Error):
        return 0.0


def make_private(path: Path, content: bytes) -> None:
    """Write a file that only this user can read."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(fd, "wb") as file:
        file.write(content)


class Helper:
    """Everything that `serve` runs."""

    def __init__(self, address: str, asked: argparse.Namespace) -> None:
        self.commands = Commands(asked.patience)
        self.daemon = DaemonClient(address)
        self.pulse = Pulse(self.commands, asked.pulse_port, tuple(asked.sink or SINKS))
        self.speaker = Speaker(self.commands)
        # The callout that the daemon speaks now: whoever takes it out speaks it instead.
        self._with_daemon: dict[str, tuple[Line, float]] = {}
        self.pulse.on_death = self._speak_again
        self._stop = threading.Event()
        # The next report is due then; `_wake` ends the wait for it.
        self._due_s = time.monotonic() + NETWORK_EVERY_S
        self._wake = threading.Event()
        self._shown: dict[str, str] = {}
        self._show_due = threading.Event()
        self._told: dict[str, Any] = {}
        # Where sound goes and how loud, and when that is looked at next.
        self.route: dict[str, Any] = {}
        self._sound_due_s = 0.0
        # As termux-battery-status told it last; of it the daemon wants a part.
        self.battery: dict[str, Any] = {}
        self._notifications = "off"
        self._mode = "coach"
        self.server = serve_api(self, asked.port)

    def run(self) -> None:
        """Until `stop`."""
        threads = [
            threading.Thread(target=work, name=work.__name__, daemon=True)
            for work in (self._listen, self._show, self.server.serve_forever)
        ]
        # It answers nothing that is needed, so nobody waits for it.
        threads.append(threading.Thread(target=self.commands.ask, args=("termux-wake-lock",), daemon=True))
        self.pulse.start()
        for thread in threads:
            thread.start()
        log.info("helper %s listens on 127.0.0.1:%d", VERSION, self.server.server_port)
        address = local_address()
        while not self._stop.is_set():
            here = local_address()
            if time.monotonic() >= self._sound_due_s:
                self._sound_due_s = time.monotonic() + SOUND_EVERY_S
                route = sound_route(self.commands)
                if route != self.route:
                    self.route, self._due_s = route, 0.0
            if here != address or time.monotonic() >= self._due_s:
                self._due_s = time.monotonic() + REPORT_EVERY_S
                self._report(here, here != address)
                address = here
            self._wake.wait(NETWORK_EVERY_S)
            self._wake.clear()
        self.pulse.stop()
        self.speaker.stop()
        self.server.shutdown()
        for name, arguments in (("termux-notification-remove", ("pitwall",)), ("termux-wake-unlock", ())):
            self.commands.ask(name, *arguments, within_s=2.0)

    def stop(self) -> None:
        """Begin to end."""
        self._stop.set()
        self._wake.set()

    def _report(self, address: str, changed: bool) -> None:
        """Tell the daemon how the phone is. It is told all each time: it may have been started anew."""
        self.battery = self.commands.ask_json("termux-battery-status")
        report = {**battery(self.battery), "helper_version": VERSION, "sound": self.sound(), **self.route}
        heat = heat_of(self.commands, report.get("battery_c"))
        if heat:
            report["heat"] = heat
        if changed or "network" not in self._told or self._told.get("captive"):
            self._told = network(self.commands, address)
        report |= self._told
        report["notifications"] = self._notifications
        status, told = self.daemon.ask("POST", "/phone", report)
        if status in (204, 0):
            self.commands.again("report")
        else:
            self.commands.tell_once("report", f"the daemon refuses what the phone tells: {status} {told}")

    def sound(self) -> str:
        """Where callouts go now."""
        return self.pulse.sink if self.pulse.alive() else self.speaker.way or "none yet"

    def _listen(self) -> None:
        """Hear what is said, and speak it where the daemon is not heard."""
        lost_s = time.monotonic()
        while not self._stop.is_set():
            heard = False
            try:
                for message in self.daemon.live():
                    self._take(message)
                    lost_s, heard = time.monotonic(), True
            except (OSError, http.client.HTTPException, ValueError) as error:
                log.debug("live: %s", error)
            if heard:
                # Nobody would hear now what a report makes the daemon say.
                self._due_s = time.monotonic() + REPORT_EVERY_S
            # A daemon that is started again says its next callout in a second.
            soon = time.monotonic() - lost_s < LISTEN_SOON_FOR_S
            self._stop.wait(LISTEN_SOON_S if soon else LISTEN_S)

    def _take(self, message: Mapping[str, Any]) -> None:
        kind = message.get("type")
        if kind == "hello":
            # This daemon may have been started anew: it is told how the phone is.
            self._due_s = 0.0
            self._wake.set()
            return
        if kind == "callout":
            text, clip_s = inner(message, "callout", "text"), inner(message, "callout", "clip_s")
            if not isinstance(text, str) or not isinstance(clip_s, int | float):
                return
            line = Line(text, inner(message, "callout", "cut") is True, time.monotonic())
            self._with_daemon["line"] = line, line.at_s + clip_s
            if not self._daemon_is_heard() and self._with_daemon.pop("line", None):
                self.speaker.say(line)
            self._shown["callout"] = line.text
        elif kind == "event":
            self._shown[str(message.get("kind"))] = str(message.get("detail"))
        else:
            return
        self._show_due.set()

    def _speak_again(self) -> None:
        """PulseAudio died: what it was playing was not heard to its end."""
        line, until_s = self._with_daemon.pop("line", (None, 0.0))
        if line is not None and time.monotonic() < until_s:
            self.speaker.say(line)

    def _daemon_is_heard(self) -> bool:
        """Whether the daemon's own sound reaches the ear at this moment."""
        if not self.pulse.alive():
            return False
        status, told = self.daemon.ask("GET", "/status?details=voice", within_s=1.0)
        return status == 200 and inner(told, "details", "voice", "heard") is True

    def _show(self) -> None:
        """The notification, not more often than a broadcast may cost."""
        shown = None
        while not self._stop.is_set():
            title, content = self._words()
            if (title, content) != shown:
                shown = title, content
                told = self.commands.ask("termux-notification", *notification(title, content))
                self._notifications = "shown" if told is not None and "error" not in told else "denied"
                if find("termux-notification") is None:
                    self._notifications = "off"
            self._stop.wait(NOTIFY_EVERY_S)
            self._show_due.wait()
            self._show_due.clear()

    def _words(self) -> tuple[str, str]:
        title = f"Pitwall: {self._shown.get('session', 'listening')}"
        if lap := self._shown.get("lap"):
            title += f", lap {lap}"
        return title, self._shown.get("callout", "nothing said yet")

    def tell(self, what: str) -> tuple[int, str]:
        """What a button asks for: an HTTP status and a sentence."""
        if what == "unmute":
            self.daemon.ask("POST", "/coach", {"hush": "over"})  # refused where no drive is recorded
            status, told = self.daemon.ask("POST", "/coach", {"mode": self._mode})
            return status or 503, "unmuted" if status == 200 else str(told)
        if what == "understood":
            status, told = self.daemon.ask("POST", "/coach", {"understood": True})
            return status or 503, "the pit wall knows" if status == 200 else str(told)
        if what in HUSHES:
            status, told = self.daemon.ask("POST", "/coach", {"hush": HUSHES[what]})
            if what == "mute" and status == 409:  # before the drive: muted until unmute
                status, told = self.daemon.ask("POST", "/coach", {"mode": "quiet"})
                return status or 503, "muted" if status == 200 else str(told)
            return status or 503, f"silent until: {HUSHES[what]}" if status == 200 else str(told)
        if what in MARKS:
            return self._mark(what)
        if what in ("start", "end"):
            code, told = run_within(
                ["sv", "up" if what == "start" else "down", service_folder("pitwall")], WITHIN_S
            )
            return (
                (200, f"the daemon is to {what}")
                if code == 0
                else (503, told.strip() or "sv does not answer")
            )
        return 404, f"there is no {what}: {', '.join(BUTTONS)}"

    def _mark(self, what: str) -> tuple[int, str]:
        """Said of the lap that is driven now; the phone buzzes when it is in the journal."""
        status, told = self.daemon.ask("POST", "/mark", {"mark": what})
        if status != 200:
            why = told.get("error", told) if isinstance(told, dict) else told
            return status or 503, f"not marked: {why}"
        threading.Thread(target=self.commands.ask, args=("termux-vibrate", "-d", "150"), daemon=True).start()
        return 200, f"{what}: lap {inner(told, 'lap')}"


def battery(told: Mapping[str, Any]) -> dict[str, Any]:
    """What termux-battery-status told, as `POST /phone` takes it; what is not known is left out."""
    report: dict[str, Any] = {}
    if isinstance(pct := told.get("percentage"), int | float) and pct == pct:  # not NaN
        report["battery_pct"] = float(min(max(pct, 0), 100))
    if isinstance(degrees := told.get("temperature"), int | float) and -50 <= degrees <= 150:
        report["battery_c"] = float(degrees)
    if "plugged" in told or "status" in told:
        plugged = str(told.get("plugged", "")).upper()
        report["charging"] = plugged not in ("", "UNPLUGGED") or told.get("status") in ("CHARGING", "FULL")
    return report


def sound_route(commands: Commands) -> dict[str, Any]:
    """Where Android sends sound now, how loud, and whether somebody is called by phone, for `POST /phone`;
    what is not known is left out."""
    told = commands.ask_json("termux-audio-info")
    report: dict[str, Any] = {}
    if "BLUETOOTH_A2DP_IS_ON" in told or "WIREDHEADSET_IS_CONNECTED" in told:
        bluetooth, wired = told.get("BLUETOOTH_A2DP_IS_ON"), told.get("WIREDHEADSET_IS_CONNECTED")
        report["route"] = "bluetooth" if bluetooth is True else "wired" if wired is True else "speaker"
    # Newer versions of Termux:API tell the volume there; older ones have a command of its own.
    now, most = told.get("STREAM_MUSIC_VOLUME"), told.get("STREAM_MUSIC_MAXVOLUME")
    if most is None:
        streams = commands.ask_json("termux-volume").get("")
        for one in streams if isinstance(streams, list) else ():
            if inner(one, "stream") == "music":
                now, most = inner(one, "volume"), inner(one, "max_volume")
    if isinstance(now, int | float) and isinstance(most, int | float) and most > 0:
        report["volume_pct"] = float(min(max(100.0 * now / most, 0.0), 100.0))
    # No command of Termux:API tells of a call; this is seen with the right that scripts/adb-tune gives.
    calls = re.findall(r"mCallState=(\d)", commands.ask("dumpsys", "telephony.registry", within_s=2.0) or "")
    if calls:
        report["call"] = "2" in calls
    return report


def heat_of(commands: Commands, battery_c: float | None) -> str:
    """Android's own word for the heat where we may read it, else the battery's; "" where neither is known."""
    told = commands.ask("dumpsys", "thermalservice", within_s=4.0)
    if told and (found := re.search(r"Thermal Status: (\d)", told)) and int(found[1]) < len(HEATS):
        return HEATS[int(found[1])]
    if battery_c is None:
        return ""
    return next((heat for above_c, heat in BATTERY_HEAT_C if battery_c >= above_c), "none")


def local_address() -> str:
    """The address that this phone would send from, "" without a network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def network(commands: Commands, address: str) -> dict[str, Any]:
    """Which network this is. Whether it lets us out is asked by the daemon, of the model's own server."""
    if not address:
        return {"network": "none"}
    if commands.ask_json("termux-wifi-connectioninfo").get("ip") == address:
        return {"network": "wifi", "captive": captive(commands, address)}
    if str(commands.ask_json("termux-telephony-deviceinfo").get("data_state", "")).lower() in (
        "2",
        "connected",
    ):
        return {"network": "mobile", "metered": True}
    return {"network": "other"}


def captive(commands: Commands, address: str) -> bool | None:
    """Whether Android says that the network of this address wants a log-in first; None where we may not see.

    From Android's source, not seen on a phone: a line of `dumpsys connectivity` for each network, with its
    addresses, and CAPTIVE_PORTAL among its capabilities."""
    told = commands.ask("dumpsys", "connectivity", within_s=4.0) or ""
    ours = [line for line in told.splitlines() if "NetworkAgentInfo" in line and f" {address}/" in line]
    return any("CAPTIVE_PORTAL" in line for line in ours) if ours else None


def notification(title: str, content: str) -> list[str]:
    """The arguments of termux-notification."""
    told = ["--id", "pitwall", "--ongoing", "--alert-once", "--title", title, "--content", content]
    for number, what in enumerate(("mute", "mark", "end"), 1):
        told += [f"--button{number}", what.capitalize()]
        told += [f"--button{number}-action", f"{sys.executable} {Path(__file__).resolve()} tell {what}"]
    return told


def looked(shell: Callable[[str], tuple[int | None, str]]) -> Iterator[tuple[Setting, int | None, str]]:
    """Each of SETTINGS that matters here, with the exit code (None: no answer) and the answer to its look."""
    there = {app: shell(f"pm path {app}")[0] == 0 for app in SOURCE_APPS}
    for one in SETTINGS:
        if there.get(one.app, True):
            yield one, *shell(one.look)


def _asked_here(line: str) -> tuple[int | None, str]:
    name, *arguments = line.split()
    program = find(name)
    return run_within([program, *arguments], 4.0) if program else (None, "")


def checks() -> list[dict[str, str]]:
    """Each of SETTINGS as it stands, in the words of `pitwall doctor`."""
    return [judged(*one) for one in looked(_asked_here)]


def judged(one: Setting, code: int | None, told: str) -> dict[str, str]:
    """What the answer to `one.look` says. `code`: its exit code, None where there was no answer."""
    also = bool(one.put) and "adb-tune" not in one.tap
    mend = one.tap + ", or on the laptop: scripts/adb-tune" * also
    told = told.strip()
    if re.search(one.good, told, re.MULTILINE):
        verdict, what, mend = "good", "as it should be", ""
    elif code is None or re.search("Permission Denial|SecurityException", told):
        verdict, what = "note", "can't be seen from the phone itself: scripts/adb-doctor sees it"
    else:
        verdict, what = (
            "missing",
            f"not as it should be ({told.splitlines()[0][:60] if told else 'nothing said'})",
        )
    return {"name": one.name, "verdict": verdict, "found": what, "mend": mend}


def service_folder(name: str) -> str:
    """Where runit keeps a service of ours."""
    return str(PREFIX / "var" / "service" / name)


def files() -> dict[str, int]:
    """What a laptop may fetch, by its path in the home, with its size: journals, settings, damaged files."""
    patterns = ("journals/*.pwj", "home.journal", "damaged/*", "pitwall.toml")
    kept = [path for pattern in patterns for path in HOME.glob(pattern)]
    return {str(path.relative_to(HOME)): path.stat().st_size for path in sorted(kept) if path.is_file()}


class Handler(BaseHTTPRequestHandler):
    """The helper's port. Every answer but /health asks for the daemon's token."""

    helper: Helper
    protocol_version = "HTTP/1.1"
    timeout = 30.0

    def log_message(self, *_: object) -> None:
        """Nothing: each request is a button or a laptop."""

    def do_GET(self) -> None:
        """What is asked."""
        path, _, rest = self.path.partition("?")
        if path == "/health":
            told = {"ok": True, "name": "pitwall-phone", "version": VERSION, "release": RELEASE}
            return self._answer(200, told)
        if not self._known():
            return None
        if path == "/checks":
            return self._answer(200, checks())
        if path == "/phone":
            return self._answer(
                200, {"sound": self.helper.sound(), "battery": self.helper.battery, **self.helper.route}
            )
        if path == "/files":
            return self._answer(200, files())
        if path.startswith("/sum/"):
            return self._sum(path.removeprefix("/sum/"), rest)
        if path.startswith("/files/"):
            return self._file(
                HOME / path.removeprefix("/files/"), rest, path.removeprefix("/files/") in files()
            )
        service = path.removeprefix("/logs/")
        if service in SERVICES:
            return self._file(PREFIX / "var" / "log" / "sv" / service / "current", rest, True)
        return self._answer(404, {"error": f"there is no {path}"})

    def do_POST(self) -> None:
        """What a button does. Nothing of a body is read before the token."""
        if not self._known():
            return
        length = self.headers.get("Content-Length") or "0"
        if "Transfer-Encoding" in self.headers or not re.fullmatch("[0-9]{1,9}", length):
            self.close_connection = True
            return self._answer(411, {"error": "the body's Content-Length is no number"})
        if int(length) > MOST_BODY_BYTES:
            self.close_connection = True
            return self._answer(413, {"error": f"the body has more than {MOST_BODY_BYTES} bytes"})
        self.rfile.read(int(length))
        status, told = self.helper.tell(self.path.removeprefix("/tell/"))
        return self._answer(status, {"told": told})

    def _known(self) -> bool:
        token = self.helper.daemon.token()
        given = self.headers.get("Authorization", "").encode("utf-8", "replace")
        if token and hmac.compare_digest(given, f"Bearer {token}".encode()):
            assert isinstance(self.server, Server)
            self.server.is_known(self.connection)
            return True
        # What comes after it on this connection may be a body that nobody reads.
        self.close_connection = True
        self._answer(
            401, {"error": "the token is missing or wrong", "what_to_do": "it lies in PITWALL_HOME/token"}
        )
        return False

    def _file(self, path: Path, query: str, may: bool) -> None:
        """A file from `from=BYTES` on, or its last ones for a negative number."""
        found = re.fullmatch(r"(?:from=(-?\d{1,15}))?", query)
        if not may or not found or not path.is_file():
            return self._answer(404, {"error": "there is no such file, or its from=BYTES is no number"})
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = int(found[1] or 0)
            start = max(size + start, 0) if start < 0 else min(start, size)
            file.seek(start)
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(size - start))
            self.end_headers()
            left = size - start
            while left and (piece := file.read(min(left, 1 << 16))):
                self.wfile.write(piece)
                left -= len(piece)
        return None

    def _sum(self, name: str, query: str) -> None:
        """The SHA-256 of a file's first bytes: a journal that is open grows meanwhile."""
        found = re.fullmatch(r"bytes=(\d{1,15})", query)
        if not found or name not in files():
            return self._answer(404, {"error": "there is no such file, or its bytes=NUMBER is none"})
        left, digest = int(found[1]), hashlib.sha256()
        with (HOME / name).open("rb") as file:
            while left and (piece := file.read(min(left, 1 << 16))):
                digest.update(piece)
                left -= len(piece)
        return self._answer(200, {"sha256": digest.hexdigest()})

    def _answer(self, status: int, told: object) -> None:
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """A thread for each connection, and not more of them than a phone bears. Whoever has shown no token
    makes room for the next one: any app of the phone may connect, and say nothing."""

    daemon_threads = True
    request_queue_size = 2 * MOST_CONNECTIONS

    def __init__(self, *given: Any) -> None:
        # Open connections, the oldest first, and whether each has shown the token.
        self._open: dict[socket.socket, bool] = {}
        self._lock = threading.Lock()
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Where one is too many, the oldest stranger is cut off; else this one."""
        with self._lock:
            full = len(self._open) >= MOST_CONNECTIONS
            stranger = next((one for one, known in self._open.items() if not known), None) if full else None
            if stranger is not None:
                del self._open[stranger]
                with contextlib.suppress(OSError):
                    stranger.shutdown(socket.SHUT_RDWR)  # its thread closes it
            room = len(self._open) < MOST_CONNECTIONS
            if room:
                self._open[request] = False
        if room:
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def is_known(self, request: socket.socket) -> None:
        """It has shown the token."""
        with self._lock:
            if request in self._open:
                self._open[request] = True

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """As its base, and the next one may come."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._open.pop(request, None)


def serve_api(helper: Helper, port: int) -> ThreadingHTTPServer:
    """The helper's server on 127.0.0.1."""
    handler = type("Bound", (Handler,), {"helper": helper})
    return Server(("127.0.0.1", port), handler)


def daemon_address() -> str:
    """Where the daemon listens: as its settings say."""
    port = DAEMON_PORT
    with contextlib.suppress(OSError, tomllib.TOMLDecodeError, AttributeError):
        port = tomllib.loads((HOME / "pitwall.toml").read_text()).get("api", {}).get("port", port)
    return f"127.0.0.1:{os.environ.get('PITWALL_API_PORT', port)}"


def serve(asked: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT."""
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s", stream=sys.stderr)
    helper = Helper(asked.daemon or daemon_address(), asked)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: helper.stop())
    helper.run()
    return 0


def tell(asked: argparse.Namespace) -> int:
    """Press a button of the helper that runs; without one, start is done here, for nobody else could."""
    status, told = DaemonClient(f"127.0.0.1:{asked.port}").ask(
        "POST", f"/tell/{asked.what}", {}, within_s=15.0
    )
    if status == 0 and asked.what in ("start", "end"):
        for name in SERVICES:
            run_within(["sv", "up" if asked.what == "start" else "down", service_folder(name)], WITHIN_S)
        status, told = 200, {"told": f"both services are to {asked.what}"}
    print(
        told["told"] if isinstance(told, dict) and "told" in told else f"the helper does not answer: {told}"
    )
    return 0 if status == 200 else 1


def main() -> int:
    """What is asked on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=int(os.environ.get("PITWALL_PHONE_PORT", HELPER_PORT)))
    what = parser.add_subparsers(required=True)
    one = what.add_parser("serve")
    one.add_argument("--daemon", metavar="HOST:PORT", help="default: as pitwall.toml says")
    one.add_argument("--pulse-port", type=int, default=PULSE_PORT)
    one.add_argument("--sink", action="append", help="a module of PulseAudio; the first that starts is used")
    one.add_argument(
        "--patience", type=float, default=WITHIN_S, help="seconds a command of the phone may take"
    )
    one.set_defaults(run=serve)
    one = what.add_parser("tell")
    one.add_argument("what", choices=BUTTONS)
    one.set_defaults(run=tell)
    asked = parser.parse_args()
    run: Callable[[argparse.Namespace], int] = asked.run
    return run(asked)


if __name__ == "__main__":
    sys.exit(main())
