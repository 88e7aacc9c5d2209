"""The report on a session: one file with true figures, drawn by a real browser without any network."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import api_daemon
import msgspec
import pytest
from api_client import asking
from browser import browsing
from copies import copied
from stored_facts import WritableStoreFacts
from typed import typed

from pitwall.analysis.lap_grid import READ, WHOLE, SeenLap
from pitwall.analysis.session_view import SessionView, StintView, lap_columns, session_view, with_columns
from pitwall.api.judged import for_sharing, page_of, report_html
from pitwall.cli import main as pitwall
from pitwall.config import Home, shipped
from pitwall.drive.reference import load_shared_lap
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store import queries
from pitwall.store.store import Store
from pitwall.track.library import load_track
from pitwall.words.language import language

MOST_BYTES = 3_000_000
BROWSER_WITHIN_S = 120


@pytest.fixture
def seen(demo_driven: Path, tmp_path: Path) -> Path:
    return copied(demo_driven, tmp_path / "seen")


def view_of(home: Home) -> SessionView:
    with Store(home) as store:
        store.open()
        return the_view(store)


def the_view(store: Store) -> SessionView:
    [row] = queries.sessions(store)
    facts = WritableStoreFacts(store)
    view = session_view(facts, row, queries.cues(store, row.id))
    return with_columns(view, lap_columns(facts, row, {lap.lap for lap in view.laps}))


def browsed(page: Path, tmp_path: Path) -> tuple[str, str]:
    """The page after its scripts ran in a real browser without a network, and what its console said."""
    browser = shutil.which("chromium")
    if browser is None:
        reason = "chromium is not installed: apt-get install chromium"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    done = subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={tmp_path / 'browser'}", "--window-size=800,2000", "--enable-logging=stderr",
            "--virtual-time-budget=5000", "--dump-dom", page.as_uri(),
        ],
        capture_output=True, text=True, timeout=BROWSER_WITHIN_S, check=True,
    )  # fmt: skip
    console = "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)
    return done.stdout, console


def cells(dom: str, title: str) -> list[list[str]]:
    """The rows of the table under a heading, as text."""
    under = dom.partition(f"<h2>{title}</h2>")[2].partition("</table>")[0]
    rows = re.findall(r"<tr.*?</tr>", under, re.S)
    return [
        [html.unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)]
        for row in rows
    ]


def test_figures_are_those_of_the_stored_session(seen: Path) -> None:
    home = Home(seen)
    with Store(home) as store:
        store.open()
        view = the_view(store)
        [row] = queries.sessions(store)
        laps = queries.laps(store, row.id)
        said = [
            (line.lap, line.text, language().term("outcome", line.outcome))
            for line in queries.cues(store, row.id)
        ]
        frames = (
            store.cursor()
            .execute("SELECT lap, distance_m, speed_mps, t FROM frames WHERE status = 'on' ORDER BY t")
            .fetchall()
        )
    assert [(lap.lap, lap.time_s) for lap in view.laps] == [(lap.number, lap.time_s) for lap in laps]
    flying = {lap.lap: lap for lap in view.laps if lap.flying}
    assert len(flying) == 5
    starts = {lap.number: lap.start_t for lap in laps}
    checked = 0
    for number, distance_m, speed_mps, t in frames[::97]:
        if number not in flying or not 20.0 < distance_m < view.length_m - 20.0:
            continue
        columns = flying[number].columns
        place = round(distance_m / view.step_m)
        within_m = abs(place * view.step_m - distance_m)
        speed, time = columns["speed_mps"][place], columns["time"][place]
        assert speed is not None
        assert time is not None
        assert abs(speed / 10 - 3.6 * speed_mps) < 1.0 + within_m
        assert abs(time / 1000 - (t - starts[number])) < 0.02 + within_m / max(speed_mps, 5.0)
        checked += 1
    assert checked > 40
    for lap in flying.values():
        last = next(value for value in reversed(lap.columns["time"]) if value is not None)
        assert abs(last / 1000 - lap.time_s) < 0.3
    assert [(each.lap, each.text, each.outcome) for each in view.callouts] == said
    assert {"said"} <= {outcome for _, _, outcome in said}
    assert view.debrief


@pytest.mark.long
def test_a_browser_draws_it_without_an_error(seen: Path, tmp_path: Path) -> None:
    home = Home(seen)
    with Store(home) as store:
        store.open()
        page = tmp_path / "report.html"
        [row] = queries.sessions(store)
        page.write_bytes(report_html(store, row.id))
        view = the_view(store)
    assert page.stat().st_size < MOST_BYTES
    dom, console = browsed(page, tmp_path)
    assert console == ""
    table = cells(dom, view.labels["laps"])[1:]
    assert [row[2:4] for row in table] == [[str(lap.lap), lap.time] for lap in view.laps]
    best_s = min(lap.time_s for lap in view.laps if lap.flying and lap.time_s is not None)
    gaps = [
        f"+{lap.time_s - best_s:.3f}" if lap.flying and lap.time_s not in (None, best_s) else ""
        for lap in view.laps
    ]
    assert [row[4] for row in table] == gaps
    assert "+0.132" in gaps
    assert [row[-1].partition(":")[0] for row in table] == [lap.kind for lap in view.laps]
    corners = cells(dom, view.labels["corners"])
    graded = {(each.corner, each.lap): each for each in view.passes if each.grade}
    shown_corners = [each for each in view.corners if any(each.corner == corner for corner, _ in graded)]
    assert [row[0] for row in corners[1:]] == [corner.title for corner in shown_corners]
    numbers = [int(text) for text in corners[0][1:]]
    shown = {
        (corner.corner, number): text
        for corner, row in zip(shown_corners, corners[1:], strict=True)
        for number, text in zip(numbers, row[1:], strict=True)
    }
    for place, each in graded.items():
        if each.lap not in numbers:
            continue
        assert shown[place][:1] == each.grade
        assert each.grade == "A" or (view.labels[each.lost_in] in shown[place] if each.lost_in else True)
    # The driver leaves Turn 11 too slowly until the last laps; in the best one nothing is lost.
    [best] = [lap.lap for lap in view.laps if lap.time_s == min(o.time_s for o in view.laps if o.flying)]
    # The fastest lap has the fault of Turn 7 too: the table says what the debrief says of it.
    assert (
        {each.corner: each.grade for each in view.passes if each.lap == best and each.grade in ("C", "D")}
        == {each.corner: "D" for each in view.opportunities if best in each.laps}
        == {"turn_7": "D"}
    )
    exits = [graded["turn_11", lap] for lap in (2, 3, 4)]
    assert [(each.grade, each.lost_in) for each in exits] == [("D", "exit"), ("D", "exit"), ("A", "")]
    # What was said stands there; the rest is asked for.
    assert len(cells(dom, view.labels["coach"])) == sum(each.said for each in view.callouts) + 1
    assert view.moment is not None
    assert view.moment.text in dom
    assert (view.moment.corner, view.moment.against) == ("turn_7", 1)
    assert view.moment.lap in view.opportunities[0].laps
    the_theoretical_best(view, cells(dom, view.labels["potential"])[1:])
    # Each channel has its chart, and the delta; the speed once more at the moment.
    assert dom.count('class="u-title"') == len(view.channels) + 2


def the_theoretical_best(view: SessionView, rows: list[list[str]]) -> None:
    """It is under the best lap by what its pieces gain, and each piece is of a lap that was driven."""
    found = view.potential
    assert found is not None
    best = min((lap for lap in view.laps if lap.flying), key=lambda lap: lap.time_s or 0.0)
    assert best.time_s is not None
    total_s = best.time_s - sum(piece.gain_s for piece in found.pieces)
    assert best.time_s == pytest.approx(total_s + found.gain_s, abs=0.01)
    minutes, seconds = found.time.split(":")
    assert 60 * int(minutes) + float(seconds) == pytest.approx(total_s, abs=0.01)
    assert all(piece.gain_s > 0.0 for piece in found.pieces), "what gains nothing is not listed"
    assert max(found.pieces, key=lambda piece: piece.gain_s).corner == "turn_7"
    names = {corner.corner: corner.title for corner in view.corners}
    assert [row[0] for row in rows] == [names[piece.corner] for piece in found.pieces]
    assert [row[2] for row in rows] == [str(piece.lap) for piece in found.pieces]
    flying = {lap.lap for lap in view.laps if lap.flying}
    assert {piece.lap for piece in found.pieces} <= flying


def test_what_is_given_away_holds_no_place_off_the_track_and_names_only_where_wanted(
    seen: Path, tmp_path: Path
) -> None:
    own = view_of(Home(seen))
    secrets = ("Anna Kovacs", "Blue Roadster", own.id, own.when)
    note = "From lap 3 on: secret tyres."
    own = msgspec.structs.replace(
        own, driver=secrets[0], car=secrets[1], session="Rainy Friday",
        debrief=f"Faster than {own.id}. {note}",
        noted="secret tyres", stints=(StintView(3, note),),
    )  # fmt: skip
    named, nameless = for_sharing(own, "named"), for_sharing(own, "nameless")
    assert (named.driver, named.when, named.session) == (own.driver, own.when, own.session)
    text = msgspec.json.encode(nameless).decode()
    assert [each for each in (*secrets, "Rainy Friday") if each in text] == []
    for shared in (named, nameless):
        assert b"secret tyres" not in msgspec.json.encode(shared)
        placed = {lap.lap for lap in shared.laps if lap.columns.keys() & {"x", "y"}}
        assert placed == {lap.lap for lap in own.laps if lap.flying}
        # Its speed by place is the drive on the track all the same.
        assert [lap.columns["speed_mps"] for lap in shared.laps] == [
            lap.columns["speed_mps"] for lap in own.laps
        ]
    nowhere = for_sharing(msgspec.structs.replace(own, track=""), "named")
    assert not any(lap.columns.keys() & {"x", "y"} for lap in nowhere.laps)
    made = tmp_path / "given.html"
    assert pitwall(["--home", str(seen), "share", "--nameless", "--out", str(made)]) == 0
    assert own.id not in made.read_text()
    assert own.id in report_of(seen)


def report_of(home: Path) -> str:
    with Store(Home(home)) as store:
        store.open()
        return report_html(store, "last").decode()


@pytest.mark.long
@pytest.mark.skipif(
    shutil.which("chromium") is None and os.environ.get("CI") != "true", reason="chromium is not installed"
)
def test_a_name_from_outside_is_text_and_nothing_else(seen: Path, tmp_path: Path) -> None:
    evil = "</script><script>document.title='run'</script><img src=x onerror=alert(1)>"
    view = msgspec.structs.replace(view_of(Home(seen)), title=evil, driver=evil, session=evil)
    page = tmp_path / "evil.html"
    page.write_bytes(page_of(view))
    dom, console = browsed(page, tmp_path)
    assert console == ""
    assert "<img" not in dom.partition("<body>")[2].replace("\\u003cimg", "")
    assert f"<h1>{html.escape(evil, quote=False)}</h1>" in dom


@pytest.mark.long
def test_a_place_without_a_track_and_a_drive_without_a_lap(home: Home, tmp_path: Path) -> None:
    sonoma = load_track(shipped("track_data") / "sonoma.json")
    far = msgspec.structs.replace(
        sonoma,
        centreline=tuple((lat, lon - 40.0, height) for lat, lon, height in sonoma.centreline),
        gate=msgspec.structs.replace(
            sonoma.gate, a_lon_deg=sonoma.gate.a_lon_deg - 40.0, b_lon_deg=sonoma.gate.b_lon_deg - 40.0
        ),
        pit_lane=(),
    )
    simulate_to_file(far, SimulationPlan(laps=2, rate_hz=5.0), "vbo", tmp_path / "far.vbo")
    with Store(home) as store:
        store.open()
        import_file(tmp_path / "far.vbo", home, store)
        [row] = queries.sessions(store)
        assert row.track == ""
        view = the_view(store)
        timed = [lap for lap in view.laps if lap.flying]
        assert timed
        assert all("speed_mps" in lap.columns for lap in timed)
        assert abs(view.length_m - sonoma.length_m) < 0.02 * sonoma.length_m
        assert view.corners == ()
        store.put("DELETE FROM laps", [])
        assert store.flush()
        whole = the_view(store)
    [lap] = whole.laps
    assert "speed_mps" in lap.columns
    page = tmp_path / "far.html"
    page.write_bytes(page_of(whole))
    dom, console = browsed(page, tmp_path)
    assert console == ""
    assert whole.labels["map"] in dom


def test_the_command_writes_a_file_and_overwrites_none(
    seen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PITWALL_HOME", str(seen))
    with Store(Home(seen)) as store:
        store.open()
        [row] = queries.sessions(store)
    out = tmp_path / "out.html"
    assert pitwall(["report", row.id, "--out", str(out)]) == 0
    data = re.search(rb'id="data">(.*?)</script>', out.read_bytes(), re.S)
    assert data is not None
    stored: Any = json.loads(data[1])
    assert stored["session"] == row.id
    capsys.readouterr()
    assert pitwall(["report", row.id, "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert pitwall(["report", row.id, "--out", str(tmp_path / "no" / "x.html")]) == 2
    assert "can't be written" in capsys.readouterr().err
    assert pitwall(["report", "nosuch"]) == 2


def test_a_lap_whose_first_reading_lies_before_the_gate_is_whole() -> None:
    """The matcher may still place it at the end of the lap, when the clock has crossed the line."""
    places, times = (3_990.0, 2.0, 10.0, 9.0, 12.0), (0.0, 1.0, 2.0, 3.0, 4.0)
    at_once, one_by_one = SeenLap(WHOLE), SeenLap(WHOLE)
    at_once.add(places, [times] * len(READ))
    for far_m, t in zip(places, times, strict=True):
        one_by_one.add([far_m], [[t]] * len(READ))
    for trace in (at_once, one_by_one):
        assert (trace.far_m, trace.read[0]) == ([2.0, 10.0, 12.0], [1.0, 2.0, 4.0])


async def test_a_piece_of_the_lap_is_zoomed_to_and_a_corner_framed(seen: Path, tmp_path: Path) -> None:
    """A drag, the wheel, a corner's name in a table, and back to the whole lap."""
    page_file = tmp_path / "report.html"
    with Store(Home(seen)) as store:
        store.open()
        [row] = queries.sessions(store)
        page_file.write_bytes(report_html(store, row.id))
    async with browsing() as page:
        await page.size(1200, 900)
        await page.open(page_file.as_uri())
        await page.until("document.querySelectorAll('.views .u-over').length > 3")
        await page.run("document.querySelectorAll('.views .uplot')[2].scrollIntoView({ block: 'center' })")
        box = "document.querySelectorAll('.views .u-over')[2].getBoundingClientRect()"
        left, top, width, height = await page.run(f"[{box}.left, {box}.top, {box}.width, {box}.height]")
        whole = "document.querySelector('.framing button').hidden"
        assert await page.run(whole)
        for kind, share in (
            ("mouseMoved", 0.3),
            ("mousePressed", 0.3),
            ("mouseMoved", 0.5),
            ("mouseReleased", 0.5),
        ):
            await page.call(
                "Input.dispatchMouseEvent", type=kind, x=left + share * width, y=top + height / 2,
                button="left", buttons=0 if kind == "mouseReleased" else 1, clickCount=1,
            )  # fmt: skip
        await page.until(f"!{whole}")
        await page.run("document.querySelector('.views .charts').dispatchEvent(new MouseEvent('dblclick'))")
        assert await page.run(whole)
        await page.call(
            "Input.dispatchMouseEvent", type="mouseWheel", x=left + width / 2, y=top + height / 2,
            deltaX=0, deltaY=-120,
        )  # fmt: skip
        await page.until(f"!{whole}")
        await page.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
        await page.run("document.querySelector('.framing button').click()")
        named = "[...document.querySelectorAll('button.plain')].find((each) => each.textContent === 'Turn 7')"
        await page.run(f"{named}.click()")
        assert await page.run("document.querySelector('.framing select').value") == "turn_7"
        assert "Turn 7" in await page.run("document.querySelector('.here').textContent")
        assert page.errors == []


