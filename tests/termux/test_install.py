"""install.sh in a folder that stands for $PREFIX: run, broken off, upgraded, rolled back, taken away."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import null_sink
import pytest
from long_runs import a_few
from phone_folder import ROOT, STAND_IN, PhoneFolder
from services import GUEST

# What stands in for Termux's package manager and for what a guest installs. `fail-NAME`: it fails.
MANAGERS = """#!/bin/sh
name=${0##*/}
case $* in "-m pip "*) name=pip ;; "-c "*) name=clips ;; esac
printf '%s %s\\n' "$name" "$*" >> "$PHONE/calls"
[ ! -e "$PHONE/fail-$name" ] || { echo "$name: no network" >&2; exit 1; }
case "$name $*" in
  pkg*) ln -sf "$STAND_IN" "$PREFIX/bin/play-audio" ;;
  "python3 -m venv "*)
    mkdir -p "$3/bin" && ln -sf "$(command -v pip)" "$3/bin/python"
    printf '#!/bin/sh\\nexec %s -m pitwall "$@"\\n' "$PYTHON" > "$3/bin/pitwall" && chmod 755 "$3/bin/pitwall"
    ;;
esac
"""
SOURCES = (
    "pitwall/store/schema.py",
    "pitwall/__init__.py",
    "termux",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "scripts/constraints-phone.txt",
)


class Installed:
    """A copy of what is installed, small, and the phone that it goes to."""

    def __init__(self, phone: PhoneFolder, tmp_path: Path) -> None:
        null_sink.need("proot")
        self.phone, self.source = phone, tmp_path / "pushed"
        for name in SOURCES:
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, self.source / name)
        for name in ("track_data", "audio_cache"):
            (self.source / name).mkdir()
        bin_ = phone.prefix / "bin"
        (bin_ / "proot-distro").write_text(GUEST)
        (bin_ / "manager").write_text(MANAGERS)
        for name in ("pkg", "apt-get", "python3", "pip"):
            (bin_ / name).symlink_to("manager")
        for name in ("python", "pkill", "sv", "uname", "termux-wake-unlock"):
            (bin_ / name).unlink(missing_ok=True)
            (bin_ / name).write_text(
                '#!/bin/sh\nprintf "%s %s\\n" "${0##*/}" "$*" >> "$PHONE/calls"\necho aarch64\n'
            )
        for path in bin_.iterdir():
            if not path.is_symlink():
                path.chmod(0o755)
        (bin_ / "sh").symlink_to("/bin/sh")
        (bin_ / "play-audio").unlink()
        self.home = tmp_path / "termux-home"
        self.home.mkdir()

    def run(self, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = self.phone.environment(
            HOME=str(self.home), STAND_IN=str(STAND_IN), PYTHON=sys.executable, **more
        )
        # What is installed takes itself back, from its own copy.
        there = self.code / "current" / "termux" / "install.sh"
        back = {"--rollback", "--uninstall"} & set(options) and there.exists()
        return subprocess.run(
            ["sh", str(there if back else self.source / "termux" / "install.sh"), *options],
            env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=120, check=False,
        )  # fmt: skip

    def good(self, *options: str) -> str:
        done = self.run("--yes", *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @property
    def code(self) -> Path:
        return self.phone.prefix / "opt" / "pitwall"

    def current(self) -> str:
        return os.readlink(self.code / "current")

    def supervised(self) -> None:
        """As where runsvdir has found the services."""
        for name in ("pitwall", "pitwall-phone"):
            (self.phone.prefix / "var/service" / name / "supervise").mkdir()
            os.mkfifo(self.phone.prefix / "var/service" / name / "supervise/ok")

    def broken_at(self, command: str, call: int, how: str) -> Path:
        """From now on this call of a command does `how`; returns what to take away again."""
        path = self.phone.prefix / "bin" / command
        real = shutil.which(command, path="/usr/bin:/bin")
        if path.exists():
            real = str(path.rename(path.with_name(f"{command}-whole")))
        path.write_text(
            f'#!/bin/sh\necho x >> "$PHONE/calls-{command}"\n'
            f'[ $(wc -l < "$PHONE/calls-{command}") -ne {call} ] || {{ {how}; }}\nexec {real} "$@"\n'
        )
        path.chmod(0o755)
        return path

    def mended(self, breaker: Path) -> None:
        """Take away what `broken_at` returned."""
        breaker.unlink()
        whole = breaker.with_name(f"{breaker.name}-whole")
        if whole.exists():
            whole.rename(breaker)

    def started(self) -> list[str]:
        """The services that `sv up` was called for since the last `sv down`, or since ever."""
        calls = [line for line in self.phone.lines("calls") if line.startswith("sv")]
        since = max((n for n, line in enumerate(calls) if " down " in line), default=-1)
        return sorted({line.split("/")[-1] for line in calls[since + 1 :] if " up " in line})

    def newer(self) -> None:
        """A newer copy was pushed."""
        path = self.source / "termux" / "phone.py"
        path.write_text(path.read_text() + "# newer\n")

    def tree(self) -> dict[str, str]:
        """Every file of the phone but the stand-ins' own notes."""
        roots = (self.phone.prefix, self.phone.home, self.home)
        paths = [path for root in roots for path in root.rglob("*") if not path.is_dir() or path.is_symlink()]
        return {
            str(path): os.readlink(path) if path.is_symlink() else path.read_text("latin-1") for path in paths
        }


