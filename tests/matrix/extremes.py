"""Thousands of short drives in which everything goes wrong, and what the coach may never do in any of them.

Each drive is a few laps of a small built circuit with faults in some corners, and on top of them spins, trips
off the road, the wrong way, the pit lane, rain lines, a stopped car, holes in the fix. A drive is made of its
number alone: `scripts/matrix extremes --sessions 1 --seed 4711 --show` prints the ledger of one.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from random import Random

import msgspec
from planted import DRIVER, NO_TECHNIQUE, SPOKEN, Driven, Ledger, TextWords, drive

from pitwall.coach.cue import PHASES, SAFETY, LedgerLine, ledger_json
from pitwall.coach.scripts import load_scripts
from pitwall.simulator.car import G_MPS2
from pitwall.simulator.plan import Sensors, SimulationPlan
from pitwall.simulator.sensors import stream
from pitwall.simulator.trace import true_drive
from pitwall.telemetry.sample import Sample
from pitwall.track.build import build_track
from pitwall.track.geometry import Projection
from pitwall.track.model import Track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from club import club_circuit

SMALL = ((120, 25, 100), (90, 18, 130), (140, 30, -60), (80, 22, 100), (150, 40, 90), (100, 1, 0))
# What a frame costs is the same at any rate: most drives have few of them.
RATES_HZ = (5.0, 5.0, 5.0, 8.0, 10.0)
# Laps of a drive, and laps between two events: advice needs two laps at pace.
LAPS, CALM_LAPS = (5, 7), (0.5, 4.0)
STATION_M = 2.0
# What a car can do at most, m/s2.
BRAKES_MPS2, PULLS_MPS2 = 10.5, 4.0

# What is never said, whatever the case.
NEVER = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (
        r"full throttle", r"flat out", r"\b(do not|don't|never|no) brak", r"without brak",
        r"\b(overtake|pass (him|her|them|the car))\b", r"\brace\b", r"\b(belt|helmet|handbrake|ignition)\b",
        r"\b(look at|phone|screen)\b", r"\bturn (back|around|round)\b", r"\bstop (now|here)\b",
        r"\breverse\b", r"\bfaster than\b", r"\b(abs|traction control|stability) off\b", r"[{}<>\[\]_]",
    )
)  # fmt: skip
# Concepts that say the opposite of each other about one corner.
AGAINST = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "brake_earlier/brake_later", "brake_lighter/brake_harder", "brake_earlier/brake_lighter",
        "brake_earlier/over_slowed", "brake_earlier/more_apex_speed", "brake_earlier/flat_possible",
        "brake_earlier/less_lift", "release_sooner/trail_longer", "turn_in_earlier/turn_in_later",
        "turn_in_earlier/later_apex", "turn_in_earlier/wider_entry", "gear_up/gear_down",
        "throttle_sooner/throttle_smoother", "throttle_fully/throttle_smoother",
        "brake_harder/over_slowed", "brake_harder/release_sooner",
    )
)  # fmt: skip
AGAINST_S = 10.0
CALLOUTS_A_LAP = 8
# What a safety message cut off has sounded, and was not spoken.
CUT = "superseded"
# A loss of so much since a sentence was said is reason enough to say it again.
PERSISTED_S = 0.1
STANDING_MPS = 3.0
SHOWN = 20


class Lap(msgspec.Struct, frozen=True):
    """A clean lap of the small circuit, one entry every STATION_M: place in metres, course in radians,
    curvature per metre (positive left), speed in m/s."""

    projection: Projection
    x_m: tuple[float, ...]
    y_m: tuple[float, ...]
    z_m: float
    course: tuple[float, ...]
    bend: tuple[float, ...]
    mps: tuple[float, ...]

    @property
    def length_m(self) -> float:
        return len(self.mps) * STATION_M


@cache
def place() -> tuple[Track, TextWords, Lap]:
    """The circuit as it is built, its words, and how it is driven at best."""
    truth = club_circuit(legs=SMALL, track_id="small", hill_m=3.0)
    plan = SimulationPlan(laps=3, driver=msgspec.structs.replace(DRIVER, variation=0.0))
    track = build_track([Driven(truth, plan)], track_id="small", name="Small").track
    trace = true_drive(track, plan)
    line = trace.line
    first = line.index(2 * track.length_m)
    each = (line.along_m[-1] - line.along_m[0]) / (len(line.along_m) - 1)
    stations = range(first, first + round(track.length_m / each))
    lap = Lap(
        trace.projection,
        *(tuple(values[i] for i in stations) for values in (line.x_m, line.y_m)),
        line.z_m[first],
        *(
            tuple(values[i] for i in stations)
            for values in (trace.heading_rad, line.curvature, trace.speed_mps)
        ),
    )
    return track, TextWords(load_scripts([], track), {}, ()), lap


class Car:
    """A car that is driven along the lap, and now and then is not. `u_m` runs on over the laps; `off_m` is to
    the left of the line, `turned` radians away from it; `aim` are the driver's wishes for this instant."""

    def __init__(self, lap: Lap, rng: Random) -> None:
        self.lap, self.rng = lap, rng
        self.t = 0.0
        self.u_m = lap.length_m * rng.uniform(0.7, 0.95)
        self.mps = self.mps2 = self.off_m = self.turned = self.spin_rps = 0.0
        self.pace = rng.uniform(0.9, 1.0)
        self.wet_m = rng.uniform(2.0, 5.0) if rng.random() < 0.15 else 0.0
        if self.wet_m:
            self.pace *= rng.uniform(0.7, 0.9)
        self.fix = True
        self.way = 1.0
        self.hot_c = rng.choice((0.0,) * 19 + (35.0,))
        # Faults by place: (from, to, metres that the speed is ahead, share of speed), from the second lap on.
        self.faults = [
            (
                at,
                at + rng.uniform(60.0, 140.0),
                rng.choice((0.0, 8.0, 16.0, 25.0, -6.0)),
                rng.uniform(0.86, 1.0),
            )
            for at in (rng.uniform(0.0, lap.length_m) for _ in range(rng.randrange(4)))
        ]

    def wish(self) -> float:
        """The speed that the driver wants here, m/s."""
        lap, n = self.lap, len(self.lap.mps)
        here_m = self.u_m % lap.length_m
        i = int(here_m / STATION_M) % n
        wanted = lap.mps[i] * self.pace
        if self.u_m > 2.0 * lap.length_m:
            for from_m, to_m, ahead_m, share in self.faults:
                if from_m <= here_m < to_m:
                    ahead = lap.mps[int((here_m + ahead_m) / STATION_M) % n] * self.pace
                    wanted = min(wanted, ahead) * share if ahead_m >= 0.0 else max(wanted, ahead)
        return wanted

    def move(self, wanted_mps: float, dt: float, off_m: float | None = None) -> None:
        """One step of the car towards a speed and a place beside the line."""
        wet = self.wet_m * math.sin(self.u_m / 60.0) if off_m is None else off_m
        reach = 0.35 * dt * max(self.mps, 1.0)
        self.off_m += min(max(wet - self.off_m, -reach), reach)
        change = min(max(wanted_mps - self.mps, -BRAKES_MPS2 * dt), PULLS_MPS2 * dt)
        self.mps2 = change / dt
        self.mps = max(self.mps + change, 0.0)
        self.u_m += self.way * self.mps * dt
        self.turned += self.spin_rps * dt
        self.t += dt


