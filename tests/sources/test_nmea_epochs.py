"""Live epochs: a reading as soon as its last sentence is there, whatever their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from net_peers import LatencyInbox, gga, joined, rmc, sentence

from pitwall.telemetry.recordings.nmea import CHANNELS, Sentence, read_sentence
from pitwall.telemetry.sources.base import SourceHealth
from pitwall.telemetry.sources.nmea import (
    MAX_LINE_BYTES,
    RATE_READINGS,
    EpochReading,
    GnssStream,
    LineSplitter,
    LiveEpochs,
    NmeaFeed,
    latency_of_rate,
)

NAMES = [channel.name for channel in CHANNELS]
VTG = sentence("GPVTG,309.31,T,,M,19.438,N,36.000,K")
GSA = (sentence("GNGSA,A,3,04,05,,,,,,,,,,,2.5,1.3,2.1"), sentence("GNGSA,A,3,66,67,,,,,,,,,,,2.5,1.3,2.1"))


def fed(epochs: LiveEpochs, lines: list[str], at_s: float) -> list[EpochReading]:
    readings: list[EpochReading] = []
    for line in lines:
        found = read_sentence(line, checked=True)
        assert isinstance(found, Sentence)
        readings += epochs.add(found, at_s)
    return readings


def column(readings: list[EpochReading], name: str) -> list[float | None]:
    return [reading.values[NAMES.index(name)] for reading in readings]


@pytest.mark.parametrize("order", ["R", "G", "GR", "RG", "RVG", "GRV", "RVGSS", "GSSRV"])
def test_an_epoch_is_given_with_its_last_sentence(order: str) -> None:
    epochs = LiveEpochs()
    given_at: list[tuple[float, float]] = []
    for i in range(20):
        tod_s = 100.0 + i / 10
        gsa = iter(GSA)
        texts = {"R": rmc(tod_s), "G": gga(tod_s), "V": VTG}
        for kind in order:
            line = next(gsa) if kind == "S" else texts[kind]
            given_at += [(tod_s, reading.tod_s) for reading in fed(epochs, [line], tod_s)]
    # The first one has to wait for the second, as nobody knows yet which sentence is the last.
    assert given_at[0] == pytest.approx((100.1, 100.0))
    assert len(given_at) == 20
    assert all(now == pytest.approx(told) for now, told in given_at[1:])


def test_a_gga_once_a_second_behind_rmc_delays_nothing_and_is_not_lost() -> None:
    epochs = LiveEpochs()
    readings: list[EpochReading] = []
    for i in range(40):
        tod_s = 100.0 + i / 10
        lines = [rmc(tod_s)] + ([gga(tod_s, satellites=i % 32)] if i % 10 == 5 else [])
        readings += fed(epochs, lines, tod_s)
    assert [round(reading.tod_s, 3) for reading in readings] == [round(100.0 + i / 10, 3) for i in range(40)]
    assert all(reading.received_s == pytest.approx(reading.tod_s) for reading in readings)
    # It comes with the next epoch, a tenth of a second late.
    told = {i: n for i, n in enumerate(column(readings, "satellites")) if n is not None}
    assert told == {6: 5.0, 16: 15.0, 26: 25.0, 36: 3.0}
    assert None not in column(readings, "lat_deg")


def test_an_epoch_without_its_last_sentence_comes_with_the_next() -> None:
    epochs = LiveEpochs()
    lines = [[rmc(100.0 + i), gga(100.0 + i)] for i in range(8)]
    lines[5].pop()
    counts = [len(fed(epochs, pair, 0.0)) for pair in lines]
    assert counts == [0, 2, 1, 1, 1, 0, 2, 1]


@given(
    st.lists(
        st.one_of(
            st.sampled_from([rmc(100.0), rmc(100.1), gga(100.1), VTG, GSA[0], rmc(99.0), "$GPRMC,,V", "$$$"]),
            st.text(max_size=40),
        ),
        max_size=60,
    ),
    st.booleans(),
)
def test_any_bytes_are_taken_and_counted(lines: list[str], datagrams: bool) -> None:
    inbox, health = LatencyInbox(), SourceHealth("nmea:test")
    stream = GnssStream(inbox, CHANNELS, "gnss", 0.0)
    feed = NmeaFeed(health, stream, checked=True, datagrams=datagrams)
    for i, line in enumerate(lines):
        feed.feed(line.encode("utf-8", "replace") + b"\n", float(i))
    assert health.readings == len(inbox.readings) <= len(lines)
    assert health.errors == sum(
        health.details.get(what, 0) for what in ("malformed_lines", "bad_checksums", "overlong_lines")
    )


@given(st.lists(st.integers(0, 70), max_size=30), st.data())
def test_lines_are_the_same_however_the_bytes_are_cut(lengths: list[int], data: st.DataObject) -> None:
    lines = [f"{i}".ljust(n, "x") for i, n in enumerate(lengths)]
    whole = "".join(line + "\r\n" for line in lines).encode()
    splitter, found, at = LineSplitter(), [], 0
    while at < len(whole):
        size = data.draw(st.integers(1, 40))
        found += splitter.feed(whole[at : at + size])
        at += size
    assert found == lines
    assert splitter.overlong == 0


def test_a_line_without_end_is_dropped_and_the_next_one_read() -> None:
    splitter = LineSplitter()
    for _ in range(100):
        assert splitter.feed(b"x" * MAX_LINE_BYTES) == []
    assert splitter.feed(b"tail\nfirst\n" + b"y" * (MAX_LINE_BYTES + 1) + b"\nsecond\n") == [
        "first",
        "second",
    ]
    assert splitter.overlong == 2


def feed_of(inbox: LatencyInbox, *, datagrams: bool = False) -> tuple[NmeaFeed, SourceHealth]:
    health = SourceHealth("nmea:test")
    stream = GnssStream(inbox, CHANNELS, "gnss", None)
    return NmeaFeed(health, stream, checked=True, datagrams=datagrams), health


@pytest.mark.parametrize(
    ("hz", "latency_s"),
    [(1.0, 0.160), (5.0, 0.160), (10.0, 0.042), (18.0, 0.042), (25.0, 0.042), (100.0, 0.007)],
)
def test_the_latency_is_that_of_the_rate(hz: float, latency_s: float) -> None:
    inbox = LatencyInbox()
    feed, _ = feed_of(inbox)
    for i in range(20):
        feed.feed(joined([rmc(100.0 + i / hz)]), 500.0 + i / hz)
    assert inbox.latency_s == {"gnss": latency_s}
    # What came before the rate was known is not lost.
    assert [source_s for source_s, _, _ in inbox.of("gnss")] == pytest.approx(
        [100.0 + i / hz for i in range(20)], abs=1e-3
    )
    assert latency_of_rate(0.0) == 0.160


def test_a_flood_of_good_sentences_is_shed_and_counted() -> None:
    inbox = LatencyInbox()
    feed, health = feed_of(inbox)
    for i in range(15_000):
        feed.feed(joined([rmc(100.0 + i * 0.001)]), 50.0)
    assert health.shed + health.readings == 15_000
    assert health.readings == len(inbox.readings) == 10_000
    for i in range(RATE_READINGS):
        feed.feed(joined([rmc(200.0 + i * 0.1)]), 60.0 + i * 0.1)
    assert health.readings == 10_000 + RATE_READINGS


def test_stamps_go_on_over_midnight() -> None:
    inbox = LatencyInbox()
    feed, _ = feed_of(inbox)
    for i in range(40):
        feed.feed(joined([rmc((86399.0 + i / 10) % 86400.0)]), 50.0 + i / 10)
    stamps = [source_s for source_s, _, _ in inbox.of("gnss")]
    assert stamps == pytest.approx([86399.0 + i / 10 for i in range(40)], abs=1e-3)


def test_datagrams_that_were_overtaken_or_doubled_are_left_out() -> None:
    inbox = LatencyInbox()
    feed, health = feed_of(inbox, datagrams=True)
    order = [0, 1, 2, 4, 3, 5, 5, 6, 8, 9, 7, *range(10, 20)]
    for n, i in enumerate(order):
        feed.feed(joined([rmc(100.0 + i / 10)]), 50.0 + n / 10)
    stamps = [source_s for source_s, _, _ in inbox.of("gnss") if source_s is not None]
    assert stamps == pytest.approx([100.0 + i / 10 for i in range(20) if i not in (3, 7)], abs=1e-3)
    assert health.details == {"late_epochs": 2, "duplicate_epochs": 1}


def test_datagrams_of_a_clock_that_was_set_back_are_taken_from_the_third_on() -> None:
    inbox = LatencyInbox()
    feed, health = feed_of(inbox, datagrams=True)
    stamps = [100.0 + i / 10 for i in range(20)] + [100.0 + i / 10 for i in range(20)]
    for n, tod_s in enumerate(stamps):
        feed.feed(joined([rmc(tod_s)]), 50.0 + n / 10)
    assert health.details == {"late_epochs": 2}
    assert len(inbox.of("gnss")) == 38


def fixes(feed: NmeaFeed, from_s: float, count: int, hz: float) -> float:
    """Fixes at a rate, each received as it was sent; when the next one is due."""
    for i in range(count):
        feed.feed(joined([rmc(100.0 + from_s + i / hz)]), 500.0 + from_s + i / hz)
    return from_s + count / hz


def test_a_receiver_that_becomes_faster_is_less_late() -> None:
    inbox = LatencyInbox()
    feed, _ = feed_of(inbox)
    next_s = fixes(feed, 0.0, 5, 1.0)
    assert inbox.latency_s == {"gnss": 0.160}
    next_s = fixes(feed, next_s, 50, 25.0)
    assert inbox.latency_s == {"gnss": 0.160}, "a burst is no other rate"
    next_s = fixes(feed, next_s, 60, 25.0)
    assert inbox.latency_s == {"gnss": 0.042}
    fixes(feed, next_s, 12, 1.0)
    assert inbox.latency_s == {"gnss": 0.160}
    assert inbox.groups == ["gnss"], "it is the same stream"
    assert len(inbox.readings) == 5 + 50 + 60 + 12


def test_the_rate_is_learnt_anew_with_a_new_connection() -> None:
    inbox = LatencyInbox()
    feed, _ = feed_of(inbox)
    next_s = fixes(feed, 0.0, 100, 10.0)
    feed.begin()
    assert inbox.latency_s == {"gnss": 0.042}
    fixes(feed, next_s, 5, 1.0)
    assert inbox.latency_s == {"gnss": 0.160}


def test_the_latency_that_is_given_stays() -> None:
    inbox = LatencyInbox()
    stream = GnssStream(inbox, CHANNELS, "gnss", 0.0)
    for i in range(200):
        stream.put(100.0 + i / 10, 500.0 + i / 10, (None,) * len(CHANNELS))
    assert inbox.latency_s == {"gnss": 0.0}