@pytest.fixture
def installed(phone: PhoneFolder, tmp_path: Path) -> Installed:
    return Installed(phone, tmp_path)


def test_it_says_what_it_would_do_and_does_nothing(installed: Installed) -> None:
    before = installed.tree()
    told = installed.run("--dry-run")
    assert told.returncode == 0, told.stderr
    for word in ("pkg install", "proot-distro install debian:trixie", "pip install", "start-pitwall"):
        assert word in told.stdout
    assert installed.tree() == before
    asked = installed.run()
    assert (asked.returncode, installed.tree()) == (1, before), "without --yes it asks, and nobody said yes"


def test_run_and_run_again(installed: Installed) -> None:
    (installed.source / "token").write_text("t" * 43)
    installed.good("--wheels", str(installed.source / "track_data"))
    calls = installed.phone.lines("calls")
    (pip,) = [line for line in calls if line.startswith("pip ") and "--require-hashes" in line]
    assert "--no-index --find-links /opt/pitwall/wheels" in pip
    assert (installed.phone.home / "token").read_text() == "t" * 43
    assert (installed.phone.home / "token").stat().st_mode & 0o077 == 0
    assert not (installed.source / "token").exists(), "the token is nowhere else any more"
    service = installed.phone.prefix / "var/service/pitwall/run"
    assert service.read_text().startswith(f"#!{installed.phone.prefix}/bin/sh\n")
    assert (installed.home / ".termux/boot/start-pitwall").exists()
    assert {path.name for path in (installed.home / ".shortcuts").iterdir()} >= {
        "pitwall-mark",
        "pitwall-start",
    }
    before = installed.tree()
    told = installed.good()
    assert told.count("done already") == 8
    assert installed.tree() == before


@pytest.mark.parametrize("broken", ["pkg", "proot-distro", "apt-get", "python3", "pip", "clips"])
def test_broken_off_and_gone_on_with(installed: Installed, broken: str) -> None:
    installed.phone.be(f"fail-{broken}")
    done = installed.run("--yes")
    assert done.returncode != 0
    assert "->" in done.stderr or broken == "python3"
    assert not (installed.code / "current").exists()
    installed.phone.no_longer(f"fail-{broken}")
    installed.good()
    assert (installed.code / installed.current() / "venv/complete").exists()


# In the steps that change what runs: which call of which command is the last one.
BREAKS = [("mv", 2), ("mv", 3), ("ln", 2), ("mv", 1), ("ln", 3), ("chmod", 3), ("mv", 6)]


@pytest.mark.parametrize(("command", "call"), a_few(BREAKS, 2))
def test_an_upgrade_that_is_killed_anywhere_is_gone_on_with(
    installed: Installed, command: str, call: int
) -> None:
    installed.good()
    first, code = installed.current(), installed.code
    conf, run = (
        installed.phone.prefix / "etc/pitwall.conf",
        installed.phone.prefix / "var/service/pitwall/run",
    )
    as_it_was = conf.read_text(), run.read_text()
    (installed.phone.home / "pitwall.duckdb").write_text("rows")
    installed.newer()
    breaker = installed.broken_at(command, call, "kill -9 $PPID; exit 1")
    assert installed.run("--yes").returncode == -9
    assert (code / "current" / "termux" / "pitwall").exists(), "one version or the other is whole"
    assert (conf.read_text(), run.read_text()) == as_it_was
    breaker.unlink()
    installed.good()
    assert installed.current() != first
    assert os.readlink(code / "previous") == first
    assert len(list((code / "releases").iterdir())) == 2
    assert [path.read_text() for path in (installed.phone.home / "backups").iterdir()] == ["rows"]


