"""A driver's own film beside the charts, in a real browser: which frame is seen where the cursor is."""

from __future__ import annotations

import os
from bisect import bisect_left
from pathlib import Path

import api_daemon
import pytest
from browser import Page, browsing, judged, let_in
from films import FIX_HZ, FPS, FRAME_SHOWN, film

from pitwall.config import Home
from pitwall.store import queries
from pitwall.store.store import Store
from pitwall.words.language import language

pytestmark = pytest.mark.long
EN = language().terms("page")
# The film begins so long before lap 1 and shows so much of it.
BEFORE_S, LONG_S = 5.0, 48
WITHIN_S = 0.1
HERE_M = "parseInt(document.querySelector('.here').textContent)"


class Driven:
    """What the demo drove, by the store: the truth about the film."""

    def __init__(self, home: Home) -> None:
        with Store(home) as store:
            store.open()
            [row] = queries.sessions(store)
            self.utc_s = row.start_utc_s or 0.0
            self.start_t = next(lap.start_t for lap in queries.laps(store, row.id) if lap.number == 1)
            sql = "SELECT t, speed_mps, distance_m, lap FROM frames WHERE speed_mps IS NOT NULL ORDER BY t"
            self.frames = store.cursor().execute(sql).fetchall()
        self.times = [t for t, *_ in self.frames]

    def speed(self, t: float) -> float:
        return float(self.frames[bisect_left(self.times, t)][1])

    def t_at(self, distance_m: float) -> float:
        """When lap 1 was there, from its start, seconds."""
        (t0, d0), (t1, d1) = (
            (before[0], before[2])
            for before in next(
                (one, two)
                for one, two in zip(self.frames, self.frames[1:], strict=False)
                if one[3] == two[3] == 1 and one[2] <= distance_m < two[2]
            )
        )
        return float(t0 + (t1 - t0) * (distance_m - d0) / (d1 - d0)) - self.start_t


async def chosen(page: Page, *paths: Path) -> None:
    """Pick files as a person does, and wait for what the page says of it."""
    root = (await page.call("DOM.getDocument"))["root"]["nodeId"]
    found = await page.call("DOM.querySelector", nodeId=root, selector=".filmpick input")
    await page.call("DOM.setFileInputFiles", nodeId=found["nodeId"], files=[str(path) for path in paths])


async def arrived(page: Page) -> None:
    await page.until(
        "(({ seeking, readyState }) => !seeking && readyState > 1)(document.querySelector('.panes video'))"
    )
    # The frame is on the screen only after it was painted.
    await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


async def pressed(page: Page, word: str) -> None:
    buttons = "[...document.querySelectorAll('.films button')]"
    await page.run(f"{buttons}.find((each) => each.textContent === {EN[word]!r}).click()")


async def corners_are_seen(page: Page, driven: Driven) -> None:
    """From corner to corner by the button: the frame is that of the cursor's place in lap 1."""
    for _ in range(3):
        await pressed(page, "corner after")
        await arrived(page)
        at_m = await page.run(HERE_M)
        frame = await page.run(FRAME_SHOWN)
        assert abs((frame + 0.5) / FPS - BEFORE_S - driven.t_at(at_m)) < WITHIN_S, at_m


async def chapters_go_on_into_each_other(
    page: Page, drive: Driven, speeds: list[float], folder: Path
) -> None:
    """A camera of today splits its film in two: picked in any order they are one."""
    half, utc_s = LONG_S // 2, drive.utc_s + drive.start_t - BEFORE_S
    for name, i in (("GX010007.MP4", 0), ("GX020007.MP4", 1)):
        part = speeds[i * half * FIX_HZ :][: half * FIX_HZ]
        content = film(half * FPS, part, utc_s + i * half, first=i * half * FPS, nine=True)
        (folder / name).write_bytes(content)
    await chosen(page, folder / "GX020007.MP4", folder / "GX010007.MP4")
    await page.until(f"document.querySelector('.filmpick .told').textContent === {EN['aligned']!r}")
    await arrived(page)
    await page.run("charts && document.querySelector('.charts').focus()")
    await page.press("Home")
    await corners_are_seen(page, drive)
    # Before the first one's end it plays, and goes on in the second one.
    await page.press("Home")
    await arrived(page)
    shown = "document.querySelector('.panes video')"
    first = await page.run(f"{shown}.src")
    await page.run(f"{shown}.currentTime = {half - 1.0}")
    await arrived(page)
    before = await page.run(HERE_M)
    await pressed(page, "play")
    await page.until(f"{shown}.src !== {first!r} && !{shown}.paused && {shown}.currentTime > 0.3")
    await page.run(f"{shown}.pause()")
    await arrived(page)
    frame = await page.run(FRAME_SHOWN)
    assert half * FPS < frame < (half + 10) * FPS
    at_m = await page.run(HERE_M)
    assert at_m > before
    assert abs((frame + 0.5) / FPS - BEFORE_S - drive.t_at(at_m)) < WITHIN_S


