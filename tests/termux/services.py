"""The services as install.sh lays them, under Debian's real runit and proot."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import null_sink
from phone_folder import ROOT, PhoneFolder, free_port
from until import wait_until

# Debian's proot in the place of proot-distro's: the same options, the same program beneath. Inside is this
# machine, with the two folders where the services expect them.
GUEST = r"""#!/bin/sh
printf 'proot-distro %s\n' "$*" >> "$PHONE/calls"
[ ! -e "$PHONE/fail-proot-distro" ] || [ "$1" != install ] || exit 1
case $1 in
  install) : > "$PHONE/debian"; exit 0 ;;
  remove) rm -f "$PHONE/debian"; exit 0 ;;
  list) [ ! -e "$PHONE/debian" ] || echo "  * pitwall"; exit 0 ;;
esac
shift 2
binds= names=
while [ "$1" != -- ]; do
  case $1 in
    --bind) binds="$binds -b $2" ;;
    --env) names="$names $2" ;;
  esac
  shift 2
done
shift
exec env -i PATH="$PATH" PYTHONPATH="$PYTHONPATH" PHONE="$PHONE" PREFIX="$PREFIX" PYTHON="$PYTHON" $names \
  proot -r / $binds -w / "$@"
"""


class Services:
    """`runsvdir` on $PREFIX/var/service with our two services, as they are in the repository."""

    def __init__(self, phone: PhoneFolder, *, settings: str = "") -> None:
        null_sink.need("runsvdir", "sv", "svlogd", "proot")
        self.phone, self.port, self.helper_port = phone, free_port(), free_port()
        bin_, etc, code = phone.prefix / "bin", phone.prefix / "etc", phone.prefix / "opt" / "pitwall"
        (bin_ / "proot-distro").write_text(GUEST)
        (bin_ / "proot-distro").chmod(0o755)
        (bin_ / "python").symlink_to(sys.executable)
        venv = code / "releases" / "1" / "venv" / "bin"
        for folder in (etc / "profile.d", venv):
            folder.mkdir(parents=True)
        (code / "current").symlink_to("releases/1")
        (code / "releases" / "1" / "termux").symlink_to(ROOT / "termux")
        (venv / "pitwall").write_text(f'#!/bin/sh\nexec {sys.executable} -m pitwall "$@"\n')
        (venv / "pitwall").chmod(0o755)
        (phone.home / "pitwall.toml").write_text(
            f'[audio]\nplayer = "text"\n[api]\nport = {self.port}\n{settings}'
        )
        options = f"--pulse-port {free_port()} --sink no-such-module --patience 5"
        (etc / "pitwall.conf").write_text(
            f"PITWALL_HOME={phone.home}\nPITWALL_CODE={code}\nPITWALL_DEBIAN=pitwall\n"
            f'PITWALL_PHONE_OPTIONS="{options}"\nPITWALL_PHONE_PORT={self.helper_port}\n'
            "export PITWALL_PHONE_PORT\n"
        )
        (etc / "profile.d" / "start-services.sh").write_text('runsvdir "$PREFIX/var/service" &\n')
        self.folder = phone.prefix / "var" / "service"
        shutil.copytree(ROOT / "termux" / "service", self.folder)
        self.environment = phone.environment(SVDIR=str(self.folder), PYTHONPATH=str(ROOT))
        self._process: subprocess.Popen[bytes] | None = None

    def boot(self) -> None:
        """What Termux:Boot runs; every service that is not down starts."""
        folders = " ".join(str(self.folder / name) for name in self.names)
        # However this process ends, the pipe ends with it, and all that was started here after it.
        self._process = subprocess.Popen(
            [
                "sh",
                "-c",
                f"{ROOT}/termux/boot/start-pitwall; read end; sv -w 30 force-shutdown {folders}; kill 0",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=self.environment,
            start_new_session=True,
        )
        # runsv makes its pipe before it opens it: only an answer shows that it takes commands.
        wait_until(lambda: self.sv("status", *self.names).returncode == 0)

    names = ("pitwall", "pitwall-phone")

    def enable(self) -> None:
        """As sv-enable before a start."""
        for name in self.names:
            (self.folder / name / "down").unlink()

    def sv(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sv", *command], env=self.environment, capture_output=True, text=True, timeout=300, check=False
        )

    def pid(self, name: str) -> int:
        """The process that runsv started, 0 while there is none."""
        told = (self.folder / name / "supervise" / "pid").read_text().strip()
        return int(told or 0)

    def daemon_pid(self) -> int:
        """The daemon's own process, 0 while it has not taken its home."""
        try:
            pid = int((self.phone.home / "pitwall.lock").read_text())
            # The number may be another's by now.
            return pid if b"pitwall" in Path(f"/proc/{pid}/cmdline").read_bytes() else 0
        except (OSError, ValueError):
            return 0

    def log(self, name: str) -> str:
        path = self.phone.prefix / "var" / "log" / "sv" / name / "current"
        try:
            return path.read_text()
        except FileNotFoundError:  # not yet, or just being rotated
            return ""

    def ready(self, times: int) -> bool:
        """Whether the daemon has become ready so often."""
        return self.log("pitwall").count("pitwall is ready") >= times

    def started(self, daemons: int, helpers: int) -> bool:
        """Whether each of the two has come up so often."""
        return self.ready(daemons) and self.log("pitwall-phone").count("helper 1 listens") >= helpers

    def end(self) -> None:
        """Take everything down, whatever state it is in."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)
