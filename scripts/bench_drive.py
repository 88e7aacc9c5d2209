"""Benchmark of the in-drive path. Each figure comes with a calibration of the same run and the ratio to it.

Calibrations: `decode`: msgspec decodes the same samples from msgpack; `append`: DuckDB appends the same rows.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import msgspec
from bench_beside import print_measured

from pitwall.coach.cue import Callout
from pitwall.config import Home, shipped
from pitwall.drive.controls import control
from pitwall.drive.journal import place_controls
from pitwall.drive.prepare import DriveSettings, locate, prepare_words, session_meta
from pitwall.drive.recording import Recorder
from pitwall.drive.replay import Speaker, import_file
from pitwall.drive.session import DriveSession, Supplies
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store.store import Store
from pitwall.telemetry.recordings.journal import StreamRecord
from pitwall.telemetry.sample import Sample
from pitwall.track.library import load_track
from pitwall.voice.playback_queue import Player
from pitwall.voice.player import open_player

ROOT = Path(__file__).resolve().parent.parent
RATE_HZ = 100.0
# A lap of the simulated car takes about 113 s: 15 laps and the out and in laps are 30 minutes.
LAPS_30_MIN = 14


def percentiles(values_s: list[float]) -> dict[str, float]:
    """p50, p99 and the largest, in milliseconds."""
    ordered = sorted(values_s)
    pick = lambda share: ordered[min(int(share * len(ordered)), len(ordered) - 1)]  # noqa: E731
    return {
        "count": len(ordered),
        "p50_ms": round(pick(0.5) * 1e3, 4),
        "p99_ms": round(pick(0.99) * 1e3, 4),
        "max_ms": round(ordered[-1] * 1e3, 4),
    }


def rss_mb() -> float:
    """Resident memory of this process now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0


