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
import shutil
import sys
import tempfile
from pathlib import Path

from pitwall.coach.cue import LedgerLine, ledger_json
from pitwall.coach.limits import warnings
from pitwall.coach.scripts import load_scripts, phrases
from pitwall.config import Home
from pitwall.drive.controls import control
from pitwall.drive.frozen import freeze, thaw
from pitwall.drive.journal import locate_recording, records
from pitwall.drive.prepare import DriveSettings, Words, known_tracks
from pitwall.drive.recording import Recorder
from pitwall.drive.session import DriveListener, DriveSession, Supplies
from pitwall.telemetry.recordings import open_recording
from pitwall.voice.clips import Clip, ClipCache
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


# Records from one break to the next: a prime, so that it falls anywhere in a lap.
BROKEN_OFF_EVERY = 997


class Collect(DriveListener):
    """Keeps the ledger and drops the rest."""

    def __init__(self) -> None:
        self.lines: list[LedgerLine] = []

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)


def lengths() -> dict[str, float]:
    """Seconds by phrase, as measured when the file was made."""
    return dict(json.loads(LENGTHS.read_text())["clips"])


def drive(path: Path, clip_s: dict[str, float], *, broken_off: bool = False) -> Collect:
    """One recording through the car's own path, with shipped tracks and scripts. `broken_off`: again and
    again the path is frozen, and another one is thawed from it that goes on."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        tracks = known_tracks(home)[0]
        recording = open_recording(path)
        place = locate_recording(recording, tracks)
        scripts = load_scripts(home.layers("audio_cache"), place.venue.track)
    # Clips without sound, as long as they were measured: what is joined from parts is as long as those.
    words = Words(scripts, {text: Clip(text, None, seconds) for text, seconds in clip_s.items()}, ())
    collect = Collect()
    supplies = Supplies(tracks, lambda *_: words)
    recorder = Recorder(DriveSession(supplies, DriveSettings()), None, (collect,))
    ready = control(0.0, "words", place.venue.track.id if place.venue.track else "")
    for number, record in enumerate(records(recording, (ready, *place.controls))):
        recorder.take(record)
        if broken_off and number % BROKEN_OFF_EVERY == 0:
            thawed = thaw(freeze(recorder.path), supplies)
            thawed.fetch_given()
            recorder = Recorder(thawed, None, (collect,))
    recorder.path.finish()
    return collect


def ledger_text(path: Path, *, whole: bool, broken_off: bool = False) -> str:
    """The golden form of one recording's ledger."""
    lines = [(line, ledger_json(line)) for line in drive(path, lengths(), broken_off=broken_off).lines]
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


def difference(path: Path, *, whole: bool, broken_off: bool = False) -> str:
    """A readable diff between the golden ledger and today's, empty where they are the same."""
    golden = golden_path(path, whole=whole)
    before = golden.read_text().splitlines() if golden.exists() else []
    after = ledger_text(path, whole=whole, broken_off=broken_off).splitlines()
    return "\n".join(difflib.unified_diff(before, after, f"golden {golden.name}", "now", lineterm="", n=1))


def measure_lengths(rendered: Path | None = None) -> dict[str, object]:
    """Render every phrase of every shipped track and measure it; what was `rendered` just now is taken."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        if rendered is not None:
            shutil.copytree(rendered, home.clips)
        texts: dict[str, None] = {}
        for track in (*known_tracks(home)[0].values(), None):
            texts |= dict.fromkeys(phrases(load_scripts(home.layers("audio_cache"), track)))
        clips = ClipCache(home.clips, warnings=warnings(home.words.fixed)).render(texts)
    engine = engine_id()
    return {
        "engine": f"{engine.name} {engine.version}",
        "clips": {text: round(clip.clip_s, 4) for text, clip in sorted(clips.items())},
    }


def main() -> int:
    """Show or renew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--renew", action="store_true", help="accept today's ledgers as golden")
    parser.add_argument("names", nargs="*", help="only recordings whose name begins so")
    asked = parser.parse_args()
    renew, names = asked.renew, tuple(asked.names) or ("",)
    if renew:
        LENGTHS.write_text(json.dumps(measure_lengths(), indent=1, ensure_ascii=False) + "\n")
    changed = 0
    every = [(path, True) for path in SHIPPED] + [(recordings_folder() / name, False) for name in SHARED]
    for path, whole in every:
        if not path.name.startswith(names):
            continue
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
