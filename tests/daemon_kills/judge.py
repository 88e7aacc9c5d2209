"""The judge of a kill: a drive that was killed beside its unbroken twin, in what the driver would notice."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Literal

import msgspec
from driven_pitwall import GPS_EPOCH_S, LATE, RENDERED, SECONDS, Aim, Driven, Sender
from killed_homes import KILLED, told_apart_from_replay, without_database
from running_daemon import DEMO, ROOT

from pitwall.analysis.drive import load_drive
from pitwall.analysis.port import Facts
from pitwall.analysis.report import make_report
from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.drive.controls import WordsReady, control_of
from pitwall.drive.prepare import (
    Memory,
    keep_circuits,
    known_tracks,
    locate,
    prepare_words,
)
from pitwall.drive.rebuild import rebuilder
from pitwall.drive.reference import remembered
from pitwall.store.journal_check import read_sources
from pitwall.store.queries import corner_passes, cues, laps, sessions
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.journal import ControlRecord, JournalRecording, SampleRecord
from pitwall.track.lap import CornerPass, Lap

CHILD = Path(__file__).with_name("driven_pitwall.py")
# The first process is up before the drive begins.
LEAD_S = 3.0
# A kill may last longer than the drive.
NEVER_S = 1e9
# Lap times as a driver reads them; times within a lap, and what is driven in that time; all else.
SAME_LAP_S, SAME_S, SAME_M, SAME = 0.001, 0.002, 0.1, 0.01
# What was said just before a kill may not have been kept; for so long after it something may be missing.
BEFORE_S, AFTER_S = 2.0, 15.0
# A session has begun by then and is in the journal: a car must move first, and the demo stands for five s.
OPENED_S = 15.0
# A call is the same where it came within so much: its lead depends on how late readings come, and a reminder
# of a corner comes some seconds sooner where the one before it fell into a kill.
CALL_S = 3.0


class Outcome(msgspec.Struct):
    """What came of a drive, in its own seconds. `gaps`: when it was disturbed, a kill each, and `kills`:
    by what; `missing`: what never came; `ends_t`: its last reading; `words_t`: when its track's phrases
    were told first (None: never), in a slow drive when all of them were rendered; `of_replay`: what its
    rows say other than a replay of its journal; `later_s`: how much later its session's time is."""

    laps: list[Lap]
    passes: list[CornerPass]
    lines: list[LedgerLine]
    memory: Memory
    praise: list[str]
    debrief: list[str]
    words_t: float | None
    missing: tuple[tuple[bool, float, float], ...]
    gaps: list[tuple[float, float]] = []
    kills: list[str] = []
    of_replay: list[str] = []
    later_s: float = 0.0
    ends_t: float = float("inf")


class Ride(msgspec.Struct, frozen=True):
    """How a recording is driven: see `driven_pitwall.Driven`."""

    recording: str
    sender: Sender
    until_s: float = float("inf")
    speed: float = 120.0
    slow: bool = False
    lost_s: tuple[tuple[bool, float, float], ...] = ()
    drain: float = 20.0
    readings: int = 500
    can_rows: int = 1
    tall: int = 0


