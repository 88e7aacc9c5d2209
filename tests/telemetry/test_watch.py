"""What falls silent is told in under half a second of data time, and its return after two good seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import pytest
from sonoma_streams import CAR, GPS, IMU, Rates, samples, session, stream

from pitwall.telemetry.sample import Sample
from pitwall.telemetry.watch import LossEvent, LossWatch

ALL = (GPS, CAR, IMU)
NAMES = {GPS: "gps", CAR: "can", IMU: "imu"}
Silent = Callable[[Sample], bool]


def drive(silent: Silent, rates: Rates, until_s: float = 40.0) -> Iterator[Sample]:
    for sample in samples(session(), rates):
        if sample.t > until_s:
            return
        if not silent(sample):
            yield sample


def watch_of(*ids: int) -> LossWatch:
    watch = LossWatch()
    for id in ids:
        watch.stream(stream(id))
    return watch


def watched(silent: Silent, rates: Rates, until_s: float = 40.0) -> list[LossEvent]:
    watch = watch_of(*ALL)
    return [event for sample in drive(silent, rates, until_s) for event in watch.feed(sample)]


def gone(id: int, from_t: float, to_t: float) -> Silent:
    return lambda sample: sample.stream == id and from_t <= sample.t < to_t


@pytest.mark.parametrize("id", ALL)
@pytest.mark.parametrize("hz", [5.0, 10.0, 25.0, 100.0])
def test_each_kind_is_lost_in_half_a_second_and_back_after_two(id: int, hz: float) -> None:
    rates = Rates(
        gps_hz=hz if id == GPS else 10.0, car_hz=hz if id == CAR else 50.0, imu_hz=hz if id == IMU else 50.0
    )
    lost, back = watched(gone(id, 20.0, 30.0), rates)
    assert (lost.what, lost.lost, back.what, back.lost) == (NAMES[id], True, NAMES[id], False)
    assert 0.15 < lost.t - 20.0 < 0.5
    assert 32.0 <= back.t < 32.0 + 1.5 / hz + 0.01


@pytest.mark.parametrize("hz", [1.0, 5.0, 25.0])
def test_nothing_is_lost_in_a_whole_drive(hz: float) -> None:
    rates = Rates(gps_hz=hz, gps_late_s=0.1, car_hz=20.0, imu_hz=100.0)
    assert watched(lambda sample: False, rates, 120.0) == []


def test_all_silent_is_told_by_the_tick_as_it_is_by_the_next_sample() -> None:
    def silent(sample: Sample) -> bool:
        return 20.0 <= sample.t < 25.0

    told = watched(silent, Rates())
    assert {event.what for event in told if event.lost} == {"gps", "can", "imu", "sources"}
    assert all(event.t < 20.5 for event in told if event.lost)
    assert {event.what for event in told if not event.lost} == {"gps", "can", "imu", "sources"}
    watch, ticked = watch_of(*ALL), []
    for sample in drive(silent, Rates()):
        if sample.t >= 25.0 and not ticked:
            for k in range(100):
                ticked += watch.tick(20.0 + 0.05 * k)
            assert set(watch.lost) == {"gps", "can", "imu", "sources"}
        ticked += watch.feed(sample)
    assert ticked == told


def test_a_source_that_comes_and_goes_is_not_back_before_two_good_seconds_on_end() -> None:
    def flutters(sample: Sample) -> bool:
        return sample.stream == CAR and 20.0 <= sample.t < 30.0 and sample.t % 2.0 < 1.0

    told = watched(flutters, Rates())
    assert [(event.what, event.lost) for event in told] == [("can", True), ("can", False)]
    assert 30.9 < told[1].t < 32.1


def test_a_receiver_that_is_not_believed_is_no_gps() -> None:
    watch = watch_of(GPS, CAR)
    told: list[LossEvent] = []
    for sample in drive(gone(IMU, 0.0, 100.0), Rates()):
        void = sample.stream == GPS and 20.0 <= sample.t < 30.0
        told += watch.feed(sample, (0, 1) if void else ())
    assert [(event.what, event.lost) for event in told] == [("gps", True), ("gps", False)]


def test_blank_cells_are_silence() -> None:
    watch = watch_of(GPS, CAR)
    told: list[LossEvent] = []
    for sample in drive(gone(IMU, 0.0, 100.0), Rates()):
        if sample.stream == CAR and sample.t >= 20.0:
            sample = msgspec.structs.replace(sample, values=(None,) * len(sample.values))
        told += watch.feed(sample)
    assert [(event.what, event.lost) for event in told] == [("can", True)]


def test_a_slower_receiver_in_its_place_is_learned() -> None:
    watch, told = watch_of(GPS), []
    times = [0.04 * k for k in range(500)] + [20.0 + k for k in range(30)]
    for t in times:
        told += watch.feed(Sample(GPS, t, (38.0, -122.0, 20.0, 0.0, 12.0)))
    assert watch.lost == ()
    assert [event.lost for event in told if event.what == "gps"] == [True, False]


def test_what_never_came_is_never_lost_and_an_unknown_stream_is_refused() -> None:
    watch = watch_of(GPS, CAR)
    assert watch.tick(1000.0) == ()
    with pytest.raises(ValueError, match="stream 7"):
        watch.feed(Sample(7, 0.0, ()))


def test_what_was_only_held_up_on_its_way_is_back_after_two_good_seconds() -> None:
    """A hiccup of a link: time goes on without it, then all it held comes, stamp by stamp, without a hole."""
    watch = watch_of(CAR)
    told: list[LossEvent] = []
    for sample in drive(lambda sample: sample.stream != CAR, Rates()):
        if 20.0 <= sample.t < 20.1:
            told += watch.tick(sample.t + 0.6)
        told += watch.feed(sample)
    assert [(event.what, event.lost) for event in told if event.what == "can"] == [
        ("can", True),
        ("can", False),
    ]
    assert told[-1].t < 23.0
    assert watch.lost == ()
