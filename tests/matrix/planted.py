"""What the coach makes of planted mistakes: every kind, in ten corners of three tracks, on several seeds.
`scripts/matrix` runs it.

Each drive has two clean laps, then the mistake on every lap that follows. It goes through the car's own path,
and only the ledger is judged. Of each kind the table counts
  runs      drives
  small     of these, the ones in which that corner cost under 0.15 s a lap: nothing is wanted of them, and
            what else is counted leaves them out
  seen      the ledger has a concept for that corner, spoken or not
  named     a concept that fits was spoken by the fourth lap with the mistake
  phase     the first such call belongs to the right part of the corner
  spoken    concepts spoken about that corner since the mistake began
  fit       of these, the ones that fit
  exact     of these, the ones that name its cause
  opposite  of these, the ones that would make it worse
  late      calls that ended after their place
  braking   calls, safety apart, that began while the driver braked
  away      concepts spoken about other corners
Clean drivers make no mistake: whatever technique is called there is false.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

import msgspec

from pitwall.coach.cue import SAFETY, Callout, LedgerLine
from pitwall.coach.scripts import load_scripts
from pitwall.config import Home, shipped
from pitwall.drive.controls import control
from pitwall.drive.prepare import DriveSettings, Words
from pitwall.drive.session import DriveListener, DriveSession, Supplies
from pitwall.simulator.car import M3
from pitwall.simulator.effects import effects_of, even, fitting_corners
from pitwall.simulator.mistakes import ROWS
from pitwall.simulator.plan import SPREADS, Driver, Mistake, MistakeKind, SimulationPlan
from pitwall.simulator.sensors import stream
from pitwall.simulator.simulate import recording_info, simulate
from pitwall.simulator.trace import true_drive
from pitwall.telemetry.findings import Finding
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.sample import Sample, Stream
from pitwall.track.build import build_track
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.library import load_track
from pitwall.track.model import Track
from pitwall.voice.clips import estimate_s

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from club import Leg, club_circuit
from losses import losses

CLEAN_LAPS, LAPS, RATE_HZ = 2, 8, 10.0
NAMED_BY = 4
# A mistake is planted as small as it is worth naming: twice the noise of a corner's time, or nearly.
WORTH_S, LEAST_S, MOST_S, NOISE_S = 0.28, 0.2, 2.0, 0.15
BRAKES_G = 0.25
SPOKEN = ("spoken", "held then spoken")


class Row(msgspec.Struct, frozen=True):
    """One mistake: concepts that name its cause, others that are right too, those that would make it worse,
    the phases where a call about it belongs, and the amounts that are tried, the smallest first."""

    exact: frozenset[str]
    also: frozenset[str]
    opposite: frozenset[str]
    phases: frozenset[str]
    amounts: tuple[float, ...]


def row(exact: str, also: str, opposite: str, phases: str, *amounts: float) -> Row:
    """A row, its sets as words."""
    return Row(*(frozenset(words.split()) for words in (exact, also, opposite, phases)), amounts)


# fmt: off
EXPECTED: dict[MistakeKind, Row] = {
    "brake_early": row("brake_later", "", "brake_earlier", "brake", 15, 25, 40, 60, 90),
    "brake_soft": row("brake_later", "", "brake_earlier", "brake", .15, .25, .35, .5, .65),
    "brake_hard": row("more_apex_speed", "brake_later", "brake_earlier", "brake apex", 1, 1.5, 2, 3, 4.5),
    "brake_late": row("brake_earlier", "throttle_sooner throttle_fully", "brake_later more_apex_speed",
                      "brake apex exit", 12, 16, 20, 26, 32),
    "two_bites": row("brake_later", "more_apex_speed no_coasting", "brake_earlier",
                     "brake apex", 25, 40, 60, 80, 100),
    "long_brake": row("more_apex_speed throttle_sooner", "brake_later", "brake_earlier",
                      "brake apex exit", 10, 15, 20, 30, 45),
    "coast": row("no_coasting stay_flat brake_later", "", "brake_earlier", "brake", 40, 80, 120, 180, 250),
    "overslow": row("more_apex_speed", "brake_later", "brake_earlier", "brake apex", 1, 1.5, 2, 3, 4.5),
    "missed_apex": row("more_apex_speed throttle_sooner", "brake_later", "", "apex exit", 2, 3, 4, 5),
    "early_turn_in": row("more_apex_speed throttle_sooner", "throttle_fully", "", "apex exit",
                         1.5, 2.5, 3.5, 5),
    "late_turn_in": row("more_apex_speed throttle_sooner", "brake_later", "", "apex exit", 1.5, 2.5, 3.5, 5),
    "late_throttle": row("throttle_sooner", "throttle_fully", "", "exit", 20, 35, 50, 80, 120),
    "slow_exit": row("throttle_fully throttle_sooner", "", "", "exit", .15, .25, .4, .6),
    "lifted_again": row("throttle_once", "throttle_fully throttle_sooner", "", "exit",
                        20, 35, 50, 80, 120),
    "lift": row("stay_flat more_apex_speed", "throttle_sooner brake_later throttle_fully", "brake_earlier",
                "brake apex exit", 40, 80, 140, 220, 300),
    "gear_too_high": row("throttle_fully throttle_sooner", "", "", "apex exit", 1, 2),
    "gear_too_low": row("throttle_fully throttle_sooner", "more_apex_speed", "", "apex exit", 1, 2),
    "pinched_exit": row("more_apex_speed throttle_sooner", "throttle_fully", "", "apex exit",
                        1.5, 2.5, 3.5, 5),
    "exit_unused": row("throttle_sooner throttle_fully", "more_apex_speed", "", "apex exit",
                       1.5, 2.5, 3.5, 5),
}

# Two invented circuits; the coach gets what `pitwall track build` makes of laps driven there.
BUILT: dict[str, tuple[Leg, ...]] = {
    "ridge": ((260, 70, 125), (330, 500, -28), (160, 28, -55), (120, 45, -55), (120, 130, 150),
              (160, 95, 100), (200, 95, -100), (200, 55, 125), (160, 350, 28), (420, 350, -22), (200, 60, 92),
              (250, 1, 0)),
    "valley": ((160, 350, -34), (200, 36, 85), (160, 28, 85), (120, 45, 70), (330, 28, -100), (330, 55, 55),
               (200, 55, -70), (200, 45, 85), (120, 28, 85), (200, 350, 34), (160, 350, 22), (200, 80, 43),
               (250, 1, 0)),
}
# fmt: on
TRACKS = ("sonoma", *BUILT)
# Concepts that tell of the lap or of the car, not of how a corner is driven.
NO_TECHNIQUE = frozenset(
    {"own_best", "consistency", "out_lap", "coolant_hot", "oil_hot", "oil_pressure", "fuel_low"}
    | {"lap_time", "sector_delta", "apex_speed"}
)
# Somebody who drives on weekends: near the limit in the corners, not on the brakes.
DRIVER = Driver(name="matrix", grip_use=0.92, brake_use=0.8, variation=SPREADS[0.08])


class Cell(msgspec.Struct, frozen=True):
    """One drive: what is planted where, on which seed; or, with a `spread_s`, a clean driver."""

    track: str
    seed: int
    kind: MistakeKind | None = None
    corner: str = ""
    amount: float = 0.0
    spread_s: float = 0.08
    laps: int = LAPS

    def plan(self) -> SimulationPlan:
        """What is driven."""
        mistakes: tuple[Mistake, ...] = ()
        if self.kind is not None:
            mistakes = (Mistake(self.corner, self.kind, self.amount, CLEAN_LAPS + 1, self.laps),)
        driver = msgspec.structs.replace(DRIVER, variation=SPREADS[self.spread_s])
        return SimulationPlan(
            driver=driver, laps=self.laps, rate_hz=RATE_HZ, seed=self.seed, mistakes=mistakes
        )


class Verdict(msgspec.Struct, frozen=True):
    """What became of one drive, see above. `concepts`: the spoken ones, each with lap and corner."""

    cell: Cell
    small: bool
    seen: bool
    named: bool
    phase: bool
    spoken: int
    fit: int
    exact: int
    opposite: int
    late: int
    braking: int
    away: int
    cpu_s: float
    concepts: tuple[str, ...]


class Ledger(DriveListener):
    """What a drive said: its ledger and its passes, the speed in m/s at which each cue began to sound, and
    the cues that began while the driver braked."""

    def __init__(self) -> None:
        self.lines: list[LedgerLine] = []
        self.passes: list[CornerPass] = []
        self.laps: list[Lap] = []
        self.seen: list[tuple[Frame, Position]] = []
        self.lost_s: dict[tuple[int, str], float] = {}
        self.began: dict[int, float] = {}
        self.under_braking: set[int] = set()
        self._calls: list[Callout] = []

    def callout(self, callout: Callout) -> None:
        self._calls.append(callout)

    def frame(self, frame: Frame, position: Position | None) -> None:
        for callout in self._calls:
            self.began[callout.cue] = frame.speed_mps or 0.0
            if frame.g_long is not None and frame.g_long < -BRAKES_G:
                self.under_braking.add(callout.cue)
        self._calls.clear()
        if position is not None:
            self.seen.append((frame, position))

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        self.passes.append(corner_pass)

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)


class TextWords(Words, frozen=True):
    """Words without sound: a phrase lasts as long as the table of lengths says."""

    def clip_s(self, text: str) -> float | None:
        return estimate_s(text)


class Driven:
    """A simulated drive as a recording that never was a file."""

    def __init__(self, track: Track, plan: SimulationPlan) -> None:
        path = Path(f"{track.id}.simulated")
        self.info = recording_info(track, plan, "simulated", path, true_drive(track, plan).truth)
        self._samples = list(simulate(track, plan))

    def samples(self) -> Iterator[Sample]:
        return iter(self._samples)

    def findings(self) -> list[Finding]:
        return []


@cache
def track_of(name: str) -> Track:
    """A track by name: a shipped one, or one that is built of laps on an invented circuit."""
    if name not in BUILT:
        return load_track(shipped("track_data") / f"{name}.json")
    plan = SimulationPlan(laps=4, rate_hz=10.0, seed=len(name), driver=DRIVER)
    laps = Driven(club_circuit(legs=BUILT[name], track_id=name), plan)
    return build_track([laps], track_id=name, name=name.capitalize()).track


@cache
def words_of(name: str) -> Words:
    """What is said on a track, without sound."""
    with TemporaryDirectory() as folder:
        return TextWords(load_scripts(Home(Path(folder)).layers("audio_cache"), track_of(name)), {}, ())


def drive(track: Track, words: Words, channels: Stream, samples: Iterable[Sample]) -> Ledger:
    """Take the samples of a drive through the car's own path."""
    heard = Ledger()
    session = DriveSession(Supplies({track.id: track}, lambda *_: words), DriveSettings(), (heard,))
    session.stream(channels)
    session.control(control(0.0, "words", track.id))
    session.control(control(0.0, "track", track.id))
    for sample in samples:
        session.feed(sample)
    session.finish()
    heard.lost_s = losses(track, heard.laps, heard.seen)
    return heard


