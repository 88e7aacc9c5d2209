"""What a person said of a session, and where it was driven, outlives changes and a damaged database."""

from __future__ import annotations

import zipfile
from pathlib import Path

import msgspec
from driven_home import meta, opened, write_session

from pitwall.api.changes import import_recording
from pitwall.config import Home
from pitwall.contract.changes import Aim
from pitwall.store import queries
from pitwall.store.edits import MOST_MARKS, MOST_TAGS, SessionEdit, aim_of, edit_of, put_aim, put_edit
from pitwall.telemetry.recordings.journal import HEADER, JournalRecording, SessionMeta, encode_record


def test_an_edit_is_written_over_the_one_before_it(home: Home) -> None:
    with opened(home) as store:
        assert edit_of(store, "a") == SessionEdit(session="a")
        put_edit(store, SessionEdit(session="a", name="wet", tags=("rain", "no ABS")))
        put_edit(store, SessionEdit(session="b", track=""))
        put_edit(store, SessionEdit(session="a", name="wet", driven_utc_s=1.5, track="sonoma"))
        said = SessionEdit(session="a", name="wet", driven_utc_s=1.5, track="sonoma")
        assert edit_of(store, "a") == said
        assert edit_of(store, "b").track == ""


def test_a_session_being_driven_has_its_place_at_once(home: Home) -> None:
    with opened(home) as store:
        writer = store.begin(meta("a", track="", options={"time_of_day_s": "50580.5"}), lossless=False)
        writer.place("sonoma", 38.16, -122.46, "5eed")
        store.flush()
        sql = "SELECT track, lat_deg, lon_deg, place_stamp, time_of_day_s, same_as FROM sessions"
        assert store.cursor().execute(sql).fetchall() == [("sonoma", 38.16, -122.46, "5eed", 50580.5, "")]


def test_a_bundle_with_days_and_words_of_no_drive_is_listed_plainly(tmp_path: Path) -> None:
    """Its journal begins in the year 3e292, and so says whoever sent it, in 3,000 coloured tags."""
    path = tmp_path / "evil.pitwall"
    with opened(Home(tmp_path / "mine")) as mine:
        write_session(mine, "one", 50)
    never = meta("one", options={"time_of_day_s": "1e300"})
    msgspec.structs.force_setattr(never, "start_utc_s", 1e300)
    header, *rest = JournalRecording(mine.home.journals / "one.pwj").records()
    assert isinstance(header[1], SessionMeta)
    tags = [f"\x1b[31mred\u202e\n{number}" for number in range(3000)]
    edit = {
        "session": "one",
        "tags": tags,
        "driven_utc_s": 1e300,
        "marks": [{"t": 0.0, "mark": "mark"}] * 5000,
    }
    told = {"pitwall_bundle": 1, "session": "one", "edit": edit}
    with zipfile.ZipFile(path, "w") as archive:
        encoded = [encode_record(header[0], never), *(encode_record(*each) for each in rest)]
        archive.writestr("journal.pwj", HEADER + b"".join(encoded))
        archive.writestr("bundle.json", msgspec.json.encode(told))
    with opened(Home(tmp_path / "other")) as other:
        import_recording(other, path)
        [row] = queries.sessions(other)
        assert queries.when_driven(row) == queries.DAY_UNKNOWN
        assert len(row.tags) == MOST_TAGS
        assert all(tag.isprintable() for tag in row.tags)
        assert len(edit_of(other, row.id).marks) == MOST_MARKS


def test_the_last_session_is_the_one_driven_last_or_one_without_a_day_that_was_stored_last(
    home: Home,
) -> None:
    def last(*drives: tuple[str, float | None, float]) -> str:
        with opened(home) as store:
            for name, driven_utc_s, stored_utc_s in drives:
                write_session(store, name, 20)
                sql = "UPDATE sessions SET start_utc_s = ?, created_utc_s = ? WHERE id = ?"
                store.cursor().execute(sql, [driven_utc_s, stored_utc_s, name])
            return queries.resolve_session(store, "last")

    assert last(("dated", 100.0, 1.0), ("older", 50.0, 2.0)) == "dated"
    assert last(("undated", None, 3.0)) == "undated"
    assert last(("oldest", 20.0, 4.0)) == "dated"


def test_a_goal_is_kept_changed_and_taken_back(home: Home) -> None:
    with opened(home) as store:
        put_aim(store, "sonoma", Aim(105.0, "2027-08"))
        put_aim(store, "sonoma", Aim(104.5))
        put_aim(store, "lignano", Aim(80.0))
        put_aim(store, "lignano", None)
    home.database.unlink()
    with opened(home) as store:
        assert aim_of(store, "sonoma") == Aim(104.5), "the database is made again of the home's journal"
        assert aim_of(store, "lignano") is None