@pytest.mark.parametrize(
    ("command", "how"), [("cp", 'case "$*" in *before-*) exit 1;; esac'), ("mv", "kill -TERM $PPID")]
)
def test_an_upgrade_that_fails_leaves_the_services_running(
    installed: Installed, command: str, how: str
) -> None:
    installed.good()
    installed.supervised()
    first = installed.current()
    (installed.phone.home / "pitwall.duckdb").write_text("rows")
    installed.newer()
    # Of `cp` whichever copies the database; of `mv` the first.
    breaker = installed.broken_at(command, 1, how)
    if command == "cp":
        breaker.write_text(f'#!/bin/sh\n{how}\nexec /bin/cp "$@"\n')
    done = installed.run("--yes")
    assert done.returncode not in (0, -9)
    assert ("the disk is full" in done.stderr) == (command == "cp")
    assert installed.current() == first
    asked = [line.split("/")[-1] for line in installed.phone.lines("calls") if line.startswith("sv up ")]
    assert asked[-2:] == ["pitwall", "pitwall-phone"]
    assert not installed.phone.lines("calls")[-1].startswith("sv -w")
    breaker.unlink()
    installed.good()
    assert installed.current() != first


@pytest.mark.long
def test_an_upgrade_keeps_everything_and_can_be_rolled_back(installed: Installed) -> None:
    installed.good()
    first = installed.current()
    home = installed.phone.home
    (home / "journals").mkdir(exist_ok=True)
    (home / "journals" / "one.pwj").write_text("a recording")
    (home / "pitwall.duckdb").write_text("rows")
    (home / "pitwall.toml").write_text("driver = 'me'\n")
    installed.newer()
    installed.good()
    second = installed.current()
    assert second != first
    assert [path.read_text() for path in (home / "backups").iterdir()] == ["rows"]
    assert (home / "pitwall.toml").read_text() == "driver = 'me'\n"
    installed.good("--rollback")
    assert installed.current() == first
    assert not (installed.code / first / "termux/phone.py").read_text().endswith("# newer\n")
    installed.good("--rollback")
    assert installed.current() == second
    for _ in range(2):
        installed.newer()
        installed.good()
    assert len(list((installed.code / "releases").iterdir())) == 2, "older ones go"
    assert (home / "journals" / "one.pwj").read_text() == "a recording"


@pytest.mark.long
def test_a_roll_back_to_a_version_that_cannot_read_the_database_puts_the_older_one_back(
    installed: Installed,
) -> None:
    installed.good()
    home = installed.phone.home
    database = home / "pitwall.duckdb"
    database.write_text("old rows")
    schema = installed.source / "pitwall/store/schema.py"
    schema.write_text(schema.read_text() + "# one more table\n")
    installed.good()
    database.write_text("new rows")
    (home / "pitwall.duckdb.wal").write_text("new log")
    told = installed.good("--rollback")
    assert "made again from their journals" in told
    assert (database.read_text(), (home / "pitwall.duckdb.wal").exists()) == ("old rows", False)
    [kept] = (home / "backups").glob("after-*.duckdb")
    assert (kept.read_text(), kept.with_name(f"{kept.name}.wal").read_text()) == ("new rows", "new log")
    installed.newer()
    database.write_text("rows since")
    installed.good()
    installed.good("--rollback")
    assert database.read_text() == "rows since", "the same tables: nothing is put back"


# Of the roll back: the plan, the database and its log, the links, the copy that is put back, the start.
BACK_BREAKS = [
    ("sv", 3),
    ("mv", 4),
    ("mv", 2),
    ("mv", 3),
    ("cp", 1),
    ("mv", 5),
    ("ln", 2),
    ("mv", 1),
    ("sv", 4),
]


