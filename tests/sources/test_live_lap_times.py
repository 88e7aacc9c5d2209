"""Live lap times are those of the file, to the millisecond, whatever the link and the machine's clock do."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
import pytest
from can_inbox import running, until

from pitwall.config import shipped
from pitwall.contract.push import PushBatch
from pitwall.daemon.intake.pushes import PushInbox
from pitwall.daemon.intake.queue import Queue, SourceInbox
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.recordings import Recording, open_recording
from pitwall.telemetry.recordings.nmea import CHANNELS, TIMED, Sentence, read_sentence
from pitwall.telemetry.recordings.timeline import seconds_of_day
from pitwall.telemetry.sample import Sample, Stream
from pitwall.telemetry.session_clock import CountedOn, SessionClock
from pitwall.telemetry.sources.base import SourceHealth
from pitwall.telemetry.sources.nmea import GnssStream, NmeaFeed
from pitwall.telemetry.sources.push import PushSource
from pitwall.telemetry.sources.sensorserver import GPS_CHANNELS
from pitwall.track.library import load_track
from pitwall.track.matcher import MapMatcher
from pitwall.track.timing import LapTimer
from pitwall.track.venue import Venue, venue_of_recording

START_S = 1000.0
WITHIN_S = 0.001
# 23:58 UTC: the second lap of Sonoma ends after midnight.
BEFORE_MIDNIGHT_S = 1_747_526_280.0

Delay = Callable[[random.Random], float]
LINKS: dict[str, tuple[float, Delay]] = {
    "a serial port, a machine that runs fast": (40.0, lambda dice: dice.uniform(0.02, 0.05)),
    "Bluetooth, a machine that runs slowly": (-100.0, lambda dice: 0.01 + dice.expovariate(40.0)),
    "Wi-Fi that stalls now and then": (15.0, lambda dice: 0.01 * dice.paretovariate(1.2)),
}


class Link:
    """Tells when something sent at a second arrives: in order, late, and the machine's clock drifts."""

    def __init__(self, name: str, seed: int = 1) -> None:
        self._drift_ppm, self._delay = LINKS[name]
        self._dice, self._arrived_s = random.Random(seed), 0.0

    def arrival_s(self, second: float) -> float:
        due_s = 5.0 + second * (1 + self._drift_ppm * 1e-6) + min(self._delay(self._dice), 3.0)
        self._arrived_s = max(self._arrived_s, due_s)
        return START_S + self._arrived_s


def laps(samples: Iterable[Sample], streams: Sequence[Stream], venue: Venue) -> list[float]:
    track = venue.track
    fusion, timer = Fusion(streams), LapTimer(venue.gate, track.length_m if track else None)
    matcher = MapMatcher(track) if track else None
    found = []
    for sample in samples:
        frame = fusion.feed(sample)
        if frame is not None:
            lap = timer.feed(frame, matcher.feed(frame) if matcher else None)
            if lap is not None and lap.time_s is not None:
                found.append(lap.time_s)
    return found


def venue_of(recording: Recording) -> Venue:
    track = load_track(shipped("track_data") / "sonoma.json")
    return venue_of_recording(recording, {track.id: track}, None)


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


async def live_samples(path: Path, link: Link) -> list[Sample]:
    """A log's bytes through what a receiver's bytes go through in the car, line by line as they arrive."""
    queue, health = Queue(10**6), SourceHealth("nmea")
    inbox = SourceInbox("gps", queue, SessionClock(START_S), lambda: health)
    stream = GnssStream(inbox, CHANNELS, "gnss", None)
    feed = NmeaFeed(health, stream, checked=False, datagrams=False)
    days, first_s, arrival_s = CountedOn(86400.0), None, START_S
    for line in bytes_of(path).splitlines(keepends=True):
        found = read_sentence(line.decode(), checked=False)
        if isinstance(found, Sentence) and found.kind in TIMED and found.fields[1]:
            at_s = days.count(seconds_of_day(found.fields[1]))
            first_s = at_s if first_s is None else first_s
            arrival_s = link.arrival_s(at_s - first_s)
        feed.feed(line, arrival_s)
    samples = []
    while (reading := queue.pop()) is not None:
        t = reading.lane.clock.map(reading.source_s, reading.received_s)
        samples.append(Sample(0, t, reading.values))
    return samples