@contextmanager
def fresh_home() -> Iterator[tuple[Home, Store]]:
    """A home of its own with an open store."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        store = Store(home)
        store.open()
        try:
            yield home, store
        finally:
            store.close()


class Bench:
    """One simulated drive at 100 Hz, through everything."""

    def __init__(self, folder: Path, laps: int) -> None:
        track = load_track(shipped("track_data") / "sonoma.json")
        self.file = folder / "bench.pwj"
        simulate_to_file(track, SimulationPlan(laps=laps, rate_hz=RATE_HZ), "journal", self.file)
        self.home = Home(folder / "words")
        self.home.prepare()
        self.tracks = {track.id: track}
        self.located = locate(self.file, self.home)
        self.words = prepare_words(self.home, self.located.venue.track, sound=False)
        self.samples: list[Sample] = list(self.located.recording.samples())

    def recorder(self, store: Store, player: Player | None = None, *, lossless: bool) -> Recorder:
        """A path with coach and store, told where it is."""
        settings, (recording, venue, _) = DriveSettings(), msgspec.structs.astuple(self.located)
        meta = session_meta(recording, venue, "replay", self.file.name, "0" * 32, settings)
        drive = DriveSession(Supplies(self.tracks, lambda *_: self.words), settings)
        speakers = [] if player is None else [Speaker(player, self.words.clips)]
        recorder = Recorder(drive, store.begin(meta, lossless=lossless), speakers, strict=True)
        for record in (
            *map(StreamRecord, recording.info.streams),
            control(0.0, "words", venue.track.id),
            *place_controls(venue),
        ):
            recorder.take(record)
        return recorder

    def decode_calibration(self) -> float:
        """Samples per second that msgspec decodes."""
        encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Sample)
        encoded = [encoder.encode(sample) for sample in self.samples]
        began = time.perf_counter()
        for each in encoded:
            decoder.decode(each)
        return len(encoded) / (time.perf_counter() - began)

    def append_calibration(self) -> float:
        """Rows per second that DuckDB appends, the samples' values as one wide table in a file."""
        width = max(len(sample.values) for sample in self.samples)
        rows = [(sample.t, *sample.values, *[None] * (width - len(sample.values))) for sample in self.samples]
        with tempfile.TemporaryDirectory() as folder:
            con = duckdb.connect(str(Path(folder) / "c.duckdb"))
            con.execute("CREATE TABLE t (t DOUBLE, " + ", ".join(f"c{i} DOUBLE" for i in range(width)) + ")")
            appender = con.appender("t")
            began = time.perf_counter()
            for start in range(0, len(rows), 2500):
                appender.append_rows(rows[start : start + 2500])
                appender.flush()
            spent = time.perf_counter() - began
            con.close()
        return len(rows) / spent

    def throughput(self, samples: list[Sample]) -> float:
        """Frames per second through the whole path, everything committed at the end."""
        with fresh_home() as (_, store):
            recorder = self.recorder(store, lossless=True)
            gc.collect()
            began = time.perf_counter()
            for sample in samples:
                recorder.take(sample)
            recorder.finish()
            recorder.writer.close()
            return len(samples) / (time.perf_counter() - began)

    def real_time(self, seconds: float, first: int) -> tuple[dict[str, float], dict[str, float], str]:
        """Per frame at 100 Hz in real time, and frame received to PCM handed over."""
        handed: list[float] = []
        received = [0.0]
        with fresh_home() as (_, store), sound() as player:
            player.wait_ready(5.0)
            player.on_handed = lambda _clip, at_s: handed.append(at_s - received[0])
            recorder, speaker = (
                self.recorder(store, player, lossless=False),
                Speaker(player, self.words.clips),
            )
            for sample in self.samples[:first]:
                recorder.take(sample)
            store.flush()
            player.wait_idle(10.0)
            handed.clear()
            spent: list[float] = []
            texts = list(self.words.clips.values())
            start_s, said = time.monotonic(), 0
            for number, sample in enumerate(self.samples[first : first + int(seconds * RATE_HZ)]):
                due_s = start_s + number / RATE_HZ
                while (wait_s := due_s - time.monotonic()) > 0:
                    time.sleep(wait_s)
                began = time.perf_counter()
                received[0] = time.monotonic()
                # A callout every two seconds beside the coach's own, so that there are enough to count.
                if number % 200 == 199:
                    speaker.callout(Callout(0, sample.t, texts[said % len(texts)].text, 0.0, True))
                    said += 1
                recorder.take(sample)
                spent.append(time.perf_counter() - began)
            recorder.finish()
            recorder.writer.close()
            return percentiles(spent), percentiles(handed or [0.0]), player.name


@contextmanager
def sound_server() -> Iterator[None]:
    """A PulseAudio null sink of our own, for this process and its children, unless a server is given."""
    server, runtime = None, tempfile.mkdtemp()
    os.chmod(runtime, 0o700)
    if shutil.which("pulseaudio") and "PULSE_SERVER" not in os.environ:
        os.environ["XDG_RUNTIME_DIR"] = runtime
        server = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1",
             "--load=module-null-sink sink_name=bench", "--load=module-native-protocol-unix"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until_s = time.monotonic() + 10.0
        while not (Path(runtime) / "pulse" / "native").exists() and time.monotonic() < until_s:
            time.sleep(0.02)
    try:
        yield
    finally:
        if server is not None:
            server.terminate()
            server.wait()
        shutil.rmtree(runtime, ignore_errors=True)


@contextmanager
def sound() -> Iterator[Player]:
    """The best player here; into a null sink where the machine has no sound device."""
    with sound_server():
        player = open_player("auto")
        try:
            yield player
        finally:
            player.stop()


def import_rates(bench: Bench) -> dict[str, float]:
    """Importing the same drive: rows, and samples (one signal's reading at one instant), per second."""
    readings = sum(value is not None for sample in bench.samples for value in sample.values)
    with fresh_home() as (home, store):
        began = time.perf_counter()
        import_file(bench.file, home, store)
        spent = time.perf_counter() - began
    return {
        "rows_per_s": round(len(bench.samples) / spent),
        "samples_per_s": round(readings / spent),
        "samples": readings,
    }


