"""A simulated driver who hears: what the coach says changes how he drives the corner ahead, and once more a
lap later.

Every sample goes through the car's own path. After a call that he heeds the rest of the drive is simulated
again with half of his fault in that corner, so that the coach measures what its own words did."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import NamedTuple

from losses import study_of
from taken import Taken, words_of

from pitwall.analysis.compare import stints_of
from pitwall.analysis.effect import AFTER, TrialUnit, trial_units
from pitwall.coach.cue import Callout
from pitwall.diagnosis.advice import UNIT_OF
from pitwall.diagnosis.road import Segment
from pitwall.drive.controls import control
from pitwall.drive.prepare import DriveSettings
from pitwall.drive.session import DriveSession, Supplies
from pitwall.simulator.plan import Driver, Mistake, MistakeKind, SimulationPlan
from pitwall.simulator.sensors import stream
from pitwall.simulator.simulate import simulate
from pitwall.simulator.trace import TrueDrive, true_drive
from pitwall.track.model import Track

LAPS, VARIATION = 11, 0.02
# What he does wrong, the most of it, and words of calls that ask for less of it.
FAULTS: dict[MistakeKind, tuple[float, tuple[str, ...]]] = {
    "overslow": (3.0, ("more in the middle", "carry more speed")),
    "brake_early": (60.0, ("later",)),
    "slow_exit": (0.6, ("throttle",)),
}
# From pass to pass there is this share of the most, and who heeds a call makes this share of it.
SHARES, HEEDED = (0.2, 0.4, 0.6, 0.8, 1.0), 0.5
# Passes for which he keeps what he heeds in mind.
IN_MIND = 2


class Heard(NamedTuple):
    """A corner of a trial, and what its calls really won in each of the passes after: seconds of the
    simulator, beside the same passes of the same driver who heeds none."""

    unit: TrialUnit
    won_s: float


class HearingDriver:
    """One drive on a track: `heeds` is the share of calls that he heeds."""

    def __init__(self, track: Track, seed: str, heeds: float) -> None:
        self.track, self.seed, self.heeds = track, seed, heeds
        self.chance = Random(f"{seed} {heeds}")
        faults = Random(seed)
        self.kinds: dict[str, MistakeKind] = {
            corner.id: faults.choice(tuple(FAULTS)) for corner in track.corners
        }
        self.shares = {
            (corner.id, lap): faults.choice(SHARES) for corner in track.corners for lap in range(1, LAPS + 1)
        }
        # By corner the laps in which he drives as he was asked.
        self.heeding: dict[str, set[int]] = {}

    def plan(self, *, heeding: bool) -> SimulationPlan:
        """What he drives, with what he has heeded so far or as if he had heard nothing."""
        mistakes = []
        for (corner, lap), share in self.shares.items():
            kind = self.kinds[corner]
            less = HEEDED if heeding and lap in self.heeding.get(corner, ()) else 1.0
            mistakes.append(Mistake(corner, kind, round(FAULTS[kind][0] * share * less, 4), lap, lap))
        seed = Random(self.seed).randrange(1 << 30)
        return SimulationPlan(
            laps=LAPS, driver=Driver(variation=VARIATION), seed=seed, mistakes=tuple(mistakes)
        )

    def hears(self, callout: Callout, lap: int, place_m: float) -> bool:
        """Take words; return whether he drives otherwise from now on."""
        name, _, asked = callout.text.lower().partition(": ")
        corner = next((each for each in self.track.corners if self._name(each.id) == name), None)
        if corner is None or not any(words in asked for words in FAULTS[self.kinds[corner.id]][1]):
            return False
        first = lap + (corner.entry_m < place_m)
        if first in self.heeding.get(corner.id, ()) or not self.chance.random() < self.heeds:
            return False
        self.heeding.setdefault(corner.id, set()).update(range(first, first + IN_MIND))
        return True

    def _name(self, corner_id: str) -> str:
        return self.words.scripts.language.name(corner_id).lower()

    def drive(self) -> list[Heard]:
        """Drive, hear, and return the corners of the trial."""
        self.words = words_of(self.track)
        taken = Taken()
        supplies = Supplies({self.track.id: self.track}, lambda *_: self.words)
        path = taken.path = DriveSession(supplies, DriveSettings(trial=self.seed), (taken,))
        plan = self.plan(heeding=True)
        path.stream(stream(plan.sensors))
        for kind in ("words", "track"):
            path.control(control(0.0, kind, self.track.id))
        samples, fed, heard = simulate(self.track, plan), 0, 0
        while (sample := next(samples, None)) is not None:
            path.feed(sample)
            fed += 1
            for callout in taken.callouts[heard:]:
                place_m = taken.seen[-1][1].distance_m
                if self.hears(callout, path.lap_number, place_m):
                    samples = islice(simulate(self.track, self.plan(heeding=True)), fed - 1, None)
                    again = next(samples)
                    assert again == sample, "what was driven before the words is the same"
            heard = len(taken.callouts)
        path.finish()
        return self._judged(taken)

    def _judged(self, taken: Taken) -> list[Heard]:
        study = study_of(self.track, taken.laps, [(frame, at) for frame, at, _ in taken.seen])
        assert study is not None
        without, own = (true_drive(self.track, self.plan(heeding=each)) for each in (False, True))
        found = []
        for unit in trial_units(study, taken.lines, stints_of(taken.laps)):
            due_t = min(
                line.t for line in taken.lines if line.corner == unit.corner and line.concept in UNIT_OF
            )
            segment = study.segment_of(unit.corner)
            assert segment is not None
            own_passes = study.passes[segment.index]
            coming = [each.lap for each in own_passes if each.begin_t + each.time_s > due_t]
            won = [
                self._time_s(without, lap, segment) - self._time_s(own, lap, segment)
                for lap in coming[:AFTER]
            ]
            found.append(Heard(unit, sum(won) / max(len(won), 1)))
        return found

    def _time_s(self, drive: TrueDrive, lap: int, segment: Segment) -> float:
        """The true time of a segment, from the simulator's own stations."""
        begin, end = (
            drive.t[drive.line.index(lap * self.track.length_m + place_m)]
            for place_m in (segment.begin_m, segment.end_m)
        )
        return end - begin
