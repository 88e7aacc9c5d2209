"""`pitwall replay FILE`: drive a recording through the code that runs in the car, and list the callouts."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from pitwall.coach.cue import Callout, LedgerLine, ledger_json
from pitwall.commands.common import UserError, add_gate, lap_time, note, say, terminal_width
from pitwall.commands.stored_or_served import opened_store
from pitwall.config import Home
from pitwall.drive.listeners import DriveListener
from pitwall.drive.replay import Replay, ReplayOptions
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.track.lap import Lap

REFRESH_PER_S = 8
# A text stays on the live line for this long after its sound has ended: reading is slower than hearing.
LINGER_S = 1.5
PLACES = {"on": "on track", "off": "off track", "pit": "pit lane", "lost": "place unknown"}
SPOKEN = ("spoken", "held then spoken")
CALLOUT = "{:>3}  {:>7}  {:<11} {:>7}  {:>7}  "
HEADER = CALLOUT.format("lap", "at", "place", "before", "in hand") + "callout"
TEXT_AT = len(CALLOUT.format("", "", "", "", ""))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE and how to drive it."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a recording of any known format, or a journal"
    )
    parser.add_argument(
        "--speed", default="1", metavar="1|N|max", help="times real speed, or max (default: 1)"
    )
    parser.add_argument(
        "--speak", action="store_true", help="play the callouts where there is a sound device"
    )
    parser.add_argument("--live", action="store_true", help="show a live line with lap, corner and delta")
    parser.add_argument(
        "--reference",
        metavar="SESSION[:LAP]",
        help="compare with a stored lap (default: the best lap of the recording so far)",
    )
    parser.add_argument(
        "--audio-delay", type=float, metavar="S", help="seconds from handing over sound to hearing the sound"
    )
    add_gate(parser)
    parser.add_argument("--json", action="store_true", help="one line of JSON per cue, spoken or not")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Replay; exit code 0 when the file was driven to its end, 130 when it was stopped."""
    if arguments.file.is_dir():
        raise UserError(f"{arguments.file} is a folder: name one recording in it, or import the folder")
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
        printer = _Printer(quiet=arguments.json)
        replay.listener = printer
        with _live_line(replay, printer) if arguments.live and not arguments.json else nullcontext():
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


class _Printer(DriveListener):
    """Collect the ledger, and print each callout when the callout has ended."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self._has_header = False
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
        if self.quiet or line.outcome not in SPOKEN:
            return
        if not self._has_header:
            say(HEADER)
            self._has_header = True
        say(callout_row(line), hang=TEXT_AT)


def callout_row(line: LedgerLine) -> str:
    """A spoken callout as a row under HEADER: its text stands last, where the text can be wrapped."""
    before = "" if line.action_distance_m is None else f"{line.action_distance_m:.0f} m"
    hand = "" if line.time_in_hand_s is None else f"{line.time_in_hand_s:.2f} s"
    row = CALLOUT.format(line.lap, f"{line.t:.1f} s", line.corner or line.phase, before, hand)
    return row + line.text


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


def _live_line(replay: Replay, printer: _Printer) -> AbstractContextManager[object]:
    """While the context is open, the last lines of the terminal show where the car is and what is said."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    def line() -> Text:
        state = replay.state
        delta = "" if state.delta_s is None else f"{state.delta_s:+.2f} s"
        speed = "" if state.speed_mps is None else f"{state.speed_mps * 3.6:3.0f} km/h"
        words = printer.saying(state.t)
        return Text.assemble(
            (f" lap {state.lap} ", "bold"),
            f"{lap_time(state.lap_elapsed_s):>9}  {speed}  ",
            (f"{replay.corner or PLACES.get(state.status, state.status):<12}", "cyan"),
            (f"{delta:>8}", "red" if (state.delta_s or 0.0) > 0 else "green"),
            f"  best {lap_time(state.best_s)}\n",
            (f" “{words}”" if words else "", "bold yellow"),
        )

    console = Console(width=terminal_width(sys.stdout))
    return Live(console=console, get_renderable=line, refresh_per_second=REFRESH_PER_S, transient=True)
