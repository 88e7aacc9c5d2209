"""`pitwall replay FILE`: drive a recording through the code of the car, and list the callouts."""

from __future__ import annotations

import argparse
from pathlib import Path

from pitwall.analysis.highlights import FEWEST_LAPS
from pitwall.analysis.profile import level_of
from pitwall.coach.cue import SPOKEN, LedgerLine, ledger_json
from pitwall.commands.common import add_gate, add_json, add_runs, flush, given_gate, note, print_bytes, say
from pitwall.commands.run_console import lap_line
from pitwall.commands.settings_file import add_config, read_settings
from pitwall.commands.stored_or_served import opened_store
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.drive.prepare import voice_of
from pitwall.drive.replay import Replay, ReplayOptions
from pitwall.drive.session import DriveListener
from pitwall.store.lessons import driver_events
from pitwall.track.lap import Lap
from pitwall.words.language import Language

CALLOUT = "{:>3}  {:>7}  {:<11} {:>7}  {:>7}  "
HEADS = ("lap", "at", "place", "before", "in hand", "callout")
TEXT_AT = len(CALLOUT.format("", "", "", "", ""))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a recording of any known format, or a journal"
    )
    parser.add_argument(
        "--speed", default="1", metavar="1|N|max", help="times real speed, or max (default: 1)"
    )
    parser.add_argument(
        "--speak", action="store_true", help="play the callouts where there is a sound device"
    )
    parser.add_argument(
        "--reference",
        metavar="SESSION[:LAP]",
        help="compare with a stored lap (default: the best lap of the recording so far)",
    )
    parser.add_argument(
        "--audio-delay", type=float, metavar="S", help="seconds from handing over sound to hearing the sound"
    )
    add_gate(parser)
    add_runs(parser)
    add_config(parser)
    add_json(parser, "one line of JSON per cue, spoken or not")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Replay; exit code 0 when the file was driven to its end, 130 when it was stopped."""
    if arguments.file.is_dir():
        raise UserError(f"{arguments.file} is a folder: name one recording in it, or import the folder")
    settings = read_settings(arguments.config, home)[0].settings
    with opened_store(home) as store:
        options = ReplayOptions(
            speed=speed_of(arguments.speed),
            speak=arguments.speak,
            audio_delay_s=arguments.audio_delay,
            gate=given_gate(arguments),
            reference=arguments.reference,
            voice=voice_of(home, settings.audio.voice, settings.audio.speak),
            mode=settings.coach.mode,
            level=level_of(settings.coach.level, driver_events(store, ""), settings.driver)[0],
            forecast=settings.coach.forecast,
        )
        replay = Replay(arguments.file, home, store, options)
        for warning in replay.notes:
            note(warning)
        at_once = options.speed is not None and not arguments.json
        printer = _Printer(home.words, at_once=at_once)
        replay.listener = printer
        finished = replay.run()
        lines = sorted(printer.lines, key=lambda line: (line.t, line.cue))
        if arguments.json:
            for line in lines:
                print_bytes(ledger_json(line))
        else:
            for line in () if at_once else lines:
                printer.show(line)
            _summary(replay, printer, home.words)
    return 0 if finished else 130


def speed_of(text: str) -> float | None:
    """Parse the replay's speed."""
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
    """Collect the ledger; `at_once`: each callout is printed once its place is reached."""

    def __init__(self, words: Language, *, at_once: bool) -> None:
        self._words, self._at_once = words, at_once
        self._has_header = False
        self.lines: list[LedgerLine] = []
        self.laps: list[Lap] = []

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)
        if self._at_once:
            self.show(line)
            flush()

    def show(self, line: LedgerLine) -> None:
        """Print it, if it was said."""
        if line.outcome not in SPOKEN:
            return
        if not self._has_header:
            *heads, callout = (self._words.term("column", each) for each in HEADS)
            say(CALLOUT.format(*heads) + callout)
            self._has_header = True
        say(callout_row(line, self._words), hang=TEXT_AT)


def callout_row(line: LedgerLine, words: Language) -> str:
    """Return a spoken callout as a row under HEADS, its text last."""
    figures = words.figures
    before = "" if line.action_distance_m is None else figures.measured(line.action_distance_m, "m")
    hand = "" if line.time_in_hand_s is None else figures.measured(line.time_in_hand_s, "s", ".2f")
    row = CALLOUT.format(
        line.lap, figures.measured(line.t, "s", ".1f"), line.corner or line.phase, before, hand
    )
    return row + line.text


def _summary(replay: Replay, printer: _Printer, words: Language) -> None:
    outcomes: dict[str, int] = {}
    for line in printer.lines:
        outcomes[line.outcome] = outcomes.get(line.outcome, 0) + 1
    track = replay.track_name or words.say("replay without track")
    say("\n" + words.say("replay head", track=track, session=replay.session_id))
    for lap in printer.laps:
        reason = f"  ({words.in_units(lap.reason)})" if lap.reason else ""
        say(f"  {lap_line(lap, words)}{reason}")
    counts = ", ".join(
        f"{count} {words.term('outcome', outcome)}" for outcome, count in sorted(outcomes.items())
    )
    say(words.say("cues", cues=counts or words.say("none")))
    if not counts and sum(lap.kind == "flying" for lap in printer.laps) < FEWEST_LAPS:
        say(words.say("too few laps"))
