"""`pitwall report SESSION`: one HTML file to look at and to send."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

from pitwall.api.report_file import report_html
from pitwall.commands.common import SESSION_HELP, must_be_new, say, uncollected, write_new
from pitwall.commands.stored_or_served import read, segment
from pitwall.config import Home
from pitwall.contract.child_process import end_program, start_program
from pitwall.contract.problems import UserError
from pitwall.store.files import free_name

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# As root, as in a phone's proot, Chromium runs without its sandbox only; the page is our own and asks nobody.
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-sync", "--disable-background-networking", "--disable-component-update",
    "--no-pdf-header-footer",
    "--window-size=720,1000",  # a page's width between its margins: charts are drawn for it
    "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000",
)  # fmt: skip
# A phone takes ten times as long as a laptop.
PRINTED_WITHIN_S = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help=SESSION_HELP)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the file to write (default: SESSION.html here)"
    )
    parser.add_argument("--pdf", action="store_true", help="as PDF, printed by an installed Chromium")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Write the report; a file that is there already stays."""
    wanted = arguments.session
    if arguments.out is not None:
        must_be_new(arguments.out)
    browser = _browser() if arguments.pdf else ""
    # A session's columns are a million numbers without a cycle among them.
    with uncollected():
        content = read(home, lambda store: report_html(store, wanted), f"/sessions/{segment(wanted)}/report")
    plain = "".join(c if c.isalnum() or c in "._-" else "_" for c in wanted) or "session"
    path: Path = arguments.out or free_name(Path.cwd(), f"{plain}{'.pdf' if arguments.pdf else '.html'}")
    if arguments.pdf:
        content = _printed(content, browser)
    write_new(path, content)
    form = "report printed" if arguments.pdf else "report written"
    say(home.words.say(form, path=str(path), size=len(content) / 1e6))
    return 0


def _browser() -> str:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise UserError(
            "--pdf needs a browser that prints: install chromium, or open the HTML report and print it there"
        )
    return found


def _printed(html: bytes, browser: str) -> bytes:
    """The report as the browser prints it, without a network. UserError where it does not."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page, made = Path(folder) / "report.html", Path(folder) / "report.pdf"
        page.write_bytes(html)
        words = (browser, *FLAGS, f"--user-data-dir={folder}", f"--print-to-pdf={made}", page.as_uri())
        process = start_program(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            process.wait(PRINTED_WITHIN_S)
        except subprocess.TimeoutExpired:
            raise UserError(f"{browser} did not print within {PRINTED_WITHIN_S:g} s; try again") from None
        finally:
            end_program(process, 0.0)
        if not made.is_file():
            raise UserError(f"{browser} printed nothing (exit {process.returncode}); give the HTML report")
        return made.read_bytes()