async def test_a_film_is_aligned_by_its_gps_or_by_hand_and_goes_with_the_cursor(
    driven: Home, tmp_path: Path
) -> None:
    drive = Driven(driven)
    begin_t = drive.start_t - BEFORE_S
    speeds = [drive.speed(begin_t + i / FIX_HZ) for i in range(LONG_S * FIX_HZ)]
    # The camera's clock is wrong by three seconds: the speeds say better when it was.
    (tmp_path / "gopro.mp4").write_bytes(film(LONG_S * FPS, speeds, drive.utc_s + begin_t + 3.0))
    (tmp_path / "plain.mp4").write_bytes(film(LONG_S * FPS))
    told = "document.querySelector('.filmpick .told').textContent"
    async with api_daemon.running(driven) as (_, port, token), browsing() as page:
        await let_in(page, port, token, "#laps")
        await page.until("document.querySelectorAll('.uplot').length > 5")
        asked = len(page.asked)
        await chosen(page, tmp_path / "gopro.mp4")
        assert await page.until(f"{told} !== {EN['reading film']!r} && {told}") == EN["aligned"]
        await arrived(page)
        await corners_are_seen(page, drive)
        # A corner behind the film's end: it says so, and the cursor stays there.
        of_turn = "document.querySelector('option[value=turn_11]').parentElement"
        await page.run(f"((each) => {{ each.value = 'turn_11'; each.onchange(); }})({of_turn})")
        assert await page.until(f"{told} === {EN['film ends']!r} && {told}")
        assert "Turn 11" in await page.run("document.querySelector('.here').textContent")
        # The driver moves the film by its own bar: the cursor goes with it.
        await page.run("document.querySelector('.panes video').currentTime = 20.02")
        await arrived(page)
        assert abs(drive.t_at(await page.run(HERE_M)) - (20.02 - BEFORE_S)) < WITHIN_S
        await page.run((Path(__file__).parent / "looks.js").read_text())
        for width, height in ((360, 740), (390, 844), (1200, 900)):
            await page.size(width, height, touch=width < 1000)
            await page.until(f"innerWidth === {width}")
            for found in ("outside", "small"):
                assert await page.run(f"looks.{found}()") == [], width
            if folder := os.environ.get("PITWALL_PICTURES"):
                await page.run("document.querySelector('.films').scrollIntoView()")
                await page.picture(Path(folder) / f"film {width}.png")
        await judged(page)
        # It plays, and the cursor goes with it.
        before = await page.run(HERE_M)
        await pressed(page, "play")
        await page.until(f"{HERE_M} > {before} + 20")
        await page.run("document.querySelector('.panes video').pause()")
        # Lap 5 is not in this film.
        assert await page.run(
            "[...document.querySelectorAll('.panes figure')].map((each) => each.dataset.off)"
        ) == ["false", "true"]
        await chosen(page, tmp_path / "plain.mp4")
        assert (
            await page.until(f"![{EN['reading film']!r}, {EN['aligned']!r}].includes({told}) && {told}")
            == EN["no gps"]
        )
        await page.run(f"document.querySelector('.panes video').currentTime = {BEFORE_S + 0.01}")
        await arrived(page)
        await pressed(page, "at the line")
        assert await page.run(told) == EN["aligned"]
        await corners_are_seen(page, drive)
        # A lap that is in no film is seen: the film's own best lap takes its place.
        await page.run("document.querySelectorAll('input[name^=shown]')[1].click()")
        await page.run("document.querySelectorAll('input[name^=shown]')[3].click()")
        await chosen(page, tmp_path / "gopro.mp4")
        assert await page.until(f"{told}.startsWith({EN['film lap']!r}) && {told}") == f"{EN['film lap']} 1."
        assert "lap 1 " in await page.run("document.querySelector('.panes figcaption').textContent")
        await chapters_go_on_into_each_other(page, drive, speeds, tmp_path)
        (tmp_path / "hevc.mp4").write_bytes(film(FPS, codec="hvc1"))
        await chosen(page, tmp_path / "hevc.mp4")
        await page.until(f"{told} === {EN['no hevc']!r}")
        sent = [url for url in page.asked[asked:] if not url.startswith(("blob:", "data:"))]
        assert [url.rpartition("/")[2] for url in sent] == ["columns?laps=6"], "it stays on the device"
        assert [error for error in page.errors if "status of 401" not in error] == []
