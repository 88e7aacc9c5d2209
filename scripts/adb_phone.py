"""The scripts over adb, from a laptop: each `scripts/adb-NAME` is one of these. Exit code 0: all is well; 1:
something is red; 2: it could not be done, with the reason and what to do.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

from adb_drive import SLOW_S, push_drive, smoke
from adb_link import ROOT, Phone, PhoneError, phone_helper

FOLDER = "/sdcard/Download/pitwall"
# A day of recordings, and an upgrade.
FREE_MB = 2000
TERMUX = "com.termux/.app.TermuxActivity"
# What install.sh copies.
SENT = ("pitwall", "track_data", "audio_cache", "termux", "pyproject.toml", "README.md", "LICENSE",
        "scripts/constraints-phone.txt")  # fmt: skip
# Typed into Termux's window: no other way in needs nothing but a stock phone and a cable.
UNPACK = """#!/bin/sh
# Sent by scripts/adb-install.
{
  set -e
  source=$HOME/pitwall-source
  rm -rf "$source"
  mkdir -p "$source"
  tar -xzf "$1/pitwall.tar.gz" -C "$source"
  rm -f "$1/pitwall.tar.gz"
  wheels=
  [ ! -d "$source/wheels" ] || wheels="--wheels $source/wheels"
  # shellcheck disable=SC2086
  sh "$source/termux/install.sh" --yes $wheels
  rm -rf "$source/wheels"
  echo 0 > "$1/status.new"
} > "$1/install.log" 2>&1 || echo 1 > "$1/status.new"
[ -e "$1/status.new" ] || echo 1 > "$1/status.new"
mv "$1/status.new" "$1/status"
"""


def make_parser() -> argparse.ArgumentParser:
    """What each of the scripts takes."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("-s", "--serial", default="", help="which phone, where more than one is connected")
    common.add_argument("--port", type=int, default=8765, help="the daemon's port on the phone")
    common.add_argument("--helper-port", type=int, default=8766, help="the helper's")
    parser = argparse.ArgumentParser(prog="scripts/adb-", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="NAME")
    for name, run in COMMANDS.items():
        one = commands.add_parser(name, parents=[common], prog=f"scripts/adb-{name}", description=run.__doc__)
        for option, about in OPTIONS.get(name, {}).items():
            one.add_argument(option, **about)
        one.set_defaults(run=run)
    return parser


