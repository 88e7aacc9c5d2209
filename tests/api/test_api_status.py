"""/status: one page that says how the daemon is and what to do, and the parts on request."""

from __future__ import annotations

import msgspec

from pitwall.api.summary import PARTS, StatusQuery, status_page, summary
from pitwall.contract.status import (
    Degradation,
    DiskStatus,
    PartStatus,
    PlayerState,
    ProcessStatus,
    SessionStatus,
    SourceStatus,
    Status,
    StatusSummary,
    StoreStatus,
    VoiceStatus,
)

BUSY = Status(
    process=ProcessStatus(version="1", pid=7, up_s=12.34),
    session=SessionStatus(life="flying", id="20260101-100000", track="sonoma", lap=3),
    sources=(
        SourceStatus(name="gnss", uri="nmea:/dev/ttyUSB0", state="up", readings=90, rate_hz=9.96, age_s=0.1),
        SourceStatus(name="car", uri="can:slcan", state="down", last_error="there is no /dev/ttyACM0"),
    ),
    degradations=(
        Degradation(name="audio", since_t=1.0, effect="not heard", reason="no device", mend="plug in"),
    ),
    store=StoreStatus(state="failing", last_error="No space left", shed=3, rebuilding=("a",)),
    disk=DiskStatus(free_bytes=5_000_000, floor_bytes=500_000_000),
    voice=VoiceStatus(
        heard=False, trouble="no sound device", clips=12, delay_s=0.06,
        player=PlayerState("text", True, "", 0, 0, 0, ""),
    ),
    parts=(PartStatus(name="api", state="up"),),
)  # fmt: skip


def test_the_summary_says_what_is_wrong_and_what_to_do() -> None:
    page = summary(BUSY)
    assert page.session.lap == 3
    assert page.sources == {
        "gnss": "up, 10.0 readings/s",
        "car": "down, nothing came yet, there is no /dev/ttyACM0",
    }
    assert page.sound == "text, not heard: no sound device, 60 ms to the ear, 12 clips"
    assert (
        page.store
        == "database failing, No space left, 3 rows shed, 1 sessions are to be rebuilt, 0.0 GB free"
    )
    assert page.lost == ("audio: no device - not heard",)
    assert page.to_do == ("audio: plug in", "source car: there is no /dev/ttyACM0")


def test_without_a_source_it_says_where_to_add_one() -> None:
    [told] = [line for line in summary(Status()).to_do if "[sources]" in line]
    assert "pitwall doctor" in told


def test_the_parts_that_were_asked_for_come_in_full_and_no_others() -> None:
    page = status_page(BUSY, StatusQuery(details="voice,parts"))
    assert page["details"] == {"voice": BUSY.voice, "parts": BUSY.parts}
    whole = status_page(BUSY, StatusQuery(details="all"))
    assert tuple(whole["details"]) == PARTS
    assert msgspec.convert(msgspec.to_builtins(whole), StatusSummary).details == BUSY
