"""What the coach makes of real drives: which corners lose time again and again, and which of them it names.

`scripts/matrix drives RECORDING...` drives each recording twice through the car's own path: against the best
so far, and against the fastest lap of that day as if it had been given. A track that is not known is built of
the recording itself. A phrase lasts as long as the voice of the golden ledgers takes for it. A corner counts
where it lost over 0.2 s in two laps or more (laps within 5 % of the best). It is named where a piece of
advice about it was spoken, before it or after, between the first of these laps and the third after the
second.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec
from planted import SPOKEN, Ledger

from pitwall.coach.cue import SAFETY, LedgerLine
from pitwall.coach.scripts import load_scripts, phrases
from pitwall.config import shipped
from pitwall.drive.controls import control
from pitwall.drive.journal import locate_recording, records
from pitwall.drive.prepare import DriveSettings, Words
from pitwall.drive.recording import Recorder
from pitwall.drive.reference import reference_of
from pitwall.drive.session import DriveSession, Supplies
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.base import Recording, RecordingError
from pitwall.track.build import build_track
from pitwall.track.build_laps import TrackBuildError
from pitwall.track.lap import Lap, Position
from pitwall.track.library import load_tracks
from pitwall.track.model import Track
from pitwall.track.reference import ReferenceLap
from pitwall.voice.clips import Clip, estimate_s

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
import ledgers

LOST_S, TWICE = 0.2, 2
AT_PACE, WITHIN_LAPS = 1.05, 3


class Drive(Ledger):
    """What was said in a real drive, with all that is needed to judge it."""

    def __init__(self) -> None:
        super().__init__()
        self.laps: list[Lap] = []
        self.seen: list[tuple[Frame, Position | None]] = []

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def frame(self, frame: Frame, position: Position | None) -> None:
        super().frame(frame, position)
        self.seen.append((frame, position))

    def fastest(self) -> Lap | None:
        """The fastest flying lap."""
        timed = [lap for lap in self.laps if lap.kind == "flying" and lap.time_s is not None]
        return min(timed, key=lambda lap: lap.time_s or 0.0, default=None)

    def around(self, lap: Lap, around_s: float = 20.0) -> list[tuple[Frame, Position | None]]:
        """The frames of a lap and of a while around it."""
        return [
            (frame, position)
            for frame, position in self.seen
            if lap.start_t - around_s <= frame.t <= lap.end_t + around_s
        ]


class Losing(msgspec.Struct, frozen=True):
    """A corner that lost time again and again: the laps and what they lost, whether it was named, and what
    the ledger says of it."""

    corner: str
    lost_s: dict[int, float]
    named: bool
    line: str


class Found(msgspec.Struct, frozen=True):
    """One drive: its losing corners, and what may never be."""

    against: str
    losing: tuple[Losing, ...]
    calls: int
    late: int
    braking: int
    most_in_a_lap: int


def track_for(recording: Recording) -> Track:
    """The track that is known there, else one that is built of the recording. TrackBuildError."""
    tracks = load_tracks([shipped("track_data")])
    known = locate_recording(recording, tracks).venue.track
    return known or build_track([recording], track_id="built", name="Built").track


def words_of(track: Track) -> Words:
    """What is said on a track, without sound: a phrase that was never measured is as long as its words."""
    scripts, measured_s = load_scripts([shipped("audio_cache")], track), ledgers.lengths()
    clips = {text: Clip(text, None, measured_s.get(text, estimate_s(text))) for text in phrases(scripts)}
    return Words(scripts, clips, ())


def drive(path: Path, track: Track, reference: ReferenceLap | None = None) -> Drive:
    """A recording through the car's own path."""
    recording = open_recording(path)
    place = locate_recording(recording, {track.id: track})
    words = words_of(track)
    heard = Drive()
    session = DriveSession(
        Supplies({track.id: track}, lambda *_: words, lambda *_: reference), DriveSettings(), (heard,)
    )
    recorder = Recorder(session, None, (heard,))
    given = () if reference is None else (control(0.0, "reference", reference.label),)
    for record in records(recording, (control(0.0, "words", track.id), *place.controls, *given)):
        recorder.take(record)
    session.finish()
    return heard


