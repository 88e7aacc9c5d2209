"""`pitwall replay FILE`: drive a recording through the daemon's own path and list the callouts."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from pitwall.coach.cue import Callout, LedgerLine
from pitwall.coach.ledger import ledger_json
from pitwall.commands.common import UserError, add_gate, lap_time, note, opened_store, say
from pitwall.config import Home
from pitwall.drive.replay import Replay, ReplayOptions
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.track.lap import Lap

# A text stays on the live line so much longer than it sounds: an eye is slower than an ear.
LINGER_S = 1.5
SPOKEN = ("spoken", "held then spoken")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE and how to drive it."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a recording of any known format, or a journal"
    )
    parser.add_argument(
        "--speed", default="1", metavar="1|N|max", help="times real speed, or max (default: 1)"
    )
    parser.add_argument(
        "--speak", action="store_true", help="play the callouts, or show them where there is no sound"
    )
    parser.add_argument("--live", action="store_true", help="show a live line with lap, corner and delta")
    parser.add_argument(
        "--reference", metavar="SESSION[:LAP]", help="drive against a stored lap (default: his best so far)"
    )
    parser.add_argument(
        "--audio-delay", type=float, metavar="S", help="seconds from handing sound over to hearing it"
    )
    add_gate(parser)
    parser.add_argument("--json", action="store_true", help="one line of JSON per cue")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Replay; exit code 0 when the file was driven to its end, 130 when it was stopped."""
    options = ReplayOptions(
        speed=_speed(arguments.speed),
        speak=arguments.speak,
        audio_delay_s=arguments.audio_delay,
        gate=arguments.gate,
        reference=arguments.reference,
    )
    with opened_store(home) as store:
        try:
            replay = Replay(arguments.file, home, store, options)
        except RecordingError as error:
            raise UserError(str(error)) from None
        for warning in replay.notes:
            note(warning)
        printer = _Printer(quiet=arguments.json, live=arguments.live)
        replay.listener = printer
        with _shown(replay, printer) if arguments.live and not arguments.json else nullcontext():
            finished = replay.run()
        lines = sorted(printer.lines, key=lambda line: (line.t, line.cue))
        if arguments.json:
            for line in lines:
                sys.stdout.buffer.write(ledger_json(line) + b"\n")
            sys.stdout.buffer.flush()
        else:
            _summary(replay, printer)
    return 0 if finished else 130


def _speed(text: str) -> float | None:
    if text == "max":
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.01 <= speed <= 1000.0:
        raise UserError(f"--speed {text}: give 1, another number from 0.01 to 1000, or max")
    return speed


class _Printer:
    """Collects the ledger; prints callouts as they end, or as they are said where there is a live line."""

    def __init__(self, *, quiet: bool, live: bool) -> None:
        self.quiet, self.live = quiet, live
        self.lines: list[LedgerLine] = []
        self.laps: list[Lap] = []
        self._callout: Callout | None = None

    def callout(self, callout: Callout) -> None:
        self._callout = callout

    def saying(self, t: float) -> str:
        """What sounds at session time `t`, or did a moment ago; "" for silence."""
        callout = self._callout
        return callout.text if callout and t < callout.t + callout.clip_s + LINGER_S else ""

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)
        if not self.quiet and line.outcome in SPOKEN:
            say(_spoken(line))


def _spoken(line: LedgerLine) -> str:
    place = line.corner or line.phase
    where = "" if line.action_distance_m is None else f"{line.action_distance_m:6.0f} m before"
    hand = "" if line.time_in_hand_s is None else f", {line.time_in_hand_s:.2f} s in hand"
    return f"lap {line.lap:<3} {line.t:8.1f} s  {place:<10} {chr(34) + line.text + chr(34):<40} {where}{hand}"


def _summary(replay: Replay, printer: _Printer) -> None:
    outcomes: dict[str, int] = {}
    for line in printer.lines:
        outcomes[line.outcome] = outcomes.get(line.outcome, 0) + 1
    track = replay.track_name or "unknown place: no corner names, no callouts but safety"
    say(f"\n{track}; session {replay.session_id}")
    for lap in printer.laps:
        reason = f"  ({lap.reason})" if lap.reason else ""
        say(f"  lap {lap.number:<3} {lap.kind:<7} {lap_time(lap.time_s):>9}{reason}")
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "none"
    say(f"cues: {told}")


def _shown(replay: Replay, printer: _Printer) -> AbstractContextManager[object]:
    # Rich takes 60 ms to load: only where it is shown.
    from pitwall.commands.live_line import LiveLine

    return LiveLine(replay, printer.saying)