def driven(
    home: Home,
    ride: Ride,
    aims: Sequence[Aim] = (),
    log: Path | None = None,
    killed: Callable[[int], None] = lambda number: None,
    *,
    with_replay: bool = True,
) -> Outcome:
    """Drive it through daemons on this home, each killed at its aim, the last one unharmed. `killed` is told
    of each kill before the next start."""
    write_home(home)
    clock = home.root / "clock"
    clock.write_bytes(SECONDS.pack(-LEAD_S, -math.inf))
    gaps, kills, back_s = list[tuple[float, float]](), list[str](), -math.inf
    late = home.root / f"acknowledged{LATE}"
    for aim in [*aims, None]:
        now_s, _ = SECONDS.unpack(clock.read_bytes())
        plan = Driven(
            ride.recording, ride.until_s, ride.sender, max(back_s, now_s), ride.speed, str(clock),
            str(home.root / "acknowledged"), aim, ride.slow, ride.lost_s,
            ride.drain, ride.readings, ride.can_rows, ride.tall,
        )  # fmt: skip
        environment = {
            **os.environ,
            "PITWALL_HOME": str(home.root),
            "PITWALL_DRIVEN": msgspec.json.encode(plan).decode(),
            "PITWALL_STARTED_S": str(time.perf_counter()),
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT, CHILD.parent))),
        }
        with (log or Path(os.devnull)).open("ab") as told:
            code = subprocess.run(
                [sys.executable, str(CHILD)], env=environment, cwd=ROOT, stdout=told, stderr=told, check=False
            ).returncode
        died_t, behind_t = SECONDS.unpack(clock.read_bytes())
        if gaps and ride.sender == "backlog":
            gaps[-1] = (gaps[-1][0], max(gaps[-1][1], behind_t))
        if code != KILLED:
            assert code == 0, code
            break
        assert aim is not None
        back_s = died_t + aim.down_s
        gaps.append((died_t, back_s))
        kills.append("after sample" if late.exists() else f"{aim.place} {aim.kind}")
        late.unlink(missing_ok=True)
        killed(len(kills))
    outcome = outcome_of(home, with_replay=with_replay and bool(gaps))
    outcome.gaps, outcome.kills = gaps, kills
    with contextlib.suppress(FileNotFoundError):
        rendered_t, _ = SECONDS.unpack((home.root / f"acknowledged{RENDERED}").read_bytes())
        outcome.words_t = max(outcome.words_t or 0.0, rendered_t) if ride.slow else outcome.words_t
    return outcome


def write_home(home: Home) -> None:
    """Settings that leave the drive alone: the network's answers come when they come."""
    home.prepare()
    (home.root / "pitwall.toml").write_text(
        '[audio]\nplayer = "text"\n[api]\nport = 0\n[coach]\nforecast = false\n'
        "[limits]\nfree_floor_mb = 1.0\ncontinue_within_s = 3600.0\n"
    )


def outcome_of(home: Home, *, with_replay: bool) -> Outcome:
    """What the next start finds of the drive."""
    with Store(home) as store:
        store.open()
        recover(store, rebuilder(home, store))
        # One that was broken off before its first sample is none for whoever looks at the list.
        live = [each for each in sessions(store) if each.kind == "live" and each.samples]
        assert len(live) == 1, f"one drive is {len(live)} sessions"
        [row] = live
        later_s, words_t, times = timed(home.journals / f"{row.id}.pwj")
        track = known_tracks(home)[0].get(row.track)
        facts = Facts(store)
        report = make_report(load_drive(facts, row), facts)
        outcome = Outcome(
            [moved(lap, -later_s, "start_t", "end_t") for lap in laps(store, row.id)],
            [moved(each, -later_s, "entry_t", "exit_t") for each in corner_passes(store, row.id)],
            sorted((moved(each, -later_s, "t") for each in cues(store, row.id)), key=lambda each: each.t),
            remembered(store, track, "", "") if track is not None else Memory(""),
            [f"{each.kind} {each.corner} {each.laps} {each.value_s:.2f}" for each in report.highlights],
            [f"{each.corner} {each.total_s:.1f}" if hasattr(each, "total_s") else each.corner
             for each in report.opportunities],
            None if words_t is None else words_t - later_s,
            tuple(
                (gps, before_t - later_s + step_s / 2, t - later_s - step_s / 2)
                for gps in times
                if times[gps] and (step_s := median(b - a for a, b in pairwise(times[gps])))
                for before_t, t in pairwise([later_s - LEAD_S, *times[gps], NEVER_S])
                if t - before_t > 1.5 * step_s
            ),
            ends_t=max(max(times[gps], default=0.0) for gps in times) - later_s,
            later_s=later_s,
        )  # fmt: skip
    if with_replay:
        with TemporaryDirectory() as folder:
            scratch = without_database(home, Path(folder) / "replayed")
            outcome.of_replay = told_apart_from_replay(home, row.id, scratch)
    return outcome


