"""What is handed over is kept: in the right table, once, and read back the same."""

from __future__ import annotations

from pathlib import Path

import driven_home as driven
import msgspec
import pytest

from pitwall.config import Home
from pitwall.store import queries
from pitwall.store.errors import StoreError
from pitwall.store.store import Store, digest_of, recover
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.track.lap import Lap, Position


def test_rows_laps_passes_and_cues_come_back_after_a_restart(home: Home) -> None:
    with Store(home) as store:
        assert store.open().lines == []
        driven.write_session(store, "one", 1000)
    with Store(home) as store:
        assert store.open().lines == []
        assert driven.missing_rows(store, "one") == {}
        laps = queries.laps(store, "one")
        assert laps == [Lap(n, "flying", n - 1.0, float(n), 1.0, (0.5, None)) for n in range(1, 10)]
        assert queries.corner_passes(store, "one") == [driven.corner_pass(n) for n in range(1, 10)]
        assert queries.cues(store, "one") == [driven.ledger_line(n) for n in range(0, 1000, 50)]
        (row,) = queries.sessions(store)
        assert (row.id, row.samples, row.complete, row.laps, row.best_lap_s) == ("one", 1000, True, 9, 1.0)


def test_a_frame_keeps_every_field_and_its_place(home: Home) -> None:
    values = [float(number) + 0.125 for number in range(20)]
    frame = Frame(7.5, *values, fix_age_s=0.25, g_from_gps=True)
    place = Position(7.5, 1234.5, -1.5, "reckoned")
    with driven.opened(home) as store:
        writer = driven.begun(store, lossless=True)
        writer.row(writer.keep(driven.sample(1)), frame, place, 3)
        # Used again by the caller, as the in-drive path may: what was handed over stays what it was.
        frame.speed_mps, place.distance_m = -1.0, -1.0
        writer.close()
        ((read, where),) = list(queries.lap_trace(store, "one", Lap(3, "flying", 0.0, 10.0, 10.0)))
    assert msgspec.structs.astuple(read) == (7.5, *values, 0.25, True)
    assert where == Position(7.5, 1234.5, -1.5, "reckoned")


def test_blank_values_are_no_rows_and_one_channel_is_enough(home: Home) -> None:
    single = Stream(1, "can", (Channel("oil_level", "mm", "OIL"),))
    with driven.opened(home) as store:
        writer = driven.begun(store, lossless=True)
        writer.keep_stream(single)
        writer.row_stream(single)
        writer.row(writer.keep(Sample(0, 0.0, (None, None, 12.5, None))), None, None, 0)
        writer.row(writer.keep(Sample(1, 0.1, (4.25,))), None, None, 0)
        writer.close()
        rows = store.cursor().execute(
            "SELECT r.source, r.label, s.t, s.value FROM signals s "
            "JOIN signal_registry r ON r.id = s.signal ORDER BY t"
        )
        assert rows.fetchall() == [("test car", "Battery Voltage", 0.0, 12.5), ("can", "OIL", 0.1, 4.25)]


def test_a_lap_trace_reaches_over_both_gates(home: Home) -> None:
    with driven.opened(home) as store:
        driven.write_session(store, "one", 600)
        trace = list(queries.lap_trace(store, "one", Lap(3, "flying", 2.01, 2.99, 0.98)))
    times = [frame.t for frame, _ in trace]
    assert (times[0], times[-1]) == (2.0, 3.0)
    assert times == sorted(times)
    assert len(times) == 51


def test_what_a_session_cannot_store_does_not_stop_the_rest(home: Home) -> None:
    with driven.opened(home) as store:
        writer = driven.begun(store, 200)
        writer.lap(Lap("nine", "flying", 0.0, 1.0, 1.0))  # type: ignore[arg-type]
        driven.go_on(writer, 200, 400)
        writer.close()
        assert store.stats().shed == 1
        assert "nine" in store.stats().last_error
        assert driven.missing_rows(store, "one") == {}
    with Store(home) as store:
        # The next start tries once more, for it may have been the database that was wrong.
        assert [item.reason for item in store.open().pending] == ["rows of 1 samples were shed while driving"]
        recover(store, driven.rebuild)
    with Store(home) as store:
        assert store.open().pending == []


def test_importing_the_same_content_twice_finds_the_first(home: Home, tmp_path: Path) -> None:
    file, copy = tmp_path / "a.vbo", tmp_path / "b.vbo"
    file.write_bytes(b"[header]\n" * 1000)
    copy.write_bytes(file.read_bytes())
    digest = digest_of(file)
    assert digest == digest_of(copy)
    with driven.opened(home) as store:
        assert store.find_import(digest) is None
        session = store.new_id(1.7e9)
        writer = store.begin(driven.meta(session, kind="import", source_digest=digest), lossless=True)
        writer.close()
        assert store.find_import(digest_of(copy)) == session
        assert store.new_id(1.7e9) != session, "the id is taken"


def test_a_broken_off_import_gives_way_to_the_next(home: Home) -> None:
    with driven.opened(home) as store:
        driven.begun(store, 50, "half", lossless=True, kind="import", source_digest="abc")
        store.flush()
    with Store(home) as store:
        (aside,) = store.open().set_aside
        assert aside.reason == "is of an import that was broken off: import that file again"
        assert (store.pending, queries.sessions(store)) == ([], [])
        assert Path(aside.kept_as).name == "half.pwj"
    with Store(home) as store:
        assert store.open().lines == []


def test_sessions_are_found_by_the_beginning_of_their_name(home: Home) -> None:
    with driven.opened(home) as store:
        with pytest.raises(StoreError, match="no sessions yet"):
            queries.resolve_session(store, "last")
        for session, created in (("2025-a", 3.0), ("2025-b", 1.0), ("2024-c", 2.0)):
            store.begin(driven.meta(session, created_utc_s=created), lossless=True).close()
        assert queries.resolve_session(store, "last") == "2025-a"
        assert queries.resolve_session(store, "2024") == "2024-c"
        assert queries.resolve_session(store, "2025-b") == "2025-b"
        with pytest.raises(StoreError, match="several sessions: 2025-b, 2025-a"):
            queries.resolve_session(store, "2025")
        with pytest.raises(StoreError, match="no session '1999'; there are: 2025-b, 2024-c, 2025-a"):
            queries.resolve_session(store, "1999")


def test_a_session_name_cannot_leave_the_folder(home: Home) -> None:
    with driven.opened(home) as store:
        for bad in ("../evil", "a/b", "/tmp/x", ""):
            with pytest.raises(StoreError, match="can't name a session"):
                store.begin(driven.meta(bad), lossless=True)
        store.begin(driven.meta("one"), lossless=True).close()
        with pytest.raises(StoreError, match="exists already"):
            store.begin(driven.meta("one"), lossless=True)