def main() -> int:
    """What is asked on the command line."""
    asked = make_parser().parse_args()
    try:
        phone = Phone(asked.serial, asked.port, asked.helper_port)
        try:
            return int(asked.run(phone, asked))
        finally:
            phone.close()
    except PhoneError as error:
        print(f"adb: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def install(phone: Phone, asked: argparse.Namespace) -> int:
    """Send Pitwall to the phone, and install or upgrade it there; Termux, Termux:API, Termux:Boot first."""
    for app in ("com.termux", "com.termux.api", "com.termux.boot"):
        if phone.shell(f"pm path {app}")[0]:
            raise PhoneError(f"{app} is not on the phone: install it from F-Droid, and open it once")
    with tempfile.TemporaryDirectory() as made:
        bundle, token, begin = (Path(made) / name for name in ("pitwall.tar.gz", "token", "begin.sh"))
        token.write_text(phone.token())
        begin.write_text(UNPACK)
        with tarfile.open(bundle, "w:gz", compresslevel=6) as tar:
            for name in SENT:
                tar.add(ROOT / name, name, filter=_without_caches)
            tar.add(token, "token")
            if asked.wheels:
                tar.add(asked.wheels, "wheels")
        phone.shell(f"rm -f {asked.folder}/status {asked.folder}/install.log")
        for file in (bundle, begin):
            phone.adb("push", str(file), f"{asked.folder}/{file.name}", within_s=600.0)
    for right in ("READ", "WRITE"):
        phone.shell(f"pm grant com.termux android.permission.{right}_EXTERNAL_STORAGE")
    print("installing; the phone's own window shows it")
    _type(phone, f"sh {asked.folder}/begin.sh {asked.folder}")
    code = _outcome(phone, asked, "status")
    print(phone.shell(f"cat {asked.folder}/install.log")[1].rstrip())
    return code


def _without_caches(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if "__pycache__" in entry.name else entry


def _outcome(phone: Phone, asked: argparse.Namespace, status: str) -> int:
    """The exit code of what was typed, once it stands in this file."""
    deadline_s = time.monotonic() + asked.minutes * 60.0
    while phone.shell(f"test -s {asked.folder}/{status}")[0]:
        if time.monotonic() > deadline_s:
            raise PhoneError(f"it is not done after {asked.minutes:g} minutes: look at the phone's window")
        time.sleep(asked.look_every)
    return int(phone.shell(f"cat {asked.folder}/{status}")[1])


def _type(phone: Phone, line: str) -> None:
    """Type a line into Termux's window."""
    phone.shell(f"am start -n {TERMUX}")
    phone.shell(f"input text '{line.replace(' ', '%s')}'")
    phone.shell("input keyevent 66")


def doctor(phone: Phone, asked: argparse.Namespace) -> int:
    """What keeps Android from ending Pitwall, and who answers there; each red line says what mends it."""
    helper = phone_helper()
    rows = [helper.judged(*one) for one in helper.looked(phone.shell)]
    for which in ("daemon", "helper"):
        row = {"name": which, "verdict": "good", "found": "answers", "mend": ""}
        try:
            phone.ask(which, "/status" if which == "daemon" else "/phone")
        except PhoneError as error:
            row |= {"verdict": "missing", "found": str(error)}
        rows.append(row)
    rows.append(free_space(phone.shell("df -k /data")[1]))
    for row in rows:
        print(f"{row['verdict']:<8}{row['name']:<20}{row['found']}")
        if row["mend"]:
            print(f"{'':8}-> {row['mend']}")
    return 1 if any(row["verdict"] == "missing" for row in rows) else 0


def free_space(told: str) -> dict[str, str]:
    """What `df -k` told of the phone's data."""
    row = {
        "name": "free space",
        "verdict": "note",
        "found": f"can't be seen: {told.strip()[:60]}",
        "mend": "",
    }
    if found := re.search(r" (\d+) +\d+% ", told):
        free_mb = int(found[1]) // 1024
        row |= {"verdict": "good", "found": f"{free_mb:,} MB, {FREE_MB:,} MB wanted"}
        if free_mb < FREE_MB:
            row |= {
                "verdict": "missing",
                "mend": "delete something, or fetch recordings with scripts/adb-pull",
            }
    return row


def tune(phone: Phone, asked: argparse.Namespace) -> int:
    """Set what keeps Android from ending Pitwall. --undo puts back what stood there before."""
    helper = phone_helper()
    was: dict[str, str] = phone.noted().get("was", {})
    if asked.undo:
        if not was:
            raise PhoneError("nothing was set from this computer")
        for one in helper.SETTINGS:
            for command in one.back if one.name in was else ():
                told = was[one.name].strip()
                back = command.replace("{was}", told)
                if back.startswith("settings put") and told in ("", "null"):
                    back = back.replace(" put ", " delete ").rsplit(" ", 1)[0]
                _told(phone, back)
        phone.note(was={})
        return 0
    for one, code, told in helper.looked(phone.shell):
        if one.put and helper.judged(one, code, told)["verdict"] != "good":
            # Remembered before it is changed, and once: what a second run finds is ours.
            was.setdefault(one.name, told)
            phone.note(was=was)
            for command in one.put:
                _told(phone, command)
    return doctor(phone, asked)


def _told(phone: Phone, command: str) -> None:
    code, told = phone.shell(command)
    print(f"{'set' if not code else 'REFUSED':<8}{command}" + (f": {told.strip()}" if code else ""))


def replay(phone: Phone, asked: argparse.Namespace) -> int:
    """Drive a recording on the phone at real speed, as if the car sent it."""
    sent = push_drive(phone, asked.file, asked.begin, asked.seconds)
    print(
        f"{sent.samples} samples, on the disk after {sent.median_s * 1e3:.0f} ms, at most {sent.most_s:.2f} s"
    )
    return 0


def bench(phone: Phone, asked: argparse.Namespace) -> int:
    """Run scripts/bench_drive.py in the phone's Debian, and print its JSON beside that of this machine."""
    there, made = f"{asked.folder}/bench", f"{asked.folder}/bench/made"
    phone.shell(f"rm -rf {there}")
    for name in ("bench_drive.py", "bench_beside.py", "data/sonoma-simulated.vbo"):
        phone.adb("push", str(ROOT / "scripts" / name), f"{there}/scripts/{name}")
    inside = f"/opt/pitwall/current/venv/bin/python {there}/scripts/bench_drive.py --quick"
    bind = "--bind $PREFIX/opt/pitwall:/opt/pitwall"
    line = f"env -u LD_PRELOAD proot-distro login pitwall {bind} -- {inside}"
    _type(phone, f"{line} > {made}.json 2> {made}.log; echo $? > {made}.status")
    failed, figures = _outcome(phone, asked, "bench/made.status"), phone.shell(f"cat {made}.json")[1]
    if failed or not figures.startswith("{"):
        raise PhoneError(f"the bench failed there: {phone.shell(f'tail -n 3 {made}.log')[1].strip()}")
    here = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "bench_drive.py"), "--quick"],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout  # fmt: skip
    print(json.dumps({"phone": json.loads(figures), "here": json.loads(here)}, indent=2))
    return 0