def judge(cell: Cell) -> Verdict:
    """Drive one cell and judge its ledger."""
    began_s = time.process_time()
    plan, track = cell.plan(), track_of(cell.track)
    heard = drive(track, words_of(cell.track), stream(plan.sensors), simulate(track, plan))
    said = [line for line in heard.lines if line.outcome in SPOKEN]
    technique = [line for line in said if line.concept and line.concept not in NO_TECHNIQUE]
    if cell.kind is None:
        expected, here, away = row("", "", "", ""), technique, []
        seen = False
    else:
        expected = EXPECTED[cell.kind]
        here = [line for line in technique if line.corner == cell.corner and line.lap > CLEAN_LAPS]
        away = [line for line in technique if line.corner != cell.corner]
        seen = any(
            line.concept and line.corner == cell.corner and line.lap > CLEAN_LAPS for line in heard.lines
        )
    fits = expected.exact | expected.also
    named = [line for line in here if line.concept in fits and line.lap <= CLEAN_LAPS + NAMED_BY]
    lost_s = [
        loss_s for (lap, corner), loss_s in heard.lost_s.items() if corner == cell.corner and lap > CLEAN_LAPS
    ]
    return Verdict(
        cell=cell,
        small=cell.kind is not None and median(lost_s or [0.0]) < NOISE_S,
        seen=seen,
        named=bool(named),
        phase=bool(named) and named[0].phase in expected.phases,
        spoken=len(here),
        fit=sum(line.concept in fits for line in here),
        exact=sum(line.concept in expected.exact for line in here),
        opposite=sum(line.concept in expected.opposite for line in here),
        late=sum(line.time_in_hand_s is not None and line.time_in_hand_s < 0.0 for line in said),
        braking=sum(line.cue in heard.under_braking and line.priority < SAFETY for line in said),
        away=len(away),
        cpu_s=time.process_time() - began_s,
        concepts=tuple(f"{line.lap}:{line.corner}:{line.concept}" for line in [*here, *away]),
    )


