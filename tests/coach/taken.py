"""What the drive path hands out, kept, and what holds for all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from pitwall.coach.cue import SAFETY, SPOKEN, Callout, LedgerLine, Mode
from pitwall.coach.lead import REACTION_S
from pitwall.coach.model.forecaster import Run
from pitwall.coach.policy import CALLOUTS_PER_LAP
from pitwall.coach.scripts import load_scripts
from pitwall.config import shipped
from pitwall.drive.controls import Kind, control
from pitwall.drive.frozen import freeze, thaw
from pitwall.drive.journal import locate_recording, records
from pitwall.drive.prepare import DriveSettings, Words
from pitwall.drive.recording import Recorder
from pitwall.drive.session import DriveListener, DriveSession, Supplies
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.sensors import stream
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.sample import Sample
from pitwall.track.braking import BRAKING_G
from pitwall.track.lap import CornerPass, Lap, Position
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap

Seen = list[tuple[Frame, Position, int]]


class Taken(DriveListener):
    """Keeps what the drive path hands out."""

    def __init__(self) -> None:
        self.path: DriveSession | None = None
        self.seen: Seen = []
        self.laps: list[Lap] = []
        self.passes: list[CornerPass] = []
        self.lines: list[LedgerLine] = []
        self.callouts: list[Callout] = []
        self.began: list[Frame] = []

    def frame(self, frame: Frame, position: Position | None) -> None:
        self.began += [frame] * (len(self.callouts) - len(self.began))
        if position is not None:
            # A frame belongs to the lap that runs after it: the one that it ended is over.
            self.seen.append((frame, position, self.path.lap_number))

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def corner_pass(self, corner_pass: CornerPass) -> None:
        self.passes.append(corner_pass)

    def callout(self, callout: Callout) -> None:
        self.callouts.append(callout)

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)

    def said(self, *, laps: range = range(100)) -> list[LedgerLine]:
        """What was heard in these laps."""
        return [line for line in self.lines if line.outcome in SPOKEN and line.lap in laps]

    def under_braking(self) -> list[str]:
        """What began to sound while the driver braked, safety apart."""
        safety = {line.cue for line in self.lines if line.priority >= SAFETY}
        return [
            callout.text
            for callout, frame in zip(self.callouts, self.began, strict=True)
            if callout.cue not in safety and frame.g_long is not None and frame.g_long <= -BRAKING_G
        ]


class TimedWords(Words, frozen=True):
    """The words of a track with lengths about as espeak-ng's."""

    def clip_s(self, text: str) -> float:
        return clip_s(text)


def clip_s(text: str) -> float:
    """About what espeak-ng takes at 175 words a minute; the rule must hold for any length."""
    return 0.25 + 0.06 * len(text)


def words_of(track: Track, scripts: Sequence[Path] = ()) -> TimedWords:
    """The words of a track."""
    return TimedWords(load_scripts(scripts, track), {}, ())


Heard = TypeVar("Heard", bound=Taken)


def take(
    samples: Iterable[Sample],
    plan: SimulationPlan,
    taken: Heard,
    track: Track,
    controls: Sequence[tuple[Kind, str]] = (),
    *,
    scripts: Sequence[Path] = (),
    mode: Mode = "coach",
    trial: str = "",
) -> Heard:
    """Drive these samples through the car's own path."""
    words = words_of(track, scripts)
    supplies = Supplies({track.id: track}, lambda *_: words)
    path = taken.path = DriveSession(supplies, DriveSettings(mode=mode, trial=trial), (taken,))
    path.stream(stream(plan.sensors))
    for kind, detail in (("words", track.id), ("track", track.id), *controls):
        path.control(control(0.0, kind, detail))
    for sample in samples:
        path.feed(sample)
    path.finish()
    return taken


def replay(
    path: Path,
    track: Track,
    *told: tuple[Kind, str],
    reference: ReferenceLap | None = None,
    run: Run | None = None,
    broken_off_every: int = 0,
) -> Taken:
    """A recording through the car's own path, with what it is told before; each so many records the path is
    frozen, and another one is thawed from it that goes on."""
    recording, taken = open_recording(path), Taken()
    words = TimedWords(load_scripts([shipped("audio_cache")], track), {}, ())
    supplies = Supplies(
        {track.id: track}, lambda *_: words, lambda *_: reference, network_of=lambda digest: run
    )
    session = taken.path = DriveSession(supplies, DriveSettings(audio_delay_s=0.06, software_s=0.02))
    recorder = Recorder(session, None, (taken,))
    place = locate_recording(recording, {track.id: track})
    controls = (control(0.0, kind, detail) for kind, detail in told)
    ready = (control(0.0, "words", track.id), *place.controls, *controls)
    for number, record in enumerate(records(recording, ready)):
        recorder.take(record)
        if broken_off_every and number % broken_off_every == 0:
            session = taken.path = thaw(freeze(session), supplies)
            session.fetch_given()
            recorder = Recorder(session, None, (taken,))
    session.finish()
    return taken


def check(lines: list[LedgerLine]) -> None:
    """Each cue ends once, nothing is late, and no lap is full of words."""
    assert sorted(line.cue for line in lines) == list(range(1, len(lines) + 1))
    spoken = [line for line in lines if line.outcome in SPOKEN]
    assert max(Counter(line.lap for line in spoken).values(), default=0) <= CALLOUTS_PER_LAP
    for line in spoken:
        if line.action_distance_m is not None:
            assert line.time_in_hand_s >= REACTION_S, line