def timed(path: Path) -> tuple[float, float | None, dict[bool, list[float]]]:
    """How much later a journal's time is than that of the drive, when it was told its track's words first,
    and the times of its fixes (True) and of what else came."""
    later_s, words_t, times = 0.0, None, dict[bool, list[float]]({False: [], True: []})
    journal = JournalRecording(path)
    receivers = {
        each.id for each in journal.info.streams if any(one.name == "lat_deg" for one in each.channels)
    }
    for _, record in journal.records():
        match record:
            case SampleRecord():
                times[record.stream in receivers].append(record.t)
            case ControlRecord(kind="sources"):
                note = read_sources(record.detail)
                assert note is not None
                for clock in note.clocks:
                    if clock.receiver:
                        later_s = clock.offset_s + GPS_EPOCH_S
            case ControlRecord(kind="words") if words_t is None:
                told = control_of(record)
                assert isinstance(told, WordsReady)
                words_t = record.t if told.track else None
            case _:
                pass
    return later_s, words_t, times


def moved(row: Any, by_s: float, *times: str) -> Any:
    return msgspec.structs.replace(row, **{name: round(getattr(row, name) + by_s, 6) for name in times})


def differences(killed: Outcome, twin: Outcome) -> list[str]:
    """What a driver notices of the kills, a line each."""
    return [
        *_apart("lap", *_laps(killed, twin), SAME_LAP_S),
        *_apart("pass", sorted(killed.passes, key=_entry), sorted(twin.passes, key=_entry), SAME_S),
        *_lines_apart(killed, twin),
        *([f"praise {killed.praise}; twin {twin.praise}"] if killed.praise != twin.praise else ()),
        *([f"debrief {killed.debrief}; twin {twin.debrief}"] if killed.debrief != twin.debrief else ()),
        *_memory_apart(killed.memory, twin.memory),
        *(f"other than its replay: {line[:400]}" for line in killed.of_replay),
    ]


def _laps(killed: Outcome, twin: Outcome) -> tuple[list[Lap], list[Lap]]:
    """The last one ends with the last second that the daemon knew. Where the first readings fell into a kill,
    the first one begins when a sender's clock was known first."""
    ours, theirs = [*killed.laps], [*twin.laps]
    opened_t = killed.laps[0].start_t + OPENED_S if killed.laps else OPENED_S
    for them in (ours, theirs):
        them[-1:] = [msgspec.structs.replace(lap, end_t=0.0) for lap in them[-1:]]
        if killed.gaps and killed.gaps[0][0] < opened_t:
            them[:1] = [msgspec.structs.replace(lap, start_t=0.0) for lap in them[:1]]
    return ours, theirs


def _entry(corner_pass: CornerPass) -> float:
    return corner_pass.entry_t


def _apart(what: str, ours: Sequence[Any], theirs: Sequence[Any], within_s: float) -> Iterator[str]:
    for one, other in zip(ours, theirs, strict=False):
        fields = [
            f"{name} {mine}, not {wanted}"
            for name in one.__struct_fields__
            if not _same(name, mine := getattr(one, name), wanted := getattr(other, name), within_s)
        ]
        if fields:
            yield f"{what} {one.lap if what == 'pass' else one.number} {getattr(one, 'corner', '')}: {fields}"
            return  # what follows may be moved by one
    if len(ours) != len(theirs):
        yield f"{len(ours)} of {what}, not {len(theirs)}"


def _same(name: str, mine: Any, wanted: Any, within_s: float) -> bool:
    if isinstance(mine, tuple) and isinstance(wanted, tuple) and len(mine) == len(wanted):
        return all(_same(name, *each, within_s) for each in zip(mine, wanted, strict=True))
    if not isinstance(mine, float) or not isinstance(wanted, float):
        return bool(mine == wanted)
    within = within_s if name.endswith(("_t", "_s")) else SAME_M if name.endswith("_m") else SAME
    return abs(mine - wanted) <= within


