"""What a person said of a session, and where it was driven, outlives changes and a damaged database."""

from __future__ import annotations

from driven_home import meta, rebuild, write_session

from pitwall.config import Home
from pitwall.store.edits import SessionEdit, edit_of, put_edit
from pitwall.store.store import Store, recover


def test_an_edit_is_written_over_the_one_before_it(home: Home) -> None:
    with Store(home) as store:
        store.open()
        assert edit_of(store, "a") == SessionEdit(session="a")
        put_edit(store, SessionEdit(session="a", name="wet", tags=("rain", "no ABS")))
        put_edit(store, SessionEdit(session="b", track=""))
        put_edit(store, SessionEdit(session="a", name="wet", driven_utc_s=1.5, track="sonoma"))
        said = SessionEdit(session="a", name="wet", driven_utc_s=1.5, track="sonoma")
        assert edit_of(store, "a") == said
        assert edit_of(store, "b").track == ""


def test_edits_are_carried_over_from_a_damaged_database(home: Home) -> None:
    said = SessionEdit(session="a", name="wet", tags=("rain",), driven_utc_s=1.5, track="sonoma")
    with Store(home) as store:
        store.open()
        write_session(store, "a", 300)
        put_edit(store, said)
    with home.database.open("ab") as file:
        file.write(b"\0")
    with Store(home) as store:
        report = store.open()
        assert report.set_aside
        recover(store, rebuild)
        assert edit_of(store, "a") == said


def test_a_session_being_driven_has_its_place_at_once(home: Home) -> None:
    with Store(home) as store:
        store.open()
        writer = store.begin(meta("a", track="", options={"time_of_day_s": "50580.5"}), lossless=False)
        writer.place("sonoma", 38.16, -122.46, "5eed")
        store.flush()
        sql = "SELECT track, lat_deg, lon_deg, place_stamp, time_of_day_s, same_as FROM sessions"
        assert store.cursor().execute(sql).fetchall() == [("sonoma", 38.16, -122.46, "5eed", 50580.5, "")]
