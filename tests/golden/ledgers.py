"""Golden ledgers: what the coach said over every recording, kept so that a change shows.

`python tests/golden/ledgers.py` shows what differs, `--renew` accepts it (scripts/golden does both).

A ledger depends on how long each phrase sounds. Golden ones use `clip_lengths.json`, measured once with the
engine named there, so that they are the same on every machine. For our own recordings the whole ledger is
kept; for shared ones only what was called, with a hash of each full line.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

from pitwall.coach.coach import Coach
from pitwall.coach.cue import Callout, LedgerLine
from pitwall.coach.ledger import ledger_json
from pitwall.coach.scripts import load_scripts, phrases
from pitwall.config import Home
from pitwall.drive.prepare import DriveSettings, known_tracks, locate
from pitwall.drive.session import DrivePath
from pitwall.track.lap import Lap
from pitwall.voice.clips import ClipCache
from pitwall.voice.render import engine_id

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LENGTHS = HERE / "clip_lengths.json"
SHIPPED = (ROOT / "scripts" / "data" / "sonoma-simulated.vbo",)
SHARED = (
    "sonoma-m3-vbox.csv", "roadamerica-racelogic.vbo", "roadamerica-stale-gate.vbo",
    "lignano-racebox.vbo", "orlando-18hz.nmea", "tianma-racechrono-v3.csv", "washington-racecapture.log",
    "excerpt-racestudio3-aim.csv",
)  # fmt: skip


class Collect:
    """A sink that keeps the ledger and drops the rest."""

    def __init__(self) -> None:
        self.lines: list[LedgerLine] = []
        self.laps: list[Lap] = []
        self.callouts: list[Callout] = []

    def sample(self, *_: object) -> None: ...

    def corner_pass(self, *_: object) -> None: ...

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def callout(self, callout: Callout) -> None:
        self.callouts.append(callout)

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)


def lengths() -> dict[str, float]:
    """Seconds by phrase, as measured when the file was made."""
    return dict(json.loads(LENGTHS.read_text())["clips"])


def drive(path: Path, clip_s: dict[str, float]) -> Collect:
    """One recording through the in-drive path with shipped tracks and scripts."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        prepared = locate(path, home)
        track = prepared.venue.track
        scripts = load_scripts(home.layers("audio_cache"), track)
    settings = DriveSettings()
    coach = Coach(
        track, scripts, clip_s.get, audio_delay_s=settings.audio_delay_s, software_s=settings.software_s
    )
    collect = Collect()
    drive_path = DrivePath(prepared.recording.info.streams, prepared.venue, collect, coach=coach)
    for sample in prepared.recording.samples():
        drive_path.feed(sample)
    drive_path.finish()
    return collect


def ledger_text(path: Path, *, whole: bool) -> str:
    """The golden form of one recording's ledger."""
    lines = [(line, ledger_json(line)) for line in drive(path, lengths()).lines]
    if whole:
        return "".join(encoded.decode() + "\n" for _, encoded in lines)
    return "".join(
        f"lap {line.lap} {line.corner or '-'} {line.phase} {line.outcome} "
        f"{hashlib.sha256(encoded).hexdigest()[:16]}\n"
        for line, encoded in lines
    )


def golden_path(path: Path, *, whole: bool) -> Path:
    """Where the golden form of a recording's ledger lies."""
    return HERE / (f"{path.stem}.jsonl" if whole else f"{path.stem}.calls")


def recordings_folder() -> Path:
    """Where the shared recordings are."""
    return Path(os.environ.get("PITWALL_RECORDINGS", ROOT.parent / "shared" / "recordings"))


def difference(path: Path, *, whole: bool) -> str:
    """A readable diff between the golden ledger and today's, empty where they are the same."""
    golden = golden_path(path, whole=whole)
    before = golden.read_text().splitlines() if golden.exists() else []
    after = ledger_text(path, whole=whole).splitlines()
    return "\n".join(difflib.unified_diff(before, after, f"golden {golden.name}", "now", lineterm="", n=1))


def measure_lengths() -> dict[str, object]:
    """Render every phrase of every shipped track and measure it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        texts: dict[str, None] = {}
        for track in (*known_tracks(home)[0].values(), None):
            texts |= dict.fromkeys(phrases(load_scripts(home.layers("audio_cache"), track)))
        clips = ClipCache(Path(folder) / "clips").render(texts)
    engine = engine_id()
    return {
        "engine": f"{engine.name} {engine.version}",
        "clips": {text: round(clip.clip_s, 4) for text, clip in sorted(clips.items())},
    }


def main() -> int:
    """Show or renew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--renew", action="store_true", help="accept today's ledgers as golden")
    renew = parser.parse_args().renew
    if renew:
        LENGTHS.write_text(json.dumps(measure_lengths(), indent=1, ensure_ascii=False) + "\n")
    changed = 0
    every = [(path, True) for path in SHIPPED] + [(recordings_folder() / name, False) for name in SHARED]
    for path, whole in every:
        if not path.exists():
            print(f"{path}: not here, left as it is", file=sys.stderr)
            continue
        shown = difference(path, whole=whole)
        changed += bool(shown)
        print(shown or f"{path.name}: unchanged")
        if renew:
            golden_path(path, whole=whole).write_text(ledger_text(path, whole=whole))
    return 0 if renew or not changed else 1


if __name__ == "__main__":
    sys.exit(main())