Step = Callable[[Car, float], Iterator[None]]
"""Something that happens: moves the car step by step until it is over."""


def drives(car: Car, dt: float, metres: float) -> Iterator[None]:
    """Just drives on."""
    until_m = car.u_m + metres
    while car.u_m < until_m:
        car.move(car.wish(), dt)
        yield


def stands(car: Car, dt: float, seconds: float) -> Iterator[None]:
    """Stops, and stands for a while."""
    until = math.inf
    while car.t < until:
        car.move(0.0, dt, car.off_m)
        if car.mps == 0.0 and until == math.inf:
            until = car.t + seconds
        yield


def spins(car: Car, dt: float) -> Iterator[None]:
    rng = car.rng
    car.spin_rps = rng.choice((-1.0, 1.0)) * rng.uniform(1.5, 5.0)
    side_m = rng.uniform(-12.0, 12.0)
    while car.mps > 0.5:
        car.move(0.0, dt, side_m)
        yield
    car.spin_rps = 0.0
    yield from stands(car, dt, rng.uniform(0.0, 8.0))
    if rng.random() < 0.3:
        yield from goes_back(car, dt)
    car.turned = 0.0
    yield from drives(car, dt, 50.0)


def goes_back(car: Car, dt: float) -> Iterator[None]:
    """The wrong way, for a while."""
    yield from stands(car, dt, car.rng.uniform(0.0, 3.0))
    car.way, car.turned = -1.0, math.pi
    until_m = car.u_m - car.rng.uniform(20.0, 200.0)
    while car.u_m > until_m:
        car.move(car.rng.uniform(5.0, 14.0), dt)
        yield
    yield from stands(car, dt, car.rng.uniform(0.0, 3.0))
    car.way, car.turned = 1.0, 0.0