def soak(phone: Phone, asked: argparse.Namespace) -> int:
    """Look at the phone for hours with its screen off: memory, CPU, heat, missed callouts; table and plot."""
    phone.shell("input keyevent 223")
    rows: list[dict[str, float]] = []
    begun_s = time.monotonic()
    seen = 0, math.nan, begun_s
    table = asked.out.with_suffix(".csv")
    while len(rows) < 2 or time.monotonic() - begun_s < asked.hours * 3600.0:
        status = phone.ask("daemon", "/status?details=process,voice")["details"]
        battery = phone.ask("helper", "/phone")["battery"]
        pid = int(status["process"]["pid"])
        (was, was_s, at_s), seen = seen, (pid, cpu_s(phone, pid), time.monotonic())
        rows.append(
            {
                "hours": (seen[2] - begun_s) / 3600.0,
                "rss_mb": (status["process"]["rss_bytes"] or 0) / 1e6,
                "cpu_pct": 100.0 * (seen[1] - was_s) / (seen[2] - at_s) if pid == was else math.nan,
                "battery_c": float(battery.get("temperature", math.nan)),
                "battery_pct": float(battery.get("percentage", math.nan)),
                "current_ma": float(battery.get("current", math.nan)) / 1000.0,
                "unheard": float(status["voice"]["unheard"]),
                "restarts": float(status["voice"]["restarts"]),
            }
        )
        lines = [",".join(rows[0]), *(",".join(f"{value:.3f}" for value in row.values()) for row in rows)]
        table.write_text("\n".join(lines) + "\n")
        asked.out.write_text(plot(rows))
        time.sleep(asked.every)
    print(f"{len(rows)} looks: {table}, {asked.out}")
    return 1 if rows[-1]["unheard"] > rows[0]["unheard"] else 0


def cpu_s(phone: Phone, pid: int) -> float:
    """CPU seconds of a process and of the proot that traces it; nan where they can't be seen."""
    tracer = f"$(sed -n 's/^TracerPid:[^0-9]*//p' /proc/{pid}/status)"
    _, told = phone.shell(f"cat /proc/{pid}/stat /proc/{tracer}/stat")
    # After the name in brackets; the 14th and 15th field of all are ticks of 10 ms.
    fields = [line.rpartition(")")[2].split() for line in told.splitlines() if ")" in line]
    return sum(int(each[11]) + int(each[12]) for each in fields) / 100.0 if fields else math.nan


