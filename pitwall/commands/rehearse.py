"""`pitwall rehearse [LAP]`: a lap to hear in real time: corner names, actions, and brake marks."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from pitwall.api import answers
from pitwall.api.answers import LapRow, LapTrace
from pitwall.api.judged import level_in
from pitwall.coach.cue import SPOKEN, LedgerLine
from pitwall.coach.phrases import TELLS
from pitwall.coach.scripts import Phrase, Scripts
from pitwall.commands.common import SESSION_HELP, note, say
from pitwall.commands.replay import speed_of
from pitwall.commands.settings_file import add_config, read_settings
from pitwall.commands.stored_or_served import Wanted, of_session, read_all, segment
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.drive.prepare import Words, known_tracks, prepare_words, voice_of
from pitwall.store import queries
from pitwall.store.queries import SessionRow
from pitwall.store.reading import rows
from pitwall.store.store import Store
from pitwall.track.lap import CornerPass, Lap
from pitwall.voice.clips import find_clip
from pitwall.voice.delay import delay_in_force, output_device
from pitwall.voice.playback_queue import Player
from pitwall.voice.player import open_player
from pitwall.words.language import sentence

# From the end of a call to the brake mark: long enough to prepare, too short to forget.
BEFORE_MARK_S = 0.4
# Before the first sound of the lap: eyes are closed, and the stream to a headset is awake.
RUN_UP_S = 2.0


class Heard(NamedTuple):
    """Something to hear `at_s` after the lap's start, for `lasts_s`, said of a corner."""

    at_s: float
    lasts_s: float
    corner: str
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("lap", nargs="?", type=int, metavar="LAP", help="default: the fastest flying lap")
    parser.add_argument("--session", default="last", metavar="SESSION", help=f"{SESSION_HELP} (the default)")
    parser.add_argument(
        "--speed", default="1", metavar="1|N|max", help="times real speed, or max: a silent list (default: 1)"
    )
    parser.add_argument("--text", action="store_true", help="show it without sound")
    add_config(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Tell the lap; exit code 0, 130 where it was stopped."""
    speed, wanted, words = speed_of(arguments.speed), arguments.session, home.words
    settings = read_settings(arguments.config, home)[0].settings
    row, lap_rows, pass_rows, cue_rows = read_all(
        home,
        of_session(wanted, queries.session),
        of_session(wanted, answers.laps, "/laps"),
        of_session(wanted, answers.corners, "/corners"),
        of_session(wanted, answers.ledger, "/ledger"),
    )
    session = msgspec.json.decode(row, type=SessionRow)
    lap = _lap(msgspec.json.decode(lap_rows, type=list[LapRow]), arguments.lap, session.id)
    track = known_tracks(home)[0].get(session.track)
    passes = [each for each in msgspec.json.decode(pass_rows, type=list[CornerPass]) if each.lap == lap.lap]
    if track is None or not passes:
        raise UserError(
            f"lap {lap.lap} of session {session.id} has no corner of a known track: nothing to tell"
        )
    trace = _trace(home, session.id, lap)
    sounds = speed is not None and not arguments.text
    level = level_in(home, settings)[0]
    voice = voice_of(home, settings.audio.voice, settings.audio.speak)
    spoken = prepare_words(home, track, sound=sounds, voice=voice, level=level, render=sounds)
    for line in spoken.notes:
        note(line)
    last = last_advice(msgspec.json.decode(cue_rows, type=list[LedgerLine]), spoken.scripts)
    heard = lap_heard(passes, marks(passes, trace, lap), spoken, last, lap.start_t, speed or 1.0)
    name = session.name or session.id
    say(words.say("rehearse head", track=track.name, lap=lap.lap, time=lap.time_s, session=name))
    titles = {corner.id: corner.name for corner in track.corners}
    width = max(map(len, titles.values()))

    def show(each: Heard) -> None:
        at = words.figures.measured(max(each.at_s, 0.0), "s", ".1f")
        say(f"{at:>8}  {titles[each.corner]:<{width}}  {each.text}", hang=12 + width)

    if speed is None:
        for each in heard:
            show(each)
        return 0
    player = open_player("auto" if sounds else "none")
    try:
        tell(heard, player, spoken, home, speed, show)
    finally:
        player.stop()
    return 0


def _lap(laps: Sequence[LapRow], number: int | None, session: str) -> LapRow:
    timed = [lap for lap in laps if lap.time_s is not None]
    chosen = [lap for lap in timed if (lap.kind == "flying" if number is None else lap.lap == number)]
    if not chosen:
        have = ", ".join(str(lap.lap) for lap in timed) or "none"
        what = "flying lap" if number is None else f"timed lap {number}"
        raise UserError(f"session {session} has no {what}; timed laps: {have}")
    return min(chosen, key=lambda lap: lap.time_s or math.inf)


def _trace(home: Home, session: str, lap: LapRow) -> list[tuple[float, float]]:
    """Where the car was when in this lap: (t, metres from the gate), where it was on the track."""

    def own(store: Store) -> bytes:
        timed = Lap(lap.lap, lap.kind, lap.start_t, lap.end_t, lap.time_s)
        found = rows(store, *queries.lap_query(session, timed))
        return msgspec.json.encode(LapTrace(session, lap, queries.TRACE_COLUMNS, found))

    [raw] = read_all(home, Wanted(own, f"/sessions/{segment(session)}/laps/{lap.lap}/trace"))
    trace = msgspec.json.decode(raw, type=LapTrace)
    t, place, status = (trace.columns.index(name) for name in ("t", "distance_m", "status"))
    return [(row[t], row[place]) for row in trace.rows if row[place] is not None and row[status] != "lost"]


def marks(
    passes: Sequence[CornerPass], trace: Sequence[tuple[float, float]], lap: LapRow
) -> dict[str, float]:
    """Return when the brakes came on in this lap, by corner; not where they did before it began."""
    found: dict[str, float] = {}
    for each in passes:
        for (before_t, before_m), (t, place_m) in pairwise(trace):
            if each.brake_m is None or t < lap.start_t:
                continue
            if before_m <= each.brake_m < place_m:
                share = (each.brake_m - before_m) / (place_m - before_m)
                found[each.corner] = before_t + share * (t - before_t)
                break
    return found


def last_advice(lines: Sequence[LedgerLine], scripts: Scripts) -> dict[str, str]:
    """Return the concept of the last advice heard for each corner, if it can be said before it."""
    advised = [line for line in lines if line.outcome in SPOKEN and line.concept in TELLS and line.corner]
    return {line.corner: line.concept for line in advised if line.concept in scripts.language.actions()}


def lap_heard(
    passes: Sequence[CornerPass],
    brakes_t: Mapping[str, float],
    spoken: Words,
    advice: Mapping[str, str],
    start_t: float,
    speed: float,
) -> list[Heard]:
    """Return what is heard when: before each corner its call, ending BEFORE_MARK_S before the
    brakes (without braking: before the corner), only its name if there is no room, and "Brake" at
    the mark. Clips last longer in a faster rehearsal."""

    def heard(end_s: float, corner: str, text: str) -> Heard:
        lasts_s = (spoken.clip_s(text) or 0.0) * speed
        return Heard(end_s - lasts_s, lasts_s, corner, text)

    found: list[Heard] = []
    free_s = -RUN_UP_S * speed
    for each in sorted(passes, key=lambda each: each.entry_t):
        brake_s = brakes_t[each.corner] - start_t if each.corner in brakes_t else None
        call_end_s = (each.entry_t - start_t if brake_s is None else brake_s) - BEFORE_MARK_S * speed
        call = _call(each.corner, spoken.scripts, advice.get(each.corner, ""))
        fitting = (heard(call_end_s, each.corner, text) for text in (call.text, call.short) if text)
        first = next((one for one in fitting if one.at_s >= free_s), None)
        if first is not None:
            found.append(first)
            free_s = call_end_s
        if brake_s is not None and brake_s >= free_s:
            mark = heard(0.0, each.corner, _brake(each.corner, spoken.scripts))
            found.append(mark._replace(at_s=brake_s))
            free_s = brake_s + mark.lasts_s
    return found


def _call(corner: str, scripts: Scripts, concept: str) -> Phrase:
    """Return the words before a corner: the last advice there, else the script; its name if that is
    too long."""
    language = scripts.language
    name = sentence(language.name(corner))
    own = scripts.phrase(corner, concept or "approach")
    if not concept:
        return Phrase(own.text if own else language.plain_script(corner)["approach"], name)
    text = own.text if own else language.advice(concept, next(iter(language.amounts(concept)), "")).do
    return Phrase(f"{name}: {text}", name)


def _brake(corner: str, scripts: Scripts) -> str:
    own = scripts.phrase(corner, "brake")
    return own.short if own and own.short else scripts.language.plain_script(corner)["brake_short"]


def tell(
    heard: Sequence[Heard],
    player: Player,
    spoken: Words,
    home: Home,
    speed: float,
    show: Callable[[Heard], None],
) -> None:
    delay_s = delay_in_force(home, output_device(player.name)).seconds
    start_s = time.monotonic() + RUN_UP_S
    for each in heard:
        time.sleep(max(start_s + each.at_s / speed - delay_s - time.monotonic(), 0.0))
        if clip := find_clip(spoken.clips, each.text):
            player.play(clip, cut=False)
        show(each)
    player.wait_idle(RUN_UP_S + max((each.lasts_s for each in heard), default=0.0))