async def test_a_lap_is_given_to_a_friend_whose_drives_are_then_compared_with_it(
    driven: Home, tmp_path: Path
) -> None:
    lap, friend = tmp_path / "quick.pitlap", Home(tmp_path / "friend")
    assert typed(driven, "share", "last", "--lap", "3", "--out", lap).returncode == 0
    assert not re.search(rb"lat|lon|20250517", lap.read_bytes()), "no place off the track, and no day"
    friend.prepare()
    assert "a lap of sonoma" in typed(friend, "import", lap).stdout
    sonoma = load_track(shipped("track_data") / "sonoma.json")
    found = load_shared_lap(friend.references, sonoma, None)
    assert found is not None
    with Store(driven) as store:
        store.open()
        [row] = queries.sessions(store)
        assert found.lap_time_s == next(
            each.time_s for each in queries.laps(store, row.id) if each.number == 3
        )
    # The page takes it too, under a name of its own.
    other = Home(tmp_path / "other")
    other.prepare()
    async with api_daemon.running(other) as (_, port, token), asking(port, token) as client:
        path = f"http://127.0.0.1:{port}/imports?name=quick.pitlap"
        async with client.post(path, data=lap.read_bytes()) as answer:
            told = msgspec.json.decode((await answer.text()).splitlines()[-1])
        assert (told["type"], told["session"], told["best_s"]) == ("done", "", found.lap_time_s)
        assert told["notes"][0].startswith("quick.pitlap: a lap of sonoma")
    assert load_shared_lap(other.references, sonoma, None) == found
    lap.write_bytes(b"{}")
    refused = typed(friend, "import", lap)
    assert (refused.returncode, "is no composed lap" in refused.stderr) == (2, True)
