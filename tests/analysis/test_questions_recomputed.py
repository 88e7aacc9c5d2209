"""Questions as drivers ask them, on four recordings; the figures are worked out anew from raw files."""

from __future__ import annotations

import re
import shutil
import statistics
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from raw_drives import RawDrive, nmea_rows, sonoma_rows, vbo_rows
from stored_facts import opened

from pitwall.analysis.port import Facts
from pitwall.analysis.tools import Tools
from pitwall.config import Home
from pitwall.contract.messages import Turn
from pitwall.drive.replay import import_file
from pitwall.paddock.composed import Composed

pytestmark = [pytest.mark.recordings, pytest.mark.long]

FILES: dict[str, tuple[str, Callable[[Path], list[dict[str, float]]]]] = {
    "m3": ("sonoma-m3-vbox.csv", sonoma_rows),
    "kart": ("lignano-racebox.vbo", vbo_rows),
    "ra": ("roadamerica-racelogic.vbo", vbo_rows),
    "fl": ("orlando-18hz.nmea", nmea_rows),
}
# The laps that the crossings of the line begin, one by one; the kart crosses it in the pits too.
NUMBERS = {
    "m3": range(2, 9),
    "kart": (0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 9, 10, 11, 12),
    "ra": (1, 2),
    "fl": (1, 2, 3),
}
# The flying laps, as a person counts them in the files.
FLYING = {"m3": range(2, 9), "kart": (1, 2, 3, 4, 6, 7, 8, 10, 11, 12), "ra": (1,), "fl": (1, 2, 3)}
# How far a speed in km/h may be off: it is rounded, and taken between two fixes.
V = 1.6


class Case(NamedTuple):
    """A question (the last of a conversation, with | between), words of its answer, and its figures: an
    expression over the raw drive `r`."""

    drive: str
    question: str
    says: str
    figures: str = ""
    within: str = "0.06"


def cases() -> list[Case]:
    lines = Path(__file__).with_name("recomputed_questions.txt").read_text(encoding="utf-8").splitlines()
    return [Case(*re.split(" :: ?", line)) for line in lines if line and not line.startswith("#")]


def trailed_s(r: RawDrive, lap: int, corner: str) -> float:
    """Seconds on the brakes at over 0.3 g sideways, from the exit of the corner before."""
    begin, end = r.straight(lap, corner)[0], r.span(lap, corner)[1]
    rows = [row for row in r.rows if begin <= row["t"] <= end]
    return sum(b["t"] - a["t"] for a, b in pairwise(rows) if a["bar"] > 2.0 and abs(a["g_lat"]) >= 0.3)


def braked_before(r: RawDrive, corner: str) -> list[int]:
    """The flying laps with the brakes on in the six seconds before the apex of a corner."""
    [row] = [each for each in r.track.corners if each.id == corner]
    found = []
    for lap in FLYING["m3"]:
        apex_t = r.passed(lap, row.apex_m)
        bars = r.between(apex_t - 6.0, apex_t, "bar")
        found += [lap] if max(bars) > 12.0 else []
    return found


def of_corner(value: Callable[[int, str], float], corner: str) -> list[float]:
    return [value(lap, corner) for lap in FLYING["m3"]]


def lifted_m(r: RawDrive, lap: int, corner: str) -> float:
    """Metres driven from where the throttle was let go under half, the last time before the brakes, to the
    apex."""
    [apex_m] = [each.apex_m for each in r.track.corners if each.id == corner]
    begin, end = r.straight(lap, corner)[0], r.passed(lap, apex_m)
    rows = [row for row in r.rows if begin <= row["t"] <= end]
    brakes = next(i for i, row in enumerate(rows) if row["bar"] > 5.0)
    half_travel = max(row["throttle"] for row in r.rows) / 2.0
    last = max(i for i in range(brakes) if rows[i]["throttle"] >= half_travel)
    return r.metres(rows[last + 1]["t"], end, "t", 0.0)


@pytest.fixture(scope="module")
def asked(
    recordings: Path, sonoma_driven: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Case], tuple[str, RawDrive]]]:
    """The answer to a case without a model, and the raw drive that it is about."""
    home = Home(shutil.copytree(sonoma_driven, tmp_path_factory.mktemp("questions") / "home"))
    with opened(home) as store:
        facts = Facts(store)
        ids = {name: import_file(recordings / file, home, store).session for name, (file, _) in FILES.items()}
        rows = {row.id: row for row in facts.sessions()}
        raw: dict[str, RawDrive] = {}
        # As the worker has them: what was made of a session for one question is there for the next.
        tools = Tools(facts)

        def ask(case: Case) -> tuple[str, RawDrive]:
            row = rows[ids[case.drive]]
            if case.drive not in raw:
                track = facts.track(row.track)
                assert track is not None
                file, read = FILES[case.drive]
                raw[case.drive] = RawDrive(read(recordings / file), track, NUMBERS[case.drive])
            turns: list[Turn] = []
            answer = ""
            for question in case.question.split(" | "):
                answer = Composed(tools.about(row), facts)("TelemetryAgent", question, turns)
                turns += [Turn("driver", question), Turn("coach", answer)]
            return answer.partition("] ")[2] or answer, raw[case.drive]

        yield ask


_FIGURE = re.compile(r"(\d+):(\d\d\.\d+)|(?<![\w.])(-?\d+(?:\.\d+)?)")


def figures_in(text: str) -> list[float]:
    return [int(m[1]) * 60 + float(m[2]) if m[1] else float(m[3]) for m in _FIGURE.finditer(text)]


def lacking(case: Case, answer: str, raw: RawDrive) -> str:
    """What the answer lacks, "" where it is right: its words, and its figures in their order."""
    for words in case.says.split("; "):
        if words.lower() not in answer.lower():
            return f"no {words!r}"
    told, at, flying = figures_in(answer), 0, FLYING[case.drive]
    known = (
        vars(statistics) | globals() | {"r": raw, "flying": flying, "times": [raw.lap(lap) for lap in flying]}
    )
    for wanted in eval(f"[{case.figures}]", known):
        within = eval(case.within, known)
        found = next((i for i in range(at, len(told)) if abs(told[i] - wanted) <= within), None)
        if found is None:
            return f"no {wanted:.3f}"
        at = found + 1
    return ""


def test_every_answer_is_right(asked: Callable[[Case], tuple[str, RawDrive]]) -> None:
    known, wrong = cases(), []
    assert len(known) > 70
    for case in known:
        answer, raw = asked(case)
        if lack := lacking(case, answer, raw):
            wrong.append(f"{case.drive}: {case.question}: {lack} in {answer!r}")
    assert not wrong, "\n".join([f"{len(wrong)} of {len(known)}", *wrong])


def test_a_signal_that_is_known_for_a_small_part_of_a_lap_tells_nothing_of_it(
    recordings: Path, sonoma_driven: Path, tmp_path: Path
) -> None:
    """Of this lap the logger has the pedal's own values for seconds only, between them a straight line."""
    home = Home(shutil.copytree(sonoma_driven, tmp_path / "home"))
    with opened(home) as store:
        own = import_file(recordings / "tianma-racechrono-v3.csv", home, store).session
        facts = Facts(store)
        row = next(each for each in facts.sessions() if each.id == own)
        composed = Composed(Tools(facts).about(row), facts)
        for question in ("how much was I flat out", "average throttle", "throttle in turn 5"):
            assert "recorded for only 10% of lap 1" in composed("TelemetryAgent", question)
        assert "km/h" in composed("TelemetryAgent", "top speed in lap 1")