def leaves_the_road(car: Car, dt: float) -> Iterator[None]:
    side_m = car.rng.choice((-1.0, 1.0)) * car.rng.uniform(8.0, 35.0)
    until = car.t + car.rng.uniform(2.0, 7.0)
    while car.t < until:
        car.move(car.rng.uniform(0.4, 0.7) * car.wish(), dt, side_m)
        yield
    yield from drives(car, dt, 80.0)


def pits(car: Car, dt: float) -> Iterator[None]:
    """Along the pit lane beside the start, with a stop or without."""
    lap_m = car.lap.length_m
    yield from drives(car, dt, (lap_m - 120.0 - car.u_m) % lap_m)
    end_m = car.u_m + 220.0
    stop_m = car.u_m + 110.0 if car.rng.random() < 0.7 else math.inf
    while car.u_m < end_m:
        car.move(12.0, dt, 18.0)
        if car.u_m > stop_m:
            stop_m = math.inf
            yield from stands(car, dt, car.rng.uniform(3.0, 12.0))
        yield


def stops(car: Car, dt: float) -> Iterator[None]:
    yield from stands(car, dt, car.rng.uniform(3.0, 12.0))


def drives_wet(car: Car, dt: float) -> Iterator[None]:
    """A lap on the rain line."""
    before = car.wet_m, car.pace
    car.wet_m, car.pace = car.rng.uniform(3.0, 6.0), 0.8 * car.pace
    yield from drives(car, dt, car.lap.length_m)
    car.wet_m, car.pace = before


def loses_the_fix(car: Car, dt: float) -> Iterator[None]:
    car.fix = False
    yield from drives(car, dt, car.rng.uniform(30.0, 400.0))
    car.fix = True


EVENTS: tuple[Step, ...] = (
    spins, spins, goes_back, leaves_the_road, leaves_the_road, pits, stops, drives_wet, loses_the_fix,
)  # fmt: skip


def session(seed: int) -> list[Sample]:
    """The samples of one drive, the same for the same number."""
    _, _, lap = place()
    rng = Random(f"extreme:{seed}")
    car, dt = Car(lap, rng), 1.0 / rng.choice(RATES_HZ)
    samples = []
    wander = [rng.gauss(0.0, 0.4), rng.gauss(0.0, 0.4)]
    for _ in _whole_drive(car, dt):
        wander = [0.995 * each + rng.gauss(0.0, 0.04) for each in wander]
        samples.append(_seen(car, wander))
    return samples


