"""The page in a real browser: what is seen, from a drive that goes on and from stored ones; nothing else is
asked."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import api_daemon
import pytest
from api_client import asking
from browser import Page, browsing, judged, let_in
from copies import copied
from running_daemon import Daemon, write_settings
from typed import typed
from until import until

from pitwall.api import imports
from pitwall.api.guard import COOKIE_S, LINK_S, PageSessions
from pitwall.api.page_files import MANIFEST, PAGE, SCRIPTS, STYLES, WORKER
from pitwall.api.routes import ROUTES
from pitwall.config import Home
from pitwall.words.language import language

EN = language().terms("page")


def test_a_link_is_good_once_and_for_a_while_and_a_cookie_as_long_as_the_token() -> None:
    now_s = 1_000.0
    pages = PageSessions("secret", lambda: now_s)
    links = [pages.link().rpartition("/")[2] for _ in range(3)]
    cookie = pages.enter(links[0])
    assert cookie is not None
    assert pages.enter(links[0]) is None
    assert pages.enter("") is None
    assert pages.knows(cookie)
    assert PageSessions("secret", lambda: now_s).knows(cookie), "a restart shuts nobody out"
    assert not PageSessions("another", lambda: now_s).knows(cookie)
    until_s, _, rest = cookie.partition(".")
    for forged in (
        "",
        "x",
        cookie[:-1],
        cookie + "0",
        f"{int(until_s) + 9}.{rest}",
        cookie.replace(".", "_"),
    ):
        assert not pages.knows(forged)
    now_s += LINK_S + 1
    assert pages.enter(links[1]) is None
    now_s += COOKIE_S
    assert not pages.knows(cookie)


async def test_what_a_cookie_may_do(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads and asks, from the page's own origin; it hands in a recording, and makes no other link."""
    monkeypatch.setattr(imports, "MOST_BYTES_OF_PAGE", 1)
    async with api_daemon.running(home) as (_, port, token), asking(port, token) as owner:
        base = f"http://127.0.0.1:{port}"
        async with owner.post(base + "/links") as answer:
            assert answer.status == 201
            link = await answer.json()
        assert token not in str(link)
        async with aiohttp.ClientSession() as stranger:
            async with stranger.get(base + link["path"], allow_redirects=False) as answer:
                assert (answer.status, answer.headers["Location"]) == (303, "/")
                told = answer.headers["Set-Cookie"]
                assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in told.split(";")}
                assert token not in told
            async with stranger.get(base + link["path"], allow_redirects=False) as answer:
                assert answer.status == 403
                assert "Set-Cookie" not in answer.headers
        cookie = {"Cookie": told.partition(";")[0]}
        own = {"Origin": base}
        async with aiohttp.ClientSession(headers=cookie) as browser:

            async def status(method: str, path: str, headers: dict[str, str], body: object = None) -> int:
                async with browser.request(method, base + path, headers=headers, json=body) as answer:
                    return answer.status

            assert await status("GET", "/status", {}) == 200
            assert await status("GET", "/sessions", {"Sec-Fetch-Site": "same-origin"}) == 200
            assert await status("PUT", SCRIPT, own, {"brake": "Brake"}) == 200
            # Another port of this address is another program, though a browser sends it this cookie.
            for foreign in ("same-site", "cross-site"):
                assert await status("GET", "/sessions", {"Sec-Fetch-Site": foreign}) == 401
            assert await status("GET", "/sessions", {"Origin": "http://pages.test:5173"}) == 403
            assert await status("PUT", SCRIPT, {}, {"brake": "Brake"}) == 401
            assert await status("PUT", SCRIPT, {"Origin": "null"}, {"brake": "Brake"}) == 403
            assert await status("GET", "/sessions", {"Authorization": "Bearer x"}) == 401
            for route in ROUTES:
                if route.method == "GET" or route.page:
                    continue
                assert await status(route.method, route.path.format(**IDS), own, {}) == 403, route.path
            for headers in ({}, own | {"Sec-Fetch-Site": "same-site"}):
                assert await status("POST", "/imports?name=x.vbo", headers, {}) == 401
            assert (
                await status("POST", "/imports?name=x.vbo", {"Origin": "http://pages.test:5173"}, {}) == 403
            )
            assert await status("POST", "/imports?name=x.vbo&channels=rpm=r:1/min", own, {}) == 403
            assert await status("POST", "/imports?name=x.vbo", own, {}) == 413
            assert await status("POST", "/changes", own, {"change": "delete", "sessions": ["last"]}) == 403