@pytest.mark.parametrize(("command", "call"), a_few(BACK_BREAKS, 1))
def test_a_roll_back_that_is_killed_anywhere_is_gone_on_with(
    installed: Installed, command: str, call: int
) -> None:
    installed.good()
    first, code, home = installed.current(), installed.code, installed.phone.home
    database, log = home / "pitwall.duckdb", home / "pitwall.duckdb.wal"
    database.write_text("old rows")
    schema = installed.source / "pitwall/store/schema.py"
    schema.write_text(schema.read_text() + "# one more table\n")
    installed.good()
    second = installed.current()
    installed.supervised()
    database.write_text("new rows")
    log.write_text("new log")
    breaker = installed.broken_at(command, call, "kill -9 $PPID; exit 1")
    assert installed.run("--yes", "--rollback").returncode == -9
    assert (code / "current" / "termux" / "pitwall").exists(), "one version or the other is whole"
    installed.mended(breaker)
    installed.good("--rollback")
    assert (installed.current(), os.readlink(code / "previous")) == (first, second)
    assert (database.read_text(), log.exists()) == ("old rows", False)
    [kept] = (home / "backups").glob("after-*.duckdb")
    assert (kept.read_text(), kept.with_name(f"{kept.name}.wal").read_text()) == ("new rows", "new log")
    assert (code / "services-of").read_text().strip() == first.removeprefix("releases/")
    assert installed.started() == ["pitwall", "pitwall-phone"]
    installed.good("--rollback")
    assert installed.current() == second, "the next one is another one"


def test_uninstalled_the_recordings_stay_unless_told(installed: Installed) -> None:
    before = set(installed.tree())
    installed.good()
    journal = installed.phone.home / "journals" / "one.pwj"
    journal.parent.mkdir(exist_ok=True)
    journal.write_text("a recording")
    installed.good("--uninstall")
    left = set(installed.tree()) - before
    assert all(str(installed.phone.home) in path or path.endswith("play-audio") for path in left), left
    assert journal.exists()
    assert "proot-distro remove pitwall" in installed.phone.lines("calls")
    installed.good("--uninstall", "--delete-recordings")
    assert not installed.phone.home.exists()


@pytest.mark.parametrize(
    ("state", "word"),
    [("no-api", "Termux:api"), ("no-boot", "Termux:boot"), ("battery", "12 %"), ("small", "MB are wanted")],
)
def test_what_would_fail_later_is_told_first(installed: Installed, state: str, word: str) -> None:
    installed.phone.be(state, '{"percentage": 12}')
    if state == "small":
        path = installed.phone.prefix / "bin" / "df"
        path.write_text("#!/bin/sh\necho x\necho disk 1 1 99999 1 /\n")
        path.chmod(0o755)
    done = installed.run("--yes")
    assert (done.returncode, word in done.stderr) == (1, True), done.stderr
    assert not any(line.startswith("pkg ") for line in installed.phone.lines("calls"))


def test_downloads_that_cannot_be_reached_are_told_and_stop_nothing(installed: Installed) -> None:
    assert "termux-setup-storage" in installed.good("--only", "check")
    (installed.home / "storage" / "shared").mkdir(parents=True)
    assert "termux-setup-storage" not in installed.good("--only", "check")


def test_termux_from_the_wrong_store_is_refused(installed: Installed) -> None:
    done = installed.run("--yes", TERMUX_APK_RELEASE="GOOGLE_PLAY_STORE")
    assert (done.returncode, "F-Droid" in done.stderr) == (1, True)


def test_a_disk_that_fills_up_leaves_the_old_version(installed: Installed) -> None:
    installed.good()
    was = installed.current()
    installed.newer()
    limited = ["sh", "-c", f'ulimit -f 8; exec sh "{installed.source}/termux/install.sh" --yes --only code']
    environment = installed.phone.environment(
        HOME=str(installed.home), STAND_IN=str(STAND_IN), PYTHON=sys.executable
    )
    done = subprocess.run(limited, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, "the disk is full" in done.stderr) == (1, True), done.stdout + done.stderr
    assert installed.current() == was
    assert len(list((installed.code / "releases").iterdir())) == 1
    installed.good()
    assert installed.current() != was


def test_what_a_phone_installs_is_what_is_tested() -> None:
    """Each package of the phone stands in the tests' own constraints, in the same version."""

    def pins(name: str) -> set[str]:
        text = (ROOT / "scripts" / name).read_text()
        return {line.split(" ")[0] for line in text.splitlines() if "==" in line and not line.startswith("#")}

    phone = pins("constraints-phone.txt")
    assert phone <= pins("constraints-dev.txt")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = dict(project["optional-dependencies"])
    # A phone runs no tests and no assistant.
    del extras["dev"], extras["mcp"]
    wanted = {
        re.split(r"[<>=; ]", each)[0]
        for wants in (project["dependencies"], *extras.values())
        for each in wants
    }
    assert wanted <= {each.split("==")[0] for each in phone}