def plot(rows: list[dict[str, float]]) -> str:
    """An SVG: each figure that is known over the hours, on a scale of its own."""
    most_h = max(rows[-1]["hours"], 1e-9)
    drawn, top = list[str](), 20
    for name in [name for name in rows[0] if name != "hours"]:
        known = [(row["hours"], row[name]) for row in rows if not math.isnan(row[name])]
        if not known:
            continue
        low, high = min(value for _, value in known), max(value for _, value in known)
        points = " ".join(
            f"{60 + 700 * at_h / most_h:.1f},{top + 80 - 70 * (value - low) / max(high - low, 1e-9):.1f}"
            for at_h, value in known
        )
        drawn.append(f'<text x="60" y="{top}" font-size="12">{name}: {low:g} to {high:g}</text>')
        drawn.append(f'<polyline points="{points}" fill="none" stroke="black"/>')
        top += 110
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="800" height="{top}">{"".join(drawn)}</svg>\n'


def logs(phone: Phone, asked: argparse.Namespace) -> int:
    """The last of what daemon and helper wrote into their logs."""
    for service in ("pitwall", "pitwall-phone"):
        with phone.open("helper", "GET", f"/logs/{service}?from=-{asked.bytes}") as answer:
            told = answer.read().decode(errors="replace")
        print(f"== {service}\n{told.rstrip() if answer.status == 200 else 'no log yet'}")
    return 0


def pull(phone: Phone, asked: argparse.Namespace) -> int:
    """Fetch every journal and the settings; what came before a break is kept, hashes are compared."""
    bad = 0
    for name, size in phone.ask("helper", "/files").items():
        to = asked.to / name
        to.parent.mkdir(parents=True, exist_ok=True)
        have = to.stat().st_size if to.exists() else 0
        if have < size:
            with phone.open("helper", "GET", f"/files/{name}?from={have}") as answer, to.open("ab") as file:
                while piece := answer.read(1 << 16):
                    file.write(piece)
        with to.open("rb") as file:
            here = hashlib.sha256(file.read(size)).hexdigest()
        there = phone.ask("helper", f"/sum/{name}?bytes={size}")["sha256"]
        if here != there:
            # Another file of that name, or a disk that lies: the next run fetches it whole.
            to.unlink()
            bad += 1
        print(
            f"{'checked' if here == there else 'DAMAGED'} {name} {size} bytes, {max(size - have, 0)} fetched"
        )
    return 1 if bad else 0


COMMANDS = {
    "install": install, "doctor": doctor, "tune": tune, "smoke": smoke, "replay": replay, "bench": bench,
    "soak": soak, "logs": logs, "pull": pull,
}  # fmt: skip
_FOLDER: dict[str, dict[str, Any]] = {
    "--folder": {"default": FOLDER, "help": "where the phone keeps what is sent"}
}
_PATIENCE: dict[str, dict[str, Any]] = {
    "--minutes": {"type": float, "default": 45.0, "help": "how long it may take"},
    "--look-every": {"type": float, "default": 5.0, "help": argparse.SUPPRESS},
}
_DRIVE: dict[str, dict[str, Any]] = {
    "--begin": {"type": float, "default": 0.0, "help": "seconds of the recording that are left out"},
    "--seconds": {"type": float, "default": 1e9, "help": "how much of it is driven"},
}
OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "install": {"--wheels": {"type": Path, "help": "made by scripts/wheelhouse"}, **_FOLDER, **_PATIENCE},
    "bench": {**_FOLDER, **_PATIENCE},
    "tune": {"--undo": {"action": "store_true", "help": "put back what stood there before"}},
    "replay": {"file": {"type": Path}, **_DRIVE},
    "smoke": {
        **_DRIVE, "--begin": {"type": float, "default": 75.0, "help": argparse.SUPPRESS},
        "--seconds": {"type": float, "default": 60.0, "help": "how much of the demo is driven"},
        "--slow": {"type": float, "default": SLOW_S, "help": "the median time, s, that a batch may take"},
    },
    "soak": {
        "hours": {"type": float},
        "--every": {"type": float, "default": 60.0, "help": "seconds between two looks"},
        "--out": {"type": Path, "default": Path("soak.svg"), "help": "the plot; a .csv lies beside it"},
    },
    "logs": {"--bytes": {"type": int, "default": 20_000, "help": "how much of each"}},
    "pull": {"--to": {"type": Path, "default": Path("pitwall-phone"), "help": "which folder"}},
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