SCRIPT = "/tracks/sonoma/scripts/turn_2"
IDS = {"session": "last", "lap": "1", "track": "sonoma", "corner": "turn_2", "job": "j"}


def test_the_page_has_a_word_for_whatever_it_says() -> None:
    """A key without its word is shown as "undefined"."""
    scripts = {name: (PAGE / name).read_text() for name in ("report.js", *SCRIPTS) if name != "uPlot.js"}
    asked = {
        "view": r'\b(?:say|view\.labels)(?:\.([a-z_]+)\b|\["([^"$]+)"\])',
        "page": r'\bsay\("([^"]+)"()\)',
    }
    for part, pattern in asked.items():
        found = {one or other for text in scripts.values() for one, other in re.findall(pattern, text)}
        assert len(found) > 40
        assert found <= set(language().terms(part)), part


async def test_the_pages_files_hold_a_strict_policy_and_no_secret(home: Home) -> None:
    async with api_daemon.running(home) as (_, port, token), aiohttp.ClientSession() as stranger:
        for path in (
            "/",
            *(f"/page/{name}" for name in (*SCRIPTS, *STYLES, MANIFEST, WORKER)),
            "/enter/none",
        ):
            async with stranger.get(f"http://127.0.0.1:{port}{path}") as answer:
                assert answer.status == (403 if path == "/enter/none" else 200)
                policy = answer.headers["Content-Security-Policy"]
                assert "default-src 'none'" in policy
                assert "unsafe" not in policy
                text = await answer.text()
                assert token not in text
                assert "://" not in text.replace("http://www.w3.org/", "").replace("https://github.com/", "")
        for path in ("/page/", "/page/style.css.map", "/page/..%2froutes.py", "/page/report.js"):
            async with stranger.get(f"http://127.0.0.1:{port}{path}") as answer:
                assert answer.status == 404