def _whole_drive(car: Car, dt: float) -> Iterator[None]:
    end_m = car.lap.length_m * (car.rng.randint(*LAPS) + 1)
    while car.u_m < end_m:
        yield from drives(car, dt, car.rng.uniform(*CALM_LAPS) * car.lap.length_m)
        if car.u_m < end_m:
            yield from car.rng.choice(EVENTS)(car, dt)


def _seen(car: Car, wander: list[float]) -> Sample:
    """What the logger writes of the car now, in the channels of `sensors.CHANNELS`."""
    lap = car.lap
    far = car.u_m / STATION_M
    n = len(lap.mps)
    i, u = int(far) % n, far % 1.0
    j = (i + 1) % n
    course = lap.course[i] + u * math.remainder(lap.course[j] - lap.course[i], 2 * math.pi)
    x = lap.x_m[i] + u * (lap.x_m[j] - lap.x_m[i]) - math.cos(course) * car.off_m + wander[0]
    y = lap.y_m[i] + u * (lap.y_m[j] - lap.y_m[i]) + math.sin(course) * car.off_m + wander[1]
    bend = lap.bend[i] * car.way
    g_lat = car.mps * car.mps * bend / G_MPS2 + car.rng.gauss(0.0, 0.02)
    lat, lon = lap.projection.lat_lon(x, y)
    moves = math.pi if car.way < 0.0 else 0.0
    fix: tuple[float | None, ...] = (None, None, None, None, None, 0.0)
    if car.fix:
        fix = (lat, lon, lap.z_m, car.mps, math.degrees(course + moves) % 360.0, 12.0)
    gear = min(6.0, 1.0 + car.mps // 9.0) if car.mps > 0.0 else 0.0
    rpm = 900.0 if not gear else max(900.0, 7000.0 * car.mps / (9.0 * gear))
    warm = 1.0 - math.exp(-car.t / 60.0)
    return Sample(
        0,
        round(car.t, 3),
        (
            *fix, g_lat, car.mps2 / G_MPS2 + car.rng.gauss(0.0, 0.02),
            math.degrees(car.mps * bend + car.spin_rps), car.mps, 700.0 * bend,
            max(0.0, -car.mps2 - 0.8) * 6.0, min(100.0, max(0.0, 25.0 * car.mps2 + 20.0) if car.mps else 0.0),
            rpm, gear, 40.0 + (46.0 + car.hot_c) * warm, 40.0 + 58.0 * warm, 1.2 + rpm / 2500.0,
            float(int(car.u_m / lap.length_m)),
        ),
    )  # fmt: skip


def wrongs(heard: Ledger) -> Iterator[str]:
    """Everything in a ledger that may not be, each as `what: where`."""
    ended = Counter(line.cue for line in heard.lines)
    yield from (f"ended {n} times: cue {cue}" for cue, n in ended.items() if n > 1)
    yield from (f"never ended: cue {cue}" for cue in range(1, max(ended, default=0) + 1) if cue not in ended)
    said = sorted((line for line in heard.lines if line.outcome in SPOKEN), key=lambda line: line.t)
    sounded = {line.cue for line in heard.lines if line.outcome in (*SPOKEN, CUT)}
    yield from (f"sounded and not in the ledger: cue {cue}" for cue in heard.began if cue not in sounded)
    for line in said:
        if any(words.search(line.text) for words in NEVER):
            yield f"never say: {line.text!r}"
        if line.priority < SAFETY and line.phase in PHASES and line.corner:
            if line.cue in heard.under_braking:
                yield f"began under braking: {line.text!r}"
            if heard.began[line.cue] < STANDING_MPS:
                yield f"told a standing car: {line.text!r}"
        if line.time_in_hand_s is not None and line.time_in_hand_s < 0.0:
            yield f"late by {-line.time_in_hand_s:.1f} s: {line.text!r}"
    counted = Counter(line.lap for line in said if line.priority < SAFETY and line.phase != "status")
    yield from (f"{n} callouts: lap {lap}" for lap, n in counted.items() if n > CALLOUTS_A_LAP)
    by_corner: dict[str, list[LedgerLine]] = defaultdict(list)
    for line in said:
        if line.corner:
            by_corner[line.corner].append(line)
    for corner, lines in by_corner.items():
        for k, line in enumerate(lines):
            for later in lines[k + 1 :]:
                yield from _of_two(heard, corner, line, later)


def _of_two(heard: Ledger, corner: str, line: LedgerLine, later: LedgerLine) -> Iterator[str]:
    """What may not be of two calls about one corner."""
    if later.t - line.t < AGAINST_S and frozenset((line.concept, later.concept)) in AGAINST:
        yield f"contradiction: {line.concept} and {later.concept} about {corner} in {later.t - line.t:.1f} s"
    if later.text == line.text and later.lap - line.lap < 2 and line.concept not in NO_TECHNIQUE:
        between = [each for each in heard.passes if each.corner == corner and line.t < each.exit_t <= later.t]
        lost_s = [heard.lost_s.get((each.lap, corner), 0.0) for each in between]
        # A corner may lose against a better pass than that of the reference lap: then the reason says so.
        seen = re.search(r"loses [\d.]+ s in laps ([\d, ]+) against .* better passes", later.reason)
        named = {int(number) for number in seen[1].split(",")} if seen else set()
        if max(lost_s, default=0.0) < PERSISTED_S and named.isdisjoint(each.lap for each in between):
            yield f"again in lap {later.lap} after {line.lap}: {line.text!r}"


class Report(msgspec.Struct, frozen=True):
    """One drive: its number, how much was said, and everything that was wrong."""

    seed: int
    laps: int
    spoken: int
    technique: int
    wrongs: tuple[str, ...]


def run(seed: int, show: bool = False) -> Report:
    """Drive one and look at its ledger."""
    track, words, _ = place()
    heard = drive(track, words, stream(Sensors()), session(seed))
    if show:
        for line in heard.lines:
            print(ledger_json(line).decode())
    said = [line for line in heard.lines if line.outcome in SPOKEN]
    return Report(
        seed,
        max((line.lap for line in heard.lines), default=0),
        len(said),
        sum(bool(line.concept) and line.concept not in NO_TECHNIQUE for line in said),
        tuple(wrongs(heard)),
    )


def main() -> None:
    """Drive so many, and print what was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="the number of the first one (default: 1)")
    parser.add_argument("--jobs", type=int, default=1, help="so many processes")
    parser.add_argument("--show", action="store_true", help="print every line of the ledgers")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    asked = parser.parse_args()
    began_s = time.monotonic()
    seeds = range(asked.seed, asked.seed + asked.sessions)
    place()
    if asked.jobs > 1:
        with ProcessPoolExecutor(asked.jobs, multiprocessing.get_context("fork")) as pool:
            reports = list(pool.map(partial(run, show=asked.show), seeds, chunksize=50))
    else:
        reports = [run(seed, asked.show) for seed in seeds]
    kinds = Counter(
        re.sub(r"[\d.]+", "N", wrong.partition(":")[0]) for each in reports for wrong in each.wrongs
    )
    summary = {
        "sessions": len(reports),
        "spoken": sum(each.spoken for each in reports),
        "technique": sum(each.technique for each in reports),
        "wrong": dict(kinds),
        "seconds": round(time.monotonic() - began_s, 1),
    }
    if asked.json:
        found = {each.seed: each.wrongs for each in reports if each.wrongs}
        print(json.dumps({**summary, "found": found}))
        return
    for each in [each for each in reports if each.wrongs][:SHOWN]:
        print(f"seed {each.seed}:", *each.wrongs[:5], sep="\n  ")
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