@pytest.fixture(scope="module")
def simulated_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two laps of Sonoma over midnight, as an NMEA log."""
    track = load_track(shipped("track_data") / "sonoma.json")
    path = tmp_path_factory.mktemp("nmea") / "sonoma.nmea"
    plan = SimulationPlan(laps=2, start_utc_s=BEFORE_MIDNIGHT_S)
    simulate_to_file(track, plan, "nmea", path)
    return path


@pytest.mark.long
async def test_simulated_laps_over_midnight(simulated_log: Path) -> None:
    link, recording = "Wi-Fi that stalls now and then", open_recording(simulated_log)
    venue = venue_of(recording)
    of_file = laps(recording.samples(), recording.info.streams, venue)
    samples = await live_samples(simulated_log, Link(link))
    live = laps(samples, recording.info.streams, venue)
    assert len(of_file) == 2
    assert live == pytest.approx(of_file, abs=WITHIN_S)


def distances(stamps: Sequence[float], times: Sequence[float], learnt: int) -> float:
    """The largest error of any time from `learnt` on, against the stamps."""
    shifts = [t - at for at, t in zip(stamps, times, strict=True)][learnt:]
    return max(shifts) - min(shifts)


def true_seconds(hz: float, seconds: float) -> list[float]:
    return [i / hz for i in range(int(hz * seconds))]


@pytest.mark.parametrize("link", LINKS)
async def test_a_phones_fixes_keep_their_distances(link: str) -> None:
    """SensorServer stamps fixes in unix milliseconds, once a second."""
    queue, health = Queue(10**6), SourceHealth("phone")
    inbox = SourceInbox("phone", queue, SessionClock(START_S), lambda: health)
    gnss, arrives = GnssStream(inbox, GPS_CHANNELS, "gps", None), Link(link)
    seconds = true_seconds(1.0, 600.0)
    for at in seconds:
        values = (38.0 + at * 1e-4, -122.0, 0.0, 30.0, 90.0, 3.0)
        gnss.put(1.7e9 + at, arrives.arrival_s(at), values)
    times = []
    while (reading := queue.pop()) is not None:
        times.append(reading.lane.clock.map(reading.source_s, reading.received_s))
    # The offset is learnt from 50 fixes.
    assert distances(seconds, times, 60) < WITHIN_S


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("wrap_s", [86400.0, 604800.0])
async def test_pushed_positions_keep_their_distances_over_midnight_and_the_gps_week(
    link: str, wrap_s: float
) -> None:
    """A box that pushes five seconds at a time; its stamps begin again in the middle of a batch."""
    arrives, now_s = Link(link), START_S
    inbox = PushInbox(SessionClock(START_S))
    source = PushSource("push:api", lambda: now_s)
    seconds = true_seconds(10.0, 300.0)
    async with running(source, inbox):
        await until(lambda: source.running)
        for first in range(0, len(seconds), 50):
            part = seconds[first : first + 50]
            now_s = arrives.arrival_s(part[-1])
            source.accept(pushed(first, [(at + wrap_s - 102.5) % wrap_s for at in part]))
    times = [each.lane.clock.map(each.source_s, each.received_s) for each in inbox.readings]
    assert distances(seconds, times, 60) < WITHIN_S


def pushed(number: int, stamps: Sequence[float]) -> PushBatch:
    names = ("lat_deg", "lon_deg")
    plain = {
        "batch_id": f"b{number}",
        "source": "box",
        "streams": [{"group": "gps", "channels": [{"name": name} for name in names], "latency_s": 0.042}],
        "samples": [{"stream": 0, "source_s": at, "values": [38.0, -122.0]} for at in stamps],
    }
    return msgspec.convert(plain, PushBatch)


@pytest.mark.parametrize("link", LINKS)
def test_all_that_comes_beside_a_receiver_goes_at_its_pace(link: str) -> None:
    """An hour: the machine's clock drifts by up to 0.36 s, and nothing moves apart."""
    session = SessionClock(START_S)
    receiver = session.source("gps", 0.0, receiver=True)
    second = session.source("phone", 0.0, receiver=True)
    bus, button = session.source("can", 0.0), session.source("button", 0.0)
    links = [Link(link, seed) for seed in range(4)]
    seconds = true_seconds(5.0, 3600.0)
    rows = [
        (
            receiver.map(60_000.0 + at, links[0].arrival_s(at)),
            second.map(1.7e9 + at, links[1].arrival_s(at)),
            bus.map(7.0 + at * (1 + 50e-6), links[2].arrival_s(at)),
            button.map(None, links[3].arrival_s(at)),
        )
        for at in seconds
    ]
    by_source = [list(times) for times in zip(*rows, strict=True)]
    assert distances(seconds, by_source[0], 300) < WITHIN_S
    assert distances(seconds, by_source[1], 300) < WITHIN_S
    # What has no receiver's stamps is as near as its arrival tells.
    assert all(abs(can - gps) < 0.1 for gps, _, can, _ in rows[300:])
    assert sum(abs(pressed - gps) for gps, _, _, pressed in rows[300:]) / len(rows[300:]) < 0.1


def test_a_receiver_that_falls_silent_hands_the_pace_over() -> None:
    link = "Bluetooth, a machine that runs slowly"
    session = SessionClock(START_S)
    first = session.source("gps", 0.0, receiver=True)
    second = session.source("phone", 0.0, receiver=True)
    seconds = true_seconds(5.0, 3600.0)
    one, two = Link(link, 1), Link(link, 2)
    times = []
    for at in seconds:
        if at < 600.0:
            first.map(60_000.0 + at, one.arrival_s(at))
        times.append(second.map(1.7e9 + at, two.arrival_s(at)))
    assert distances(seconds, times, 300) < WITHIN_S
    # Else this machine would have run 0.3 s ahead of the receiver that is left.
    assert session.at(START_S + 5.0 + 3600.0 * (1 - 100e-6)) == pytest.approx(times[-1] + 0.2, abs=0.1)


def test_a_link_that_is_late_for_seconds_is_no_clock_that_was_set() -> None:
    """The machine was busy for eight seconds and read everything two seconds late: no stamp is missing."""
    clock = SessionClock(START_S).source("gps", 0.0, receiver=True)
    seconds = true_seconds(10.0, 120.0)
    arrivals = [START_S + 5.0 + at + (2.0 if 60.0 <= at < 68.0 else 0.02) for at in seconds]
    times = [clock.map(at, max(arrivals[: i + 1][-30:])) for i, at in enumerate(seconds)]
    assert clock.estimate().jumps == 0
    assert distances(seconds, times, 60) < WITHIN_S