@pytest.fixture(scope="module")
def going(demo_driven: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """`pitwall run` over a home with a drive in it, and the same drive going on, at ten times its speed."""
    home = Home(tmp_path_factory.mktemp("paged") / "home")
    copied(demo_driven, home.root)
    write_settings(home, {"car": f"replay:{api_daemon.DEMO}?live=true&speed=10"})
    with Daemon(home) as daemon:
        yield daemon
        assert daemon.end() == 0
    assert not [line for line in daemon.log if "Traceback" in line or daemon.token in line]


@pytest.fixture
async def page(going: Daemon) -> AsyncIterator[Page]:
    """A browser that was let in; it complains of nothing, and asks nobody but the daemon."""
    async with browsing() as page:
        await page.size(800, 1200)
        status, link = going.ask("/links", {})
        assert status == 201
        await page.open(going.address + link["path"])
        yield page
        # A card that is asked for just as the car drives off is refused.
        assert [error for error in page.errors if "status of 409" not in error] == []
        assert {urlsplit(url).netloc for url in page.asked} == {urlsplit(going.address).netloc}


@pytest.mark.long
def test_show_prints_a_link_or_writes_a_report(going: Daemon, demo_driven: Path, tmp_path: Path) -> None:
    shown = typed(going.home, "show", "--print", "last")
    assert shown.returncode == 0, shown.stderr
    link = shown.stdout.split()[0]
    assert link.startswith(going.address + "/enter/")
    assert link.endswith("#laps/last")
    assert going.token not in shown.stdout
    home = copied(demo_driven, tmp_path / "home")
    shown = typed(home, "show", "last")
    assert shown.returncode == 0, shown.stderr
    assert (home / "shown.html").read_bytes().startswith(b"<!doctype html>")
    assert str(home / "shown.html") in shown.stdout


@pytest.mark.long
async def test_stored_sessions_are_seen_asked_and_edited(driven: Home) -> None:
    async with api_daemon.running(driven) as (daemon, port, token), browsing() as page:
        await page.open(f"http://127.0.0.1:{port}/")
        await page.until(f"document.body.innerText.includes({EN['sign in']!r})")
        # While the car is driven nothing is read; once it stands the view opens by itself.
        daemon.life = "flying"
        await let_in(page, port, token, "#laps")
        await page.until(f"document.body.innerText.includes({EN['while driven']!r})")
        daemon.life = "paddock"
        await laps_are_seen(page)
        await charts_lie_along_time_and_show_what_is_chosen(page)
        await a_lap_is_marked(page)
        await tyres_and_weather_are_noted(page)
        await the_keyboard_is_enough(page)
        await phrases_are_edited(page, driven, daemon)
        await a_question_is_answered(page)
        await page.run("location.hash = 'system'")
        await page.until(f"document.body.innerText.includes({EN['capabilities']!r})")
        await page.run(
            "[...document.querySelectorAll('button')]"
            f".find((each) => each.textContent === {EN['look now']!r}).click()"
        )
        await page.until("document.querySelector('.card h3')")
        assert str(driven.root) in await page.run("document.body.innerText")
        await judged(page)
        # A browser tells of what was refused by itself: before it was let in, and the phrase.
        assert [
            error
            for error in page.errors
            if not any(f"status of {code}" in error for code in (401, 409, 422))
        ] == []
        assert {urlsplit(url).netloc for url in page.asked} == {f"127.0.0.1:{port}"}


async def laps_are_seen(page: Page) -> None:
    """Laps by place; the cursor in a chart moves the car on the map; another lap is picked."""
    await page.until("document.querySelectorAll('.uplot').length > 5")
    title = await page.run("document.querySelector('.column .u-title').textContent")
    assert title.startswith("Delta to lap 5, 1:53.730"), "a gap names the lap that it is to"
    before = await page.run("document.querySelector('canvas.map').toDataURL().length")
    bare = await page.run("document.querySelector('canvas.car').toDataURL()")
    await page.run("document.querySelector('.u-over').scrollIntoView({ block: 'center' })")
    box = await page.run(
        "(({ left, top, width, height }) => [left + width / 2, top + height / 2])"
        "(document.querySelector('.u-over').getBoundingClientRect())"
    )
    await page.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    told = await page.until("document.querySelector('.here').textContent")
    place_m = int(told.split(" m")[0])
    assert 1500 < place_m < 2500
    assert await page.until(f"document.querySelector('canvas.car').toDataURL() !== {bare!r}")
    boxes = "[...document.querySelectorAll('input[name^=shown]')]"
    assert await page.run(f"{boxes}.map((each) => each.checked).indexOf(true)") == 1
    # A third lap: a line of its own in each chart, in the readings, and on the grip's plot.
    lines = (
        "[...document.querySelector('.here + .held tbody').rows]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    two = await page.run(lines)
    forces = await page.run("document.querySelector('canvas.gg').toDataURL()")
    await page.run(f"{boxes}[3].click()")
    three = await page.run(lines)
    assert [row[0] for row in two] == ["1", "5"]
    assert [row[0] for row in three] == ["1", "3", "5"]
    assert [three[0], three[2]] == two
    assert three[1][1].startswith(("+", "−", "0.00"))
    assert all(three[1][1:])
    assert await page.run("document.querySelector('canvas.gg').toDataURL()") != forces
    # The first one goes: another lap is on the map now.
    await page.run(f"{boxes}[1].click()")
    assert await page.run("document.querySelector('canvas.map').toDataURL().length") != before
    assert [row[0] for row in await page.run(lines)] == ["3", "5"]
    # One that did not come with the view is drawn once it is here.
    asked = len(page.asked)
    await page.run(f"{boxes}[6].click()")
    await page.until(f"{lines}.some((row) => row[0] === '6' && row.slice(1).some(Boolean))")
    assert [url.rpartition("/")[2] for url in page.asked[asked:] if "columns" in url] == ["columns?laps=6"]
    await page.run(f"{boxes}[6].click()")


async def tyres_and_weather_are_noted(page: Page) -> None:
    fields = "[...document.querySelectorAll('.noted input, .noted select')]"
    field = f"(name) => {fields}.find((e) => (e.ariaLabel || e.labels[0].textContent).startsWith(name))"
    save = "document.querySelector('.noted form').requestSubmit()"
    told = "document.querySelector('.framing + .told').textContent"
    await page.run("document.querySelector('.noted').open = true")
    await page.run(
        f"({field})({EN['tyres']!r}).value = 'A052 <b>new</b>'; ({field})({EN['air']!r}).value = '-3'"
    )
    await page.run(
        f"({field})({EN['weather']!r}).value = 'damp'; ({field})({EN['car']!r}).value = 'Yellow M2'"
    )
    wheels = "[...document.querySelectorAll('.noted .figure-in')].slice(0, 4)"
    await page.run(f"{wheels}[0].value = '1,8'; {save}")
    assert await page.run(told) == EN["four pressures"], "nothing is guessed of the other three"
    await page.run(f"{wheels}.forEach((each) => {{ each.value = '1.85'; }}); {save}")
    noted = await page.until("document.querySelector('header p + p')?.textContent")
    assert noted == "tyres A052 <b>new</b> · 1.9 1.9 1.9 1.9 bar · damp · air -3 °C"
    assert await page.run(f"{wheels}.map((each) => each.value)") == ["1.85"] * 4
    assert "damp · A052" in await page.run("document.querySelector('.chooser option').textContent")
    # New tyres from a lap on: they stand next to the lap times that they explain, and in the debrief.
    await page.run(chosen(EN["noted of"], "3"))
    await page.run(f"({field})({EN['tyres']!r}).value = 'R888R'; {save}")
    told = await page.until("document.querySelector('.split .trendnotes')?.textContent")
    assert re.fullmatch(
        r"From lap 3 on \(tyres R888R\) your usual lap was a 1:5\d\.\d{3}; before it was a 1:5\d\.\d{3}\.",
        told,
    )
    session = await page.run("document.querySelector('.chooser select').value")
    assert told in await page.run(f"laps.viewOf({session!r}).then(({{ debrief }}) => debrief)")
    await page.run("document.querySelector('.gallery').open = true")
    text = "document.querySelector('.gallery .card')?.innerText"
    card = await page.until(f"({text})?.includes({EN['worked on']!r}) && {text}")
    assert "Worked on Turn 11, throttle fully" in card
    assert "Yellow M2 · damp" in card
    assert "Yellow M2" in await page.run("document.querySelector('header p').textContent")
    # A wet day among the days: its note stands at its lap time.
    await page.run(
        "laps.sessions().then(([row]) => { row.kind = 'import'; "
        "window.days = gallery.view([{ ...row, id: 'x', "
        "conditions: { weather: 'wet' }, best_lap_s: row.best_lap_s + 4 }, row], ''); "
        "document.querySelector('main').append(days); days.open = true; })"
    )
    notes = await page.until("days.querySelector('.trendnotes')?.innerText")
    assert re.search(r": wet · 1:5\d\.\d{3} \(\+4\.00 s\)", notes), notes
    await judged(page)


def chosen(label: str, value: str) -> str:
    """Choose in the select under a label."""
    labels = "[...document.querySelectorAll('label.choice')]"
    found = f"{labels}.find((e) => e.textContent.startsWith({label + ' '!r})).querySelector('select')"
    return f"((select) => {{ select.value = {value!r}; select.onchange(); }})({found})"


def ticked(label: str) -> str:
    """Tick, or untick, what stands beside a label."""
    ticks = "[...document.querySelectorAll('.menu .tick')]"
    return f"{ticks}.find((e) => e.textContent === {label!r}).querySelector('input').click()"


async def charts_lie_along_time_and_show_what_is_chosen(page: Page) -> None:
    """Along time each lap stands where it was after as long; a gap stays one of a place."""
    view, throttle = language().terms("view"), language().term("chart", "throttle_pct")
    await page.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    await page.run("location.hash = 'laps/last/turn_7'")
    await page.until("document.querySelector('p.framing select')?.value === 'turn_7'")
    here = "document.querySelector('.here').textContent"
    gap = "document.querySelector('.here + .held tbody td').textContent"
    place = re.match(r"(\d+) m · Turn 7", await page.run(here))
    assert place is not None, await page.run(here)
    by_place = await page.run(gap)
    await page.run(chosen(view["axis"], "time"))
    told = re.match(r"(\d+) m · ([\d.]+) s · Turn 7", await page.run(here))
    assert told is not None, await page.run(here)
    assert told[1] == place[1]
    assert abs(float((await page.run(gap)).replace("−", "-")) - float(by_place.replace("−", "-"))) < 0.02
    shown = await page.run(
        "laps.viewOf(document.querySelector('.chooser select').value).then((view) => "
        "[view.step_m, view.laps.find((lap) => lap.lap === 1).columns.time])"
    )
    assert abs(shown[1][round(int(told[1]) / shown[0])] / 1000 - float(told[2])) < 0.2
    titles = "[...document.querySelectorAll('.column .u-title')].map((each) => each.textContent)"
    before = await page.run(titles)
    drawn = "document.querySelectorAll('.column .uplot canvas')[1].toDataURL()"
    values = await page.run(drawn)
    await page.run(ticked(view["difference"]))
    assert sum(view["difference"] in title for title in await page.run(titles)) == len(before) - 1
    assert await page.run(drawn) != values
    await page.run(ticked(throttle))
    signals = [re.split(r"[ :]", title)[0] for title in before if throttle not in title]
    assert [re.split(r"[ :]", title)[0] for title in await page.run(titles)] == signals
    # What was chosen holds for the next session that is looked at; and is taken back.
    await page.run("location.hash = 'laps'")
    await page.until(f"{titles}.length === {len(before) - 1}")
    await page.run(ticked(view["difference"]))
    await page.run(ticked(throttle))
    await page.run(chosen(view["axis"], "distance"))
    assert await page.run(titles) == before


async def a_lap_is_marked(page: Page) -> None:
    await page.run("document.querySelector('.menu').open = true")
    await page.run(chosen(EN["lap"], "3"))
    mark = f"""document.querySelector('select[aria-label="{EN["mark a lap"]}"]')"""
    await page.run(f"{mark}.value = 'traffic'; {mark}.onchange()")
    kinds = "[...document.querySelectorAll('table.laps tbody tr')].map((row) => row.lastChild.textContent)"
    await page.until(f"{kinds}.some((kind) => kind.startsWith('traffic'))")
    await page.run(chosen(EN["lap"], "3"))
    assert await page.run(f"{mark}.value") == "traffic"
    await page.run(f"{mark}.value = 'clear'; {mark}.onchange()")
    await page.until(f"!{kinds}.some((kind) => kind.startsWith('traffic'))")
    await page.until("document.querySelectorAll('.uplot').length > 5")


async def the_keyboard_is_enough(page: Page) -> None:
    """From the top of the page to the cursor, and to another view."""
    await page.size(800, 1200)
    await page.run("document.activeElement.blur(); scrollTo(0, 0)")
    for _ in range(60):
        await page.press("Tab")
        if await page.run("document.activeElement.className") == "charts":
            break
    place = "parseInt(document.querySelector('.here').textContent)"
    await page.press("ArrowRight")
    before = await page.run(place)
    await page.press("ArrowRight", "ArrowRight")
    assert await page.run(place) > before
    await page.press("End")
    assert await page.run(place) > 3900
    # Who can't see the charts hears the figures there.
    heard = await page.run("document.querySelector('[aria-live].unseen').textContent")
    assert re.match(r"\d+ m.*; lap \d, delta \(s\) [+−0]?[\d.]+, speed \(km/h\) \d+; lap \d, ", heard), heard
    await page.run("document.querySelector('nav a').focus()")
    await page.press("Tab", "Tab", "Enter")
    await page.until("document.querySelector('details.script')")
    assert await page.run("document.querySelector('nav a[aria-current]').textContent") == EN["Coach"]


async def phrases_are_edited(page: Page, home: Home, daemon: api_daemon.SmallDaemon) -> None:
    assert EN["opportunities"] in await page.run("document.body.innerText")
    # The goal here: what the debrief says of it from then on.
    await page.run(
        "(([time, by]) => { time.value = '1:5x'; time.form.requestSubmit(); })"
        "(document.querySelectorAll('.goal input'))"
    )
    goal = "document.querySelector('.goal .told').textContent"
    session = await page.run("document.querySelector('.chooser select').value")
    assert await page.run(goal) == EN["goal wrong"]
    await page.run(
        "(([time, by]) => { time.value = '1:52.5'; by.value = '2027-05'; time.form.requestSubmit(); })"
        "(document.querySelectorAll('.goal input'))"
    )
    debrief = await page.run(
        f"new Promise((done) => {{ const look = () => laps.viewOf({session!r}).then(({{ debrief }}) => "
        "debrief.includes('goal') ? done(debrief) : setTimeout(look, 50)); look(); })"
    )
    assert "Your goal here is 1:52.500 by 2027-05: 1.23 s to go." in debrief
    # A tap on an advice goes to its corner in the charts.
    await page.until("document.querySelector('.cards button.plain')")
    await page.run("document.querySelector('.cards button.plain').click()")
    corner = await page.until("document.querySelector('p.framing select')?.value")
    assert (await page.run("location.hash")).endswith("/" + corner)
    await page.run("location.hash = 'coach'")
    await page.until("document.querySelector('details.script')")
    # What was said comes first; what was kept back is asked for.
    calls = "document.querySelectorAll('td.main').length"
    said = await page.run(calls)
    await page.run(
        "((select) => { select.value = 'kept back'; select.onchange(); })"
        "([...document.querySelectorAll('select')].find((each) => each.value === 'said'))"
    )
    assert 0 < said != await page.run(calls)
    script = "document.querySelector('[data-corner=turn_7]')"
    await page.run(f"{script}.open = true")
    field, told = (
        f"{script}.querySelector('input[name=brake]')",
        f"{script}.querySelector('.told').textContent",
    )
    await page.run(
        f"{field}.value = 'Full throttle at the banana'; {script}.querySelector('form').requestSubmit()"
    )
    assert "banana" in await page.until(f"{told} !== {EN['loading']!r} && {told}")
    assert daemon.rendered == []
    confirm = (
        f"[...{script}.querySelectorAll('button')].find((each) => each.textContent === {EN['own words']!r})"
    )
    assert await page.run(f"{confirm}.hidden") is False
    await page.run(f"{confirm}.click()")
    await page.until(f"{told} === {EN['saved']!r}")
    assert '"own": "brake"' in (home.audio_cache / "turn_7.json").read_text()
    await page.run(f"[...{script}.querySelectorAll('button')].at(-1).click()")
    await page.until(f"{told} === {EN['undone']!r}")
    await page.run(
        f"{field}.value = 'Firm brake at the board'; {script}.querySelector('form').requestSubmit()"
    )
    await page.until(f"{told} === {EN['saved']!r}")
    assert "Firm brake at the board" in (home.audio_cache / "turn_7.json").read_text()
    assert daemon.rendered == ["sonoma"] * 3
    await page.run(f"[...{script}.querySelectorAll('button')].at(-1).click()")
    await page.until(f"{told} === {EN['undone']!r}")
    await page.run(f"{script}.querySelector('.phrase button').click()")
    await page.until("performance.getEntriesByType('resource').some((each) => each.name.endsWith('/hear'))")
    assert 0.2 < await page.run("daemon.hear('Brake')") < await page.run("daemon.hear('Brake at the board')")
    assert not (home.audio_cache / "turn_7.json").exists()


async def a_question_is_answered(page: Page) -> None:
    await page.run("location.hash = 'paddock'")
    await page.until("document.querySelector('#question')")
    moment = await page.until(
        "document.querySelector('.moment .uplot') && document.querySelector('.moment').innerText"
    )
    assert "Next run, Turn 7: Brake a little later." in moment
    await page.run("document.querySelector('#question').value = 'why was lap 3 slower than lap 5?'")
    await page.run("document.querySelector('#question').focus()")
    await page.press("Enter")
    answer = await page.until(
        "!document.querySelector('form button').disabled && document.querySelector('.answer').textContent"
    )
    assert "Lap 3 was 1.287 s slower than lap 5" in answer
    # The same room's pickers: no words are read.
    labels = "[...document.querySelectorAll('label.choice')]"
    for title, value in (("figure", "min_speed"), ("place", "turn_7"), ("laps", "3")):
        found = f"{labels}.find((each) => each.innerText.startsWith({EN[title]!r})).querySelector('select')"
        await page.run(f"((select) => {{ select.value = {value!r}; select.onchange(); }})({found})")
    buttons = "[...document.querySelectorAll('button')]"
    await page.run(f"{buttons}.find((each) => each.textContent === {EN['show']!r}).click()")
    exact = await page.until(
        "!document.querySelector('form button').disabled && "
        "document.querySelector('.answer').textContent.includes('Turn 7') && "
        "document.querySelector('.answer').textContent"
    )
    assert re.fullmatch(r"Minimum speed at Turn 7 in lap 3: \d+ km/h\.", exact.strip()), exact
    await judged(page)


@pytest.mark.long
async def test_a_drive_is_seen_as_it_is_driven(page: Page, going: Daemon) -> None:
    assert await page.run("location.pathname") == "/"
    figures = (
        "Object.fromEntries([...document.querySelectorAll('.figure')].map((each) => "
        "[each.querySelector('.name').textContent, each.lastElementChild.textContent]))"
    )
    delta = "/^[+−]/.test(document.querySelector('.delta .value').textContent)"
    seen = await page.until(f"{delta} && ({figures})")
    assert int(await page.run("document.querySelector('.speed .value').textContent")) > 20
    assert seen[EN["said"]] != ""
    told = going.status()["session"]
    assert (await page.run(f"({figures})[{EN['last']!r}]")).startswith(("1:", "2:")), told
    # The stream may be here before the status.
    await page.until("document.querySelector('.life').textContent.includes('Sonoma')")
    kinds = await page.run("[...document.querySelectorAll('.light')].map((each) => each.dataset.kind)")
    assert kinds == ["good", "good", "off", "good"]
    await judged(page)
    await page.run("[...document.querySelectorAll('.marks button')][2].click()")
    said = "document.querySelector('.said').textContent"
    marked = await page.until(f"{said}.startsWith('{EN['yellow']}: ') && {said}")
    assert int(marked.split()[-1]) >= told["lap"]
    # With no pit wall there is nobody to answer.
    buttons = "[...document.querySelectorAll('.marks button:not([hidden])')].map((each) => each.textContent)"
    assert EN["button understood"] not in await page.run(buttons)
    # One button asks for silence, longer each time, then for none; the page shows what holds.
    life, quiet = (
        "document.querySelector('.life').textContent",
        "document.querySelectorAll('.marks button')[4]",
    )
    for hush in ("lap ended", "session"):
        await page.run(f"{quiet}.click()")
        assert await page.until(f"{life}.startsWith({EN[f'hush {hush}']!r})")
    await page.until(f"{quiet}.textContent === {EN['button over']!r}")
    await page.run(f"{quiet}.click()")
    assert await page.until(f"{quiet}.textContent === {EN['button hush']!r} && !{life}.startsWith('Quiet')")
    # A page that is opened anew shows what was said last, though nobody hears it.
    await page.call("Page.reload")
    last = await page.until(f"document.querySelector('.said.past') && {said}")
    assert last not in ("", EN["nothing said"], marked)


@pytest.mark.long
async def test_a_page_that_was_loaded_opens_while_no_daemon_runs_and_keeps_no_answer(home: Home) -> None:
    keys = "caches.open('pitwall-page').then((kept) => kept.keys())"
    async with browsing() as page:
        async with api_daemon.running(home) as (_, port, token):
            await let_in(page, port, token)
            await page.until("navigator.serviceWorker.controller && document.querySelector('main')")
            await page.open(f"http://127.0.0.1:{port}/?again")
            kept = await page.run(f"{keys}.then((all) => all.map((each) => each.url))")
        parts = {urlsplit(each).path.split("/")[1] for each in kept}
        assert parts == {"", "page"}, "nothing that the daemon answers"
        await page.open(f"http://127.0.0.1:{port}/")
        assert await page.until("document.querySelectorAll('.marks button').length > 0")


@pytest.mark.long
async def test_a_recording_is_added_to_an_empty_home_by_the_page(home: Home, tmp_path: Path) -> None:
    (tmp_path / "no.vbo").write_text("this is no recording")
    async with api_daemon.running(home) as (_, port, token), browsing() as page:
        await let_in(page, port, token)
        await page.run("location.hash = 'laps'")
        assert EN["ways to begin"] in await page.until("document.querySelector('.gallery')?.innerText")
        told = "document.querySelector('.drop .told').textContent"
        with zipfile.ZipFile(tmp_path / "day.zip", "w", zipfile.ZIP_DEFLATED) as day:
            day.write(api_daemon.DEMO, "day/demo.vbo")
            day.writestr("__MACOSX/._demo.vbo", "hidden")
        chosen = ((tmp_path / "no.vbo", f"{told}.length > 60 && {told}"), (tmp_path / "day.zip", CARD))
        for path, seen in chosen:
            root = (await page.call("DOM.getDocument"))["root"]["nodeId"]
            found = await page.call("DOM.querySelector", nodeId=root, selector=".drop input")
            await page.call("DOM.setFileInputFiles", nodeId=found["nodeId"], files=[str(path)])
            text = await page.until(seen)
            assert path.name in text or "Sonoma Raceway" in text
        assert "#laps/20250517-170000" in await page.run("location.hash")
        await page.until("document.querySelectorAll('.uplot').length > 5")
        await page.run("document.querySelector('.gallery').open = true")
        card = await page.until("document.querySelector('.gallery .card')?.innerText")
        assert "Sonoma Raceway, long course" in card
        assert "1:53.730 · 5 laps" in card
        drawn = "new Uint32Array(pen.getImageData(0, 0, 200, 90).data.buffer).some((each) => each)"
        await page.until(f"((pen) => {drawn})(document.querySelector('.thumb').getContext('2d'))")
        await judged(page)
        if folder := os.environ.get("PITWALL_PICTURES"):
            for width in (390, 1200):
                await page.size(width, 900, touch=width < 1000)
                await page.picture(Path(folder) / f"gallery {width}.png")


@pytest.mark.long
async def test_an_empty_home_begins_with_a_simulated_day(home: Home) -> None:
    async with api_daemon.running(home) as (_, port, token), browsing() as page:
        # On the dash too, where the page opens.
        await let_in(page, port, token)
        await page.until("document.body.dataset.view === 'drive' && document.querySelector('.ways button')")
        await page.run("document.querySelector('.ways button').click()")
        await page.until("document.querySelectorAll('.uplot').length > 5")
        advice = await page.run("document.querySelector('.split .cards').innerText")
        assert "Turn 7" in advice
        assert "Brake a little later." in advice
        # A sentence of the daemon names the button, not the command that does the same.
        refused = (
            "daemon.send('POST', '/wall/links', { role: 'crew', name: 'x' }).catch((error) => error.message)"
        )
        assert await page.run(refused) == "the pit wall is off: Switch it on (System, Pit wall)"


CARD = "document.querySelector('header h1')?.textContent"


@pytest.mark.long
async def test_without_a_receiver_the_browsers_own_location_is_a_source_with_its_rate(home: Home) -> None:
    gps = "document.querySelector('.light')"
    async with api_daemon.running(home) as (daemon, port, token), browsing() as page:
        await page.call("Browser.grantPermissions", permissions=["geolocation"])
        await let_in(page, port, token)
        await page.until(f"{gps}?.innerText.includes('off: tap')")
        places = [38.1617 + 0.0001 * n for n in range(3)]
        await page.call(
            "Emulation.setGeolocationOverride", latitude=places[0], longitude=-122.4545, accuracy=4
        )
        await page.run(f"{gps}.click()")
        for lat_deg in places[1:]:
            taken = len(daemon.batches)
            await page.call(
                "Emulation.setGeolocationOverride", latitude=lat_deg, longitude=-122.4545, accuracy=4
            )
            await until(lambda before=taken: len(daemon.batches) > before)
        await page.until(f"/browser [0-9.]+ Hz/.test({gps}.innerText)")
        await page.run(f"{gps}.click()")
        await page.until(f"{gps}?.innerText.includes('off: tap')")
        assert all(each.startswith("page-") for each in daemon.batches)