def start_up() -> dict[str, float]:
    """From starting the process to the first sample taken, with the words rendered by an earlier start."""
    demo = ROOT / "scripts" / "data" / "sonoma-simulated.vbo"
    spent: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PITWALL_HOME": folder}
        command = [sys.executable, "-m", "pitwall", "--verbose", "replay", str(demo), "--speed", "1"]
        for _ in range(4):
            began = time.perf_counter()
            process = subprocess.Popen(
                command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            assert process.stderr is not None
            for line in process.stderr:
                if "ready" in line:
                    spent.append(time.perf_counter() - began)
                    break
            process.send_signal(signal.SIGTERM)
            process.communicate()
    return {"first_s": round(spent[0], 3), "again_s": round(min(spent[1:]), 3)}


def memory(laps: int) -> dict[str, float]:
    """RSS of a process that replays a recording with the store attached: ready to start, and at the end."""
    code = (
        "import sys; from pathlib import Path\n"
        "from pitwall.config import Home; from pitwall.drive.replay import Replay, ReplayOptions\n"
        "from pitwall.store.store import Store\n"
        "def rss():\n"
        "    lines = Path('/proc/self/status').read_text().splitlines()\n"
        "    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith('VmRSS'))\n"
        "home = Home(Path(sys.argv[2]))\n"
        "with Store(home) as store:\n"
        # As the daemon does: a command of its own writes in larger pieces.
        "    store.open(to_drive=True)\n"
        "    replay = Replay(Path(sys.argv[1]), home, store, ReplayOptions())\n"
        "    idle = rss(); replay.run(); print(idle, rss(), replay.drive.state.t / 60)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        track = load_track(shipped("track_data") / "sonoma.json")
        file = Path(folder) / "bench.pwj"
        summary = simulate_to_file(track, SimulationPlan(laps=laps, rate_hz=RATE_HZ), "journal", file)
        command = [sys.executable, "-c", code, str(file), str(Path(folder) / "home")]
        told = subprocess.run(command, capture_output=True, text=True, check=True)
    # Before them stands the progress bar of DuckDB, which takes -c for a person.
    idle, after, minutes = map(float, told.stdout.split()[-3:])
    figures = {"idle_mb": idle, "after_mb": after, "minutes": minutes, "samples": summary.samples}
    return {name: round(value, 1) for name, value in figures.items()}


def main() -> None:
    """Print one JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a shorter drive")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), 2 if quick else 5)
        decode, append = bench.decode_calibration(), bench.append_calibration()
        frames = max(bench.throughput(bench.samples) for _ in range(2))
        per_frame, to_pcm, player = bench.real_time(10.0 if quick else 40.0, 20_000)
        imported = import_rates(bench)
    result = {
        "machine": {"python": sys.version.split()[0], "cores": os.cpu_count()},
        "calibration": {"decode_per_s": round(decode), "append_rows_per_s": round(append)},
        "path": {
            "frames_per_s": round(frames),
            "to_decode": round(frames / decode, 5),
            "to_append": round(frames / append, 5),
        },
        "real_time_100_hz": {**per_frame, "p50_in_decodes": round(per_frame["p50_ms"] / 1e3 * decode, 1)},
        "frame_to_pcm": {
            **to_pcm,
            "player": player,
            "p50_in_decodes": round(to_pcm["p50_ms"] / 1e3 * decode),
        },
        "import": {**imported, "rows_to_append": round(imported["rows_per_s"] / append, 5)},
        "start_up": start_up(),
        "memory": memory(2 if quick else LAPS_30_MIN),
    }
    print_measured(result, "path.frames_per_s", "frame_to_pcm.p50_ms", "import.rows_per_s", "memory.samples")


if __name__ == "__main__":
    main()
