"""The page in a real browser on small and large screens: nothing is wider than the view, nothing is cut off,
and the buttons of the drive can be pressed.

PITWALL_PICTURES=FOLDER keeps a picture of each view, for the eyes of whoever works on the page.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import api_daemon
import pytest
from browser import Page, browsing, let_in
from club import club_circuit
from copies import copied
from long_runs import a_few

from pitwall.api.judged import report_html
from pitwall.config import Home, shipped
from pitwall.drive.prepare import keep_track
from pitwall.drive.replay import import_file
from pitwall.drive.session import LiveState, OtherLap
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.store import Store
from pitwall.telemetry.frame import Frame
from pitwall.track.lap import Position
from pitwall.track.library import load_track
from pitwall.track.model import Track
from pitwall.words.language import language
from pitwall.words.units import Units

pytestmark = pytest.mark.long

# A phone, one that is a little wider, a tablet, a desk; the last is a phone that lies on its side.
SIZES = ((360, 740), (390, 844), (800, 1200), (1600, 900), (740, 360))
LOOKS = (Path(__file__).parent / "looks.js").read_text()
SPOKEN: tuple[Units, ...] = ("metric", "imperial")
# What is stored, in the units with the longer figures; one of them in both.
SEEN = [(each, SPOKEN[1]) for each in ("one_lap", "sixty_laps", "demo_driven")] + [("demo_driven", SPOKEN[0])]
VIEWS = ("laps", "coach", "paddock", "system")
# What the largest figures on the dash may be, and one that is shown as nought.
GAPS_S = (None, -0.004, 0.25, -12.34, 123.4)


def driven(root: Path, track: Track, laps: int, rate_hz: float) -> None:
    """A home with one simulated drive of so many laps."""
    home = Home(root)
    home.prepare()
    if track.id != "sonoma":
        keep_track(home, track)
    simulate_to_file(track, SimulationPlan(laps=laps, rate_hz=rate_hz), "vbo", root / "drive.vbo")
    with Store(home) as store:
        store.open()
        import_file(root / "drive.vbo", home, store)


@pytest.fixture(scope="module")
def stored(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """A home with one session, and what is in it."""
    return request.param, request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def one_lap(made_once: Callable[..., Path]) -> Path:
    sonoma = load_track(shipped("track_data") / "sonoma.json")
    return made_once("one lap", lambda root: driven(root, sonoma, 1, 10.0))


@pytest.fixture(scope="module")
def sixty_laps(made_once: Callable[..., Path]) -> Path:
    return made_once("sixty laps", lambda root: driven(root, club_circuit(), 60, 3.0))


@asynccontextmanager
async def seen(
    root: Path, tmp_path: Path, spoken: Units, life: str = "paddock"
) -> AsyncIterator[tuple[api_daemon.SmallDaemon, Page]]:
    """The page of a daemon over a copy of this home, in a browser that was let in."""
    own = copied(root, tmp_path / f"{root.name} {spoken[0]}")
    async with (
        api_daemon.running(Home(own, language(spoken))) as (daemon, port, token),
        browsing() as page,
    ):
        daemon.life = life
        await let_in(page, port, token)
        await page.run(LOOKS)
        yield daemon, page
        assert page.errors == []


async def fits(page: Page, name: str, *, dash: bool = False) -> None:
    """The view that is seen, on every screen, by day and by night."""
    for width, height in SIZES:
        await page.size(width, height, touch=width < 1000)
        await page.until(f"innerWidth === {width}")
        for look in ("night", "day"):
            await page.run(f"document.documentElement.dataset.look = '{look}'; ui.recolour()")
            where = (name, width, look)
            assert await page.run("looks.outside()") == [], where
            assert await page.run("document.documentElement.scrollWidth") <= width, where
            assert await page.run("looks.small()") == [], where
            if dash:
                assert await page.run("document.body.scrollHeight") <= height, where
                assert await page.run("looks.unreached('.marks button')") == [], where
                named = "document.querySelector('.delta .name').checkVisibility()"
                assert await page.run(f"!document.querySelector('.standing').hidden || {named}"), where
            if folder := os.environ.get("PITWALL_PICTURES"):
                await page.picture(Path(folder) / f"{name} {width} {look}.png", whole=not dash)


@pytest.mark.parametrize("spoken", a_few(SPOKEN, 1), ids=str)
async def test_the_dash_fits_whatever_is_lost_and_however_large_the_gap(
    one_lap: Path, tmp_path: Path, spoken: Units
) -> None:
    async with seen(one_lap, tmp_path, spoken, "flying") as (daemon, page):
        daemon.track = "sonoma"
        daemon.said = language(spoken).fixed["gps_lost"]
        shown = "document.querySelector('.delta .value').textContent"
        for lost in ((), ("words", "audio", "imu", "can", "gps", "sources")):
            for each in lost:
                daemon.losses.lost(each, 1.0, "no reading")
            await page.run("location.hash = 'system'")
            await page.run("location.hash = 'drive'")
            await page.until("document.querySelector('.life').textContent.includes('Sonoma')")
            # A page that was just opened knows what was said before; of all that is lost it tells the worst.
            assert await page.until("document.querySelector('.said').textContent") == daemon.said
            told = await page.run("document.querySelector('.alarm:not([hidden])')?.textContent ?? ''")
            assert told == (language(spoken).fixed["data_lost"] if lost else "")
            for t, gap_s in enumerate(GAPS_S, 1 + 10 * len(lost)):
                before = await page.run(shown)
                state = LiveState(
                    t=t, lap=60, lap_elapsed_s=746.8, distance_m=2012.5, delta_s=gap_s, predicted_s=721.4,
                    best_s=1203.123, last_s=1204.5, sectors_s=(412.3, 398.1),
                    best_sectors_s=(412.4, 398.09, 401.0),
                )  # fmt: skip
                daemon.live.publish_frame(Frame(t, speed_mps=88.8), Position(t, 2012.5, 0.1, "on"), state)
                if gap_s is not None:
                    assert before != await page.until(f"({shown}) !== {before!r} && {shown}")
                await fits(page, f"dash {spoken[0]} {len(lost)} {gap_s}", dash=True)
        kinds = await page.run(
            "[...document.querySelectorAll('.sectors li')].map((each) => each.dataset.kind)"
        )
        assert kinds == ["record", "faster", ""]
        # A tap shows the gap to another lap than the coach's: this session's best, the day's, all days'.
        of = ("session", "day", "all")
        others = tuple(OtherLap(each, "20250512-170000-abcdef:4", 91.0 - n) for n, each in enumerate(of))
        state = LiveState(
            t=39.0,
            lap=60,
            others=others,
            other_deltas_s=(0.5, 1.5, 2.5),
            delta_s=0.25,
            reference="remembered",
            reference_s=89.0,
            distance_m=5.0,
            best_s=1203.123,
            last_s=1204.5,
        )
        daemon.live.publish_frame(
            Frame(39.0, speed_mps=50.0, gear=3, rpm=7000.0), Position(39.0, 5.0, 0.1, "on"), state
        )
        gap = "document.querySelector('.delta').textContent.toLowerCase()"
        # The coach's own reference has its day too.
        await page.until(f"{gap} === 'vs 1:29.000 (may 12, 2025)+0.25'")
        for seen_gap in ("vs 1:31.000 (this session)+0.50", "vs 1:30.000 (today)+1.50"):
            await page.run("document.querySelector('.delta').click()")
            await page.until(f"{gap} === {seen_gap!r}")
        await page.run("document.querySelector('.delta').click()")
        assert await page.run(gap) == "vs 1:29.000 (may 12, 2025)+2.50"
        await page.run("document.querySelector('.delta').click(); document.querySelector('.speed').click()")
        daemon.live.publish_frame(
            Frame(39.1, speed_mps=50.0, gear=3, rpm=7000.0), Position(39.1, 9.0, 0.1, "on"), state
        )
        await page.until("document.querySelector('.speed').innerText.includes('3')")
        assert await page.run("document.querySelector('.speed').dataset.shift") == "now"
        await page.run("document.querySelector('.speed').click()")
        # A lap more: its time stands where the next corner stood, in the colour of a best one.
        state = LiveState(t=40.0, lap=61, lap_elapsed_s=0.2, best_s=1199.9, last_s=1199.9)
        daemon.live.publish_frame(Frame(40.0, speed_mps=50.0), Position(40.0, 9.0, 0.1, "on"), state)
        ended = "[...document.querySelectorAll('.next span')].map((each) => each.textContent).join(' ')"
        assert await page.until(f"({ended}).startsWith('Lap 60') && {ended}") == "Lap 60 19:59.900 −3.22"
        # Ten seconds without a reading: nothing that was so then stands there as if it were now.
        await page.run(
            "(now => { performance.now = () => now() + 10500; })(performance.now.bind(performance))"
        )
        daemon.live.publish_event(41.0, "lap", "")
        await page.until(
            "[...document.querySelectorAll('.big .value, .next .value')].every((e) => e.textContent === '–')"
        )
        daemon.life = "paddock"
        daemon.live.publish_event(42.0, "session", "paddock")
        await page.until("document.querySelector('.standing:not([hidden]) dd')")
        await fits(page, f"card {spoken[0]}", dash=True)


@pytest.mark.parametrize(
    ("stored", "spoken"),
    a_few(SEEN, 3),
    indirect=["stored"],
    ids=lambda each: each if isinstance(each, str) else each[0],
)
async def test_every_view_of_a_session_fits(stored: tuple[str, Path], tmp_path: Path, spoken: Units) -> None:
    which, root = stored
    async with seen(root, tmp_path, spoken) as (_, page):
        for view in VIEWS:
            await page.run(f"location.hash = '{view}'")
            await page.until(
                f"document.body.dataset.view === '{view}' && !document.querySelector('main > .empty')"
            )
            if view == "paddock" and which == "demo_driven":
                await page.until("document.querySelector('.moment .uplot')")
            await fits(page, f"{which} {spoken[0]} {view}")
            if view == "laps":
                await laps_are_in_view(page, which)


async def laps_are_in_view(page: Page, which: str) -> None:
    """On a tablet a lap can be marked and read to its end, on a phone its time, gap and mark are there."""
    cells = (
        "[...document.querySelectorAll('table.laps tr:nth-child(2) td')]"
        ".map((each) => each.getBoundingClientRect().right)"
    )
    for width, height in SIZES[:3]:
        await page.size(width, height, touch=True)
        await page.until(f"innerWidth === {width}")
        rights = await page.run(cells)
        assert max(rights) <= width, (which, width)
        # The track stays in view next to the figures of the cursor.
        empty = "Object.assign(document.createElement('canvas'), { width: 72, height: 72 })"
        await page.until(f"document.querySelector('.mini').toDataURL() !== {empty}.toDataURL()")


@pytest.mark.parametrize(
    ("stored", "spoken"),
    a_few(SEEN, 3),
    indirect=["stored"],
    ids=lambda each: each if isinstance(each, str) else each[0],
)
async def test_the_report_fits(stored: tuple[str, Path], tmp_path: Path, spoken: Units) -> None:
    which, made = stored
    root = copied(made, tmp_path / "home")
    with Store(Home(root, language(spoken))) as store:
        store.open()
        (tmp_path / "report.html").write_bytes(report_html(store, "last"))
    async with browsing() as page:
        await page.open((tmp_path / "report.html").as_uri())
        await page.run(LOOKS)
        await fits(page, f"{which} {spoken[0]} report")
        assert page.errors == []