def _lines_apart(killed: Outcome, twin: Outcome) -> list[str]:
    """What was said otherwise while nothing was disturbed. A call that only one of them made in a disturbance
    leads to others later: from there on only the replay tells."""
    disturbed = [(died_t - BEFORE_S, back_t + AFTER_S) for died_t, back_t in killed.gaps]
    # How long a daemon waits behind the last reading is no matter of the drive.
    disturbed.append((min(killed.ends_t, twin.ends_t), math.inf))
    late = [killed.words_t, twin.words_t]
    if None in late:
        disturbed.append((-100.0, math.inf if twin.words_t is None else twin.words_t))
    else:
        disturbed.append((-100.0, max(each for each in late if each is not None)))
    pairs = ((killed.lines, twin.lines, "only after kills"), (twin.lines, killed.lines, "only unbroken"))
    apart = [
        (line, who)
        for ours, theirs, who in pairs
        for line in ours
        if not any(_same_call(line, each) for each in theirs)
    ]
    fell_in, others = list[LedgerLine](), list[tuple[LedgerLine, str]]()
    for line, who in apart:
        if any(a <= line.t <= b for a, b in disturbed):
            fell_in.append(line)
        else:
            others.append((line, who))
    # What is said of lost data spends a lap's callouts too, and only one that lives says it.
    leads_on = [line.t for line in fell_in if line.corner or line.outcome.endswith("spoken")]
    led_on_t = min(leads_on, default=math.inf)
    return [
        f"{who}: {line.t:.1f} lap {line.lap} {line.outcome} {line.text!r}"
        for line, who in others
        if line.t < led_on_t
    ]


def _same_call(line: LedgerLine, other: LedgerLine) -> bool:
    heard = [each.outcome.endswith("spoken") or each.outcome for each in (line, other)]
    place = [(each.text, each.corner, each.phase, each.concept) for each in (line, other)]
    return heard[0] == heard[1] and place[0] == place[1] and abs(line.t - other.t) <= CALL_S


def _memory_apart(ours: Memory, theirs: Memory) -> Iterator[str]:
    times = [None if each.reference is None else each.reference.lap_time_s for each in (ours, theirs)]
    if (times[0] is None) != (times[1] is None) or abs((times[0] or 0.0) - (times[1] or 0.0)) > SAME_LAP_S:
        yield f"reference {times[0]}, not {times[1]}"
    if ours.lessons != theirs.lessons:
        yield f"lessons {ours.lessons}, not {theirs.lessons}"


# What a kill is aimed at: before and after a record of each kind, and phases. The first come in each drive.
FIRST = ("header", "stream", "words", "track", "memory", "event", "sources", "clock", "batch")
AFTER_A_RESTART = (
    "restart",
    "sources",
    "behind",
    "back",
    "lost",
    "words",
    "clock",
    "track",
    "memory",
    "ledger",
)
PHASES = ("start", "ready", "feeding", "levelled", "freezing", "kept", "checkpoint")
# How long nobody drives: a second start within a second, to one by hand.
DOWN_S = (0.3, 0.3, 1.5, 1.5, 5.0, 20.0, 90.0)
# How a logger sends what it kept: how many times as fast as it was made, so many readings a batch.
DRAINS, READINGS = (1.1, 1.3, 2.0, 5.0, 20.0), (1, 500)