def plantable(track: Track, kind: MistakeKind, most: int) -> list[tuple[str, float]]:
    """Up to `most` corners where a mistake is worth naming, spread over the lap, with the amount of it."""
    driver = even(DRIVER)
    fitting = fitting_corners(track, M3, driver, ROWS[kind].needs)
    tried = tuple((corner, kind, amount) for corner in fitting for amount in EXPECTED[kind].amounts)
    worth: dict[str, tuple[float, float]] = {}
    for (corner, _, amount), effect in zip(tried, effects_of(track, M3, driver, tried), strict=True):
        worth_it = LEAST_S <= effect.loss_s <= MOST_S and not effect.lacks(kind, amount)
        if worth_it and worth.get(corner, (0.0, 0.0))[1] < WORTH_S:
            worth[corner] = (amount, effect.loss_s)
    chosen = [(corner, amount) for corner, (amount, _) in worth.items()]
    step = max(len(chosen) / most, 1.0)
    return [chosen[int(k * step)] for k in range(min(most, len(chosen)))]


def drawn(asked: argparse.Namespace) -> Iterator[Cell]:
    """Random cells that no whole matrix has, each kind as often as the others."""
    rng = Random(f"matrix:{asked.draw}")
    kinds: list[MistakeKind] = []
    places = cache(plantable)
    found = 0
    while found < asked.sample:
        if not kinds:
            kinds = list(asked.only or EXPECTED)
            rng.shuffle(kinds)
        name, kind = rng.choice(asked.tracks), kinds.pop()
        there = places(track_of(name), kind, asked.corners)
        if there:
            found += 1
            yield Cell(name, rng.randrange(1_000, 1_000_000), kind, *rng.choice(there))