def judged(heard: Drive, against: str) -> Found:
    """Judge one drive."""
    said = [line for line in heard.lines if line.outcome in SPOKEN]
    counted = Counter(line.lap for line in said if line.priority < SAFETY and line.phase != "status")
    return Found(
        against,
        tuple(losing(heard)),
        len(said),
        sum(line.time_in_hand_s is not None and line.time_in_hand_s < 0.0 for line in said),
        sum(line.cue in heard.under_braking and line.priority < SAFETY for line in said),
        max(counted.values(), default=0),
    )


def losing(heard: Drive) -> list[Losing]:
    """The corners that lost time again and again, the dearest first."""
    fastest = heard.fastest()
    most_s = AT_PACE * (fastest.time_s or 0.0) if fastest is not None else 0.0
    at_pace = {
        lap.number for lap in heard.laps if lap.kind == "flying" and lap.time_s and lap.time_s <= most_s
    }
    lost: dict[str, dict[int, float]] = defaultdict(dict)
    for each in heard.passes:
        parts = (each.brake_loss_s, each.mid_loss_s, each.exit_loss_s)
        loss_s = sum(part or 0.0 for part in parts)
        if each.lap in at_pace and loss_s > LOST_S:
            lost[each.corner][each.lap] = loss_s
    found = []
    for corner, laps in lost.items():
        if len(laps) < TWICE:
            continue
        first, second = sorted(laps)[0], sorted(laps)[TWICE - 1]
        lines = [line for line in heard.lines if line.corner == corner and line.concept]
        named = [
            line for line in lines if line.outcome in SPOKEN and first <= line.lap <= second + WITHIN_LAPS
        ]
        found.append(Losing(corner, laps, bool(named), _told(named or lines)))
    return sorted(found, key=lambda each: -sum(each.lost_s.values()))


def _told(lines: Sequence[LedgerLine]) -> str:
    """The ledger line that tells of a corner: the one that was spoken, else the last that was not."""
    if not lines:
        return "NO LINE"
    line = next((each for each in lines if each.outcome in SPOKEN), lines[-1])
    return f"lap {line.lap} {line.outcome}: {line.text} ({line.reason})"


def main() -> None:
    """Drive what is asked for, print what was named and what was not."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recordings", nargs="+", type=Path, metavar="RECORDING")
    parser.add_argument("--all", action="store_true", help="show the corners that were named too")
    asked = parser.parse_args()
    named = wanted = 0
    for path in asked.recordings:
        try:
            track = track_for(open_recording(path))
        except (RecordingError, TrackBuildError) as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            continue
        own = drive(path, track)
        found = [judged(own, "the best so far")]
        fastest = own.fastest()
        given = None if fastest is None else reference_of(track, fastest, own.around(fastest), path.stem)
        if given is not None:
            found.append(judged(drive(path, track, given), given.label))
        for each in found:
            hits = sum(corner.named for corner in each.losing)
            named, wanted = named + hits, wanted + len(each.losing)
            print(
                f"{path.name} against {each.against}: {hits} of {len(each.losing)} named; "
                f"{each.calls} calls, at most {each.most_in_a_lap} a lap, {each.late} late, "
                f"{each.braking} begun under braking"
            )
            for corner in each.losing:
                if asked.all or not corner.named:
                    lost = ", ".join(f"{lap}: {loss_s:.2f}" for lap, loss_s in corner.lost_s.items())
                    print(f"  {'named' if corner.named else 'NOT'} {corner.corner} ({lost}): {corner.line}")
    print(f"{named} of {wanted} named = {100.0 * named / max(wanted, 1):.0f} %")


if __name__ == "__main__":
    main()