def aims_of(chance: random.Random, kills: int, readings: int) -> list[Aim]:
    """Kills of a drive of so many readings: the first while it begins, then spread over it, each second one
    soon after a start, or within a second of the one before."""
    most = 2 * readings // kills
    sides: list[Literal["before", "after"]] = ["before", "after"]
    aims = [Aim(chance.choice(FIRST), chance.choice(sides))]
    while len(aims) < kills:
        kind = chance.choice(("sample", "sample", "ledger", "batch"))
        numbers = {"sample": chance.randrange(most // 4, most), "batch": chance.randrange(1, 2 + most // 4)}
        down_s = chance.choice(DOWN_S)
        number = numbers.get(kind, chance.randrange(1, 4))
        aims.append(Aim(kind, chance.choice(sides), number, down_s=down_s))
        phase, within_s = chance.choice(PHASES), chance.choice((0.0, 0.05, 0.3))
        soon = [Aim(phase, after_s=within_s), Aim(chance.choice(AFTER_A_RESTART), chance.choice(sides))]
        aims.append(chance.choice(soon))
    return [msgspec.structs.replace(aim, most=most) for aim in aims[:kills]]


def main() -> int:
    """Drives that are killed; the exit code says whether a driver noticed any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drives", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0, help="of the first drive")
    parser.add_argument("--kills", type=int, default=8, help="a drive")
    parser.add_argument("--recording", type=Path, default=DEMO)
    parser.add_argument("--until", type=float, default=480.0, help="seconds of it")
    parser.add_argument(
        "--quiet", type=float, default=0.0, help="about so many of them, the last, without a kill"
    )
    parser.add_argument("--sender", choices=("real time", "backlog", "both"), default="both")
    parser.add_argument("--slow", action="store_true", help="no phrase is rendered before; slowly then")
    parser.add_argument("--aim", default="", help="KIND:PLACE:NUMBER,... in place of what chance draws")
    parser.add_argument("--clips", type=Path, help="a home that keeps the rendered phrases for the next run")
    parser.add_argument("--keep", type=Path, help="a folder for the homes of drives with a difference")
    asked = parser.parse_args()
    killed: Counter[str] = Counter()
    noticed: Counter[str] = Counter()
    soon = 0
    twins: dict[Ride, Outcome] = {}
    with TemporaryDirectory() as folder:
        killed_s = asked.until - asked.quiet
        readings = 2 * sum(each.t < killed_s for each in open_recording(asked.recording).samples())
        warm = Home(asked.clips or Path(folder) / "warm")
        warm.prepare()
        track = locate(asked.recording, warm).venue.track
        if track is not None:
            # Else it is found while driven, some seconds of this machine later.
            keep_circuits(warm, {track.id: track})
        for words_of in (None, track) if not asked.slow else ():
            prepare_words(warm, words_of, sound=False)
        for seed in range(asked.seed, asked.seed + asked.drives):
            sender: Sender = ("backlog", "real time")[seed % 2] if asked.sender == "both" else asked.sender
            chance = random.Random(seed)
            ride = Ride(str(asked.recording), sender, asked.until, slow=asked.slow)
            most = chance.choice(READINGS)
            # Each batch waits for the disk, which goes by the real clock.
            drain = chance.choice(DRAINS if most > 1 else DRAINS[2:])
            aims = [
                Aim(kind, place, int(number))
                for kind, place, number in (each.split(":") for each in asked.aim.split(",") if each)
            ] or aims_of(chance, asked.kills, readings)
            broken = msgspec.structs.replace(ride, drain=drain, readings=most)
            outcome = driven(copied(warm, Path(folder) / f"killed {seed}"), broken, aims)
            lost = outcome.missing if sender == "real time" else ()
            twin_ride = msgspec.structs.replace(ride, lost_s=lost)
            if twin_ride not in twins:
                twins[twin_ride] = driven(copied(warm, Path(folder) / f"twin {seed}"), twin_ride)
            told = differences(outcome, twins[twin_ride])
            if told and asked.keep is not None:
                kept = asked.keep / f"{asked.recording.stem} {seed}"
                shutil.copytree(Path(folder) / f"killed {seed}", kept)
                (kept / "outcomes.json").write_bytes(msgspec.json.encode([aims, outcome, twins[twin_ride]]))
            names = outcome.kills
            killed.update(names)
            noticed.update(names if told else ())
            at = ", ".join(
                f"{name} {died_t:.2f}" for name, (died_t, _) in zip(names, outcome.gaps, strict=True)
            )
            print(
                f"drive {seed}, {sender}, drained at {drain}, {most} a batch, "
                f"{len(names)} kills ({at}): {told or 'nothing noticed'}",
                flush=True,
            )
            soon += sum(back_t + 1.0 > died_t for (_, back_t), (died_t, _) in pairwise(outcome.gaps))
    print(f"{sum(killed.values())} kills, {soon} within a second of the start after another")
    print(f"{'kill':24} {'kills':>6} {'in drives with a difference':>28}")
    for name, count in sorted(killed.items()):
        print(f"{name:24} {count:6} {noticed[name]:28}")
    return bool(noticed)


def copied(home: Home, root: Path) -> Home:
    shutil.copytree(home.root, root)
    return Home(root)


if __name__ == "__main__":
    sys.exit(main())