def cells(asked: argparse.Namespace) -> tuple[list[Cell], list[str]]:
    """What is to be driven, and what can't be planted often enough."""
    if asked.sample:
        return list(drawn(asked)), []
    planted, notes = [], []
    seeds = range(1, asked.seeds + 1)
    for name in asked.tracks:
        for kind in (asked.only or EXPECTED) if asked.corners else ():
            places = plantable(track_of(name), kind, asked.corners)
            if len(places) < asked.corners:
                notes.append(f"{name}: {kind} is worth naming in {len(places)} corners")
            planted += [Cell(name, seed, kind, *place) for place in places for seed in seeds]
        if asked.clean and not asked.only:
            planted += [
                Cell(name, seed, spread_s=spread_s, laps=asked.clean)
                for spread_s in SPREADS
                for seed in seeds
            ]
    return planted, notes


# What may never be, whatever the corner cost, is counted in all drives.
ALWAYS = ("opposite", "late", "braking", "away")
COUNTED = ("seen", "named", "phase", "spoken", "fit", "exact", "opposite", "late", "braking", "away")


def table(verdicts: Sequence[Verdict]) -> list[dict[str, str | float]]:
    """One row a kind and one of all of them; one a spread of the clean drivers."""
    planted: dict[str, list[Verdict]] = defaultdict(list)
    clean: dict[float, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.cell.kind is None:
            clean[verdict.cell.spread_s].append(verdict)
        else:
            planted[verdict.cell.kind].append(verdict)
    if planted:
        planted["all"] = [verdict for group in planted.values() for verdict in group]
    rows: list[dict[str, str | float]] = []
    for kind, group in planted.items():
        worth = [verdict for verdict in group if not verdict.small]
        counts = {name: sum(getattr(verdict, name) for verdict in worth) for name in COUNTED}
        counts |= {name: sum(getattr(verdict, name) for verdict in group) for name in ALWAYS}
        rows.append({"kind": kind, "runs": len(group), "small": len(group) - len(worth), **counts})
    for spread_s, group in clean.items():
        laps, false = (sum(each) for each in zip(*((v.cell.laps, v.spoken) for v in group), strict=True))
        late, braking = (sum(each) for each in zip(*((v.late, v.braking) for v in group), strict=True))
        rows.append({"kind": f"clean {spread_s:g} s", "laps": laps, "false": false})
        rows[-1] |= {"in 50 laps": round(50.0 * false / laps, 2), "late": late, "braking": braking}
    return rows


def shown(rows: Sequence[dict[str, str | float]]) -> Iterator[str]:
    """The table as lines."""
    names: list[str] = []
    for each in rows:
        if names != list(each):
            names = list(each)
            yield "".join(f"{name:>{15 if name == 'kind' else 11}}" for name in names)
        yield "".join(f"{value:>{15 if name == 'kind' else 11}}" for name, value in each.items())


def driven(planted: Sequence[Cell], out: Path | None, jobs: int) -> Iterator[Verdict]:
    """The verdicts of all cells. Those that `out` has are taken from there, the others are added to it as
    they come, so that a campaign that is broken off goes on where it was."""
    known: dict[Cell, Verdict] = {}
    if out is not None and out.exists():
        # A line that was broken off in the middle is driven again.
        lines = out.read_bytes().rpartition(b"\n")[0]
        out.write_bytes(lines + b"\n" if lines else b"")
        decode = msgspec.json.Decoder(Verdict).decode
        known = {verdict.cell: verdict for verdict in map(decode, lines.splitlines())}
    yield from (known[cell] for cell in planted if cell in known)
    open_cells = [cell for cell in planted if cell not in known]
    with ExitStack() as stack:
        file = stack.enter_context(out.open("ab")) if out is not None else None
        if jobs > 1:
            context = multiprocessing.get_context("fork")
            verdicts = stack.enter_context(context.Pool(jobs)).imap_unordered(judge, open_cells)
        else:
            verdicts = map(judge, open_cells)
        for verdict in verdicts:
            if file is not None:
                file.write(msgspec.json.encode(verdict) + b"\n")
                file.flush()
            yield verdict


def main() -> None:
    """Drive what is asked for, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=EXPECTED, metavar="KIND", help="only these mistakes")
    parser.add_argument("--tracks", nargs="+", choices=TRACKS, default=TRACKS, metavar="TRACK")
    parser.add_argument("--corners", type=int, default=10, help="at most so many corners a track, 0: none")
    parser.add_argument("--seeds", type=int, default=3, help="so many drives of each")
    parser.add_argument("--clean", type=int, default=50, help="laps of each clean driver, 0: none")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N random cells in place of all")
    parser.add_argument("--draw", type=int, default=1, help="the number of the random sample (default: 1)")
    parser.add_argument("--out", type=Path, help="a file of verdicts: what it has is not driven again")
    parser.add_argument("--jobs", type=int, default=1, help="so many processes")
    parser.add_argument("--json", action="store_true", help="one JSON object, with every drive")
    parser.add_argument("--misses", action="store_true", help="a line for each drive that is not as wanted")
    asked = parser.parse_args()
    planted, notes = cells(asked)
    began_s = time.monotonic()
    verdicts = list(driven(planted, asked.out, asked.jobs))
    rows = table(verdicts)
    if asked.json:
        print(json.dumps({"rows": rows, "notes": notes, "drives": msgspec.to_builtins(verdicts)}))
        return
    for verdict in verdicts if asked.misses else ():
        cell = verdict.cell
        missed = not verdict.named and not verdict.small if cell.kind else verdict.spoken
        if missed or verdict.fit < verdict.spoken or verdict.late or verdict.braking:
            what = f"{cell.track} {cell.corner}:{cell.kind}={cell.amount:g} seed {cell.seed}"
            print(what if cell.kind else f"{cell.track} clean {cell.spread_s} {cell.seed}", *verdict.concepts)
    print("\n".join((*notes, *shown(rows))))
    cpu_s = sum(verdict.cpu_s for verdict in verdicts)
    laps = sum(verdict.cell.laps + 2 for verdict in verdicts)
    took_s = time.monotonic() - began_s
    print(f"{len(verdicts)} drives in {took_s:.0f} s, {cpu_s / max(laps, 1):.2f} s of CPU a lap")


if __name__ == "__main__":
    main()
