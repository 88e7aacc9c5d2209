"""Benchmark of the page in a real Chromium: first paint, and the shared cursor with 20 laps of 25 Hz.

The mouse goes over the charts at 60 moves a second; the page notes when each of its frames begins and how
long its own work for a move takes. The load average stands beside: on a busy machine a frame waits for the
scheduler.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "api"))

from bench_beside import print_measured  # noqa: E402
from browser import browsing  # noqa: E402

from pitwall.config import Home  # noqa: E402
from pitwall.drive.prepare import known_tracks  # noqa: E402
from pitwall.simulator.plan import SimulationPlan  # noqa: E402
from pitwall.simulator.simulate import simulate_to_file  # noqa: E402

LAPS, RATE_HZ, MOVES, EACH_S = 20, 25.0, 300, 1 / 60
# From one frame to the next; and from a move to the end of the page's own work for it.
WATCH = """(() => { const seen = window.bench = { frames: [], work: [], drawn: 0 };
  let last = 0, here = ''; const frame = (now) => { if (last) seen.frames.push(now - last); last = now;
    const text = document.querySelector('.here').textContent;
    if (text !== here) { here = text; seen.drawn += 1; }
    requestAnimationFrame(frame); }; requestAnimationFrame(frame);
  addEventListener('mousemove', () => { seen.begun = performance.now(); }, true);
  addEventListener('mousemove', () => { seen.work.push(performance.now() - seen.begun); }); })()"""


def made(folder: Path) -> Path:
    """The report on a drive of 20 laps, by the commands that a driver types."""
    drive, report = folder / "drive.vbo", folder / "report.html"
    track = known_tracks(Home(folder))[0]["sonoma"]
    simulate_to_file(track, SimulationPlan(laps=LAPS, rate_hz=RATE_HZ), "vbo", drive)
    for words in (("import", str(drive)), ("report", "last", "--out", str(report))):
        command = [sys.executable, "-m", "pitwall", "--home", str(folder / "home"), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return report


async def measure(report: Path) -> dict[str, Any]:
    async with browsing() as page:
        await page.size(1920, 1080)
        await page.open(report.as_uri())
        await page.until("document.querySelectorAll('.uplot').length > 5")
        paint_ms = await page.until("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        drawn_ms = await page.run("performance.now()")
        charts = await page.run("document.querySelectorAll('.uplot').length")
        await page.run("document.querySelector('.u-over').scrollIntoView({ block: 'center' })")
        box = await page.run(
            "(({ left, top, width, height }) => [left, top + height / 2, width])"
            "(document.querySelector('.u-over').getBoundingClientRect())"
        )
        await page.run(WATCH)
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        sent = []
        for number in range(MOVES):
            await asyncio.sleep(begun_s + number * EACH_S - loop.time())
            x = box[0] + box[2] * (0.05 + 0.9 * number / MOVES)
            sent.append(
                asyncio.ensure_future(page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=box[1]))
            )
        await asyncio.gather(*sent)
        seen = await page.run("window.bench")
    frames, work = sorted(seen["frames"]), sorted(seen["work"])
    return {
        "charts": charts,
        "first_paint_ms": round(paint_ms),
        "all_drawn_ms": round(drawn_ms),
        "moves": MOVES,
        "frames": len(frames),
        "frames_with_another_place": seen["drawn"],
        "frame_ms": _figures(frames),
        "frames_a_second": round(1000 * len(frames) / sum(frames), 1),
        "work_of_a_move_ms": _figures(work),
        "load": os.getloadavg()[0],
    }


def _figures(values: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(values, n=100)
    return {
        "p50": round(cuts[49], 2),
        "p95": round(cuts[94], 2),
        "p99": round(cuts[98], 2),
        "max": round(values[-1], 2),
    }


def main() -> None:
    """Print one JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", type=Path, help="a report that is there already")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = asked.report or made(Path(folder))
        found = asyncio.run(measure(report.resolve()))
    print_measured(found, "charts", "frames", "frames_with_another_place", "work_of_a_move_ms.max")


if __name__ == "__main__":
    main()
