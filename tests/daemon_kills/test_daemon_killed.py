"""kill -9 of the daemon again and again while three senders push and a car drives.

PITWALL_KILLS says how often.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from contextlib import closing

import pytest
from kill_pushers import SAMPLES_A_BATCH, Senders
from running_daemon import DEMO, ROOT, Daemon, write_settings

from pitwall.config import Home
from pitwall.drive.rebuild import rebuilder
from pitwall.store.journal_check import check_journal
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.journal import BatchRecord, JournalRecording, SampleRecord

KILLS = int(os.environ.get("PITWALL_KILLS", "3"))
# Every so often it is killed before it is ready.
STARTS_BROKEN_OFF = 5
SENDERS = 3
WITHIN_S = 60.0


@pytest.mark.long
def test_nothing_acknowledged_is_lost_or_doubled(home: Home) -> None:
    write_settings(home, {"car": f"replay:{DEMO}?live=true&speed=10"})
    senders = Senders(SENDERS)
    try:
        for number in range(KILLS):
            if number % STARTS_BROKEN_OFF == STARTS_BROKEN_OFF - 1:
                break_off_a_start(home, (number // STARTS_BROKEN_OFF) % 2 == 0)
                continue
            with Daemon(home) as daemon:
                senders.daemon_is_at(daemon.address, daemon.token)
                # Never at the same place of a batch: after 1 to 11 acknowledgements of any sender.
                assert senders.wait_for(1 + number * 7 % 11, WITHIN_S), daemon.log
                assert not senders.mistakes
                daemon.kill()
                senders.daemon_is_at("", "")
        with Daemon(home) as daemon:
            senders.daemon_is_at(daemon.address, daemon.token)
            senders.stop()
            assert daemon.end() == 0
    finally:
        senders.give_up()
    assert not senders.mistakes
    assert senders.sent == senders.acked
    assert senders.sent_again >= KILLS // 2
    in_journals, batches = counted_in_journals(home)
    wanted = Counter(number + i for number in senders.acked for i in range(SAMPLES_A_BATCH))
    assert in_journals == wanted
    assert set(batches.values()) == {1}
    assert len(batches) == len(senders.acked)
    assert counted_in_database(home) == wanted


def break_off_a_start(home: Home, early: bool) -> None:
    """kill -9 as soon as it says something: the store is opened then, or has just been."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pitwall", "-v", "run"],
        env={**os.environ, "PITWALL_HOME": str(home.root)},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if not early else subprocess.PIPE,
    )
    told = process.stderr if early else process.stdout
    assert told is not None
    assert told.readline()
    process.kill()
    process.communicate()


def counted_in_journals(home: Home) -> tuple[Counter[int], Counter[str]]:
    """How often each serial number, and each batch, is in the journals as they lie there."""
    serials: Counter[int] = Counter()
    batches: Counter[str] = Counter()
    for path in home.journals.glob("*.pwj"):
        if check_journal(path).last_seq < 0:
            continue  # a full disk left no room for its first record; the next start sets it aside
        recording = JournalRecording(path)
        column = {
            stream.id: names.index("serial")
            for stream in recording.info.streams
            if "serial" in (names := [channel.name for channel in stream.channels])
        }
        for _, record in recording.records():
            if isinstance(record, BatchRecord):
                batches[record.id] += 1
            elif isinstance(record, SampleRecord) and record.stream in column:
                value = record.values[column[record.stream]]
                assert value is not None
                serials[int(value)] += 1
    return serials, batches


def counted_in_database(home: Home) -> Counter[int]:
    """How often each serial number is in DuckDB after the next start has looked after what was left."""
    with Store(home) as store:
        store.open()
        recover(store, rebuilder(home, store))
        with closing(store.cursor()) as con:
            found = con.execute(
                "SELECT value::BIGINT FROM signals s JOIN signal_registry r ON s.signal = r.id "
                "WHERE r.name = 'serial'"
            ).fetchall()
    return Counter(value for (value,) in found)
