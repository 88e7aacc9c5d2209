"""List what may be lost while driving: what each loss costs, and when the driver hears of it."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Literal

import msgspec

from pitwall.coach.policy import POLICY
from pitwall.contract.status import Degradation
from pitwall.telemetry.watch import GOOD_S
from pitwall.words.language import ENGLISH, Language

# Losses of one thing are reported ten seconds apart and twice a session; then once that it comes
# and goes.
APART_S, MOST_REPORTS = 10.0, 2
# A loss is reported after this time; of several at once, the worst.
REPORT_AFTER_S = 1.0
# A report waits at most this long for its turn to be spoken.
SAID_WITHIN_S = POLICY["status"].ttl_s

By = Literal["samples", "daemon"]


class DegradationRow(msgspec.Struct, frozen=True, kw_only=True):
    """A thing that may be lost.

    `by`: who notices. `lost`, `back`, `comes_and_goes`: keys of `words.en.FIXED`, "" where nothing
    is said. `covers`: losses that this one makes needless to report. `mend`: what a person can do.
    `told_after_s`: how long it lasts before it is reported.
    """

    name: str
    by: By
    effect: str
    mend: str
    lost: str = ""
    back: str = ""
    comes_and_goes: str = ""
    covers: tuple[str, ...] = ()
    told_after_s: float = REPORT_AFTER_S


# Least bad first; of several that begin at once the last one is reported.
TABLE: tuple[DegradationRow, ...] = (
    DegradationRow(
        name="settings",
        by="daemon",
        effect="the default counts for what is wrong there; a source that is wrong is left out",
        mend="correct what pitwall doctor names, then start pitwall run again",
    ),
    DegradationRow(
        name="words",
        by="daemon",
        effect="no corner is called until its words are rendered",
        mend="it renders them by itself; where that does not end, pitwall doctor",
    ),
    DegradationRow(
        name="phone",
        by="daemon",
        effect="the live page and LiteRT, then the tall signals are shed; never timing, never safety",
        mend="cool the phone, or plug it in",
        lost="phone_low",
        back="phone_back",
    ),
    DegradationRow(
        name="audio",
        by="daemon",
        effect="no sound: callouts are shown, not spoken",
        mend="connect a headset or the car's radio, then pitwall audio calibrate",
        back="audio_back",
    ),
    DegradationRow(
        name="headset",
        by="daemon",
        effect="the headset is off: callouts are shown; they count as not heard",
        mend="switch the headset on",
        lost="headset_lost",
        back="audio_back",
    ),
    DegradationRow(
        name="volume",
        by="daemon",
        effect="the volume is too low: callouts are shown; they count as not heard",
        mend="turn the media volume up",
        back="audio_back",
    ),
    DegradationRow(
        name="call",
        by="daemon",
        effect="in a call Android may mute callouts: they are shown, and count as not heard",
        mend="end the call",
        back="audio_back",
    ),
    DegradationRow(
        name="crew",
        by="daemon",
        effect="the pit wall shows old data, and nobody there can speak to you",
        mend="check the network of the pits, or open the pit wall's page again",
    ),
    DegradationRow(
        name="disk",
        by="daemon",
        effect="sessions with a copy elsewhere are removed, the oldest first; never one without",
        mend="make room: export sessions with pitwall export, or delete files",
        lost="disk_low",
        back="disk_back",
    ),
    DegradationRow(
        name="store",
        by="daemon",
        effect="the coach goes on; what can't be kept is shed and counted",
        mend="check the disk: pitwall doctor",
        lost="store_lost",
        back="store_back",
    ),
    DegradationRow(
        name="imu",
        by="samples",
        effect="lateral and longitudinal g come from GPS",
        mend="check the sensor app of the phone",
        lost="imu_lost",
        back="imu_back",
        comes_and_goes="imu_flaky",
    ),
    DegradationRow(
        name="can",
        by="samples",
        effect="what pedals and gear tell is missing; the coach goes on by GPS",
        mend="check the CAN adapter's plug, then pitwall doctor",
        lost="can_lost",
        back="can_back",
        comes_and_goes="can_flaky",
    ),
    DegradationRow(
        name="gps",
        by="samples",
        effect="dead reckoning up to 5 s, then lap timing is paused",
        mend="check the receiver's plug and its view of the sky",
        lost="gps_lost",
        back="gps_back",
        comes_and_goes="gps_flaky",
        # A shorter hole costs nothing: places and crossings are reckoned through it.
        told_after_s=3.0,
        # Both come from the phone; this one costs laps.
        covers=("imu",),
    ),
    DegradationRow(
        name="sources",
        by="samples",
        effect="nothing is called, lap timing is paused",
        mend="check the plugs and the [sources] of the settings, then pitwall doctor",
        lost="data_lost",
        back="data_back",
        comes_and_goes="data_flaky",
        covers=("can", "imu", "gps"),
    ),
)
# While one of these lasts, what is played is not heard.
ROUTED = ("headset", "volume", "call")
SOUND = ("audio", *ROUTED)
ROWS: dict[str, DegradationRow] = {row.name: row for row in TABLE}


class Standing(msgspec.Struct):
    """The state of one loss. `since_t` None: not lost. `knows`: what the driver heard last;
    "perhaps lost" where nobody may have heard it: then it is repeated while it lasts."""

    row: DegradationRow
    since_t: float | None = None
    reason: str = ""
    knows: Literal["nothing", "perhaps lost", "lost"] = "nothing"
    back_t: float | None = None
    told_t: float = float("-inf")
    back_told_t: float = float("-inf")
    times_told: int = 0


class Degradations:
    """Tracks current losses and what the driver has to hear. Pure data time."""

    def __init__(self) -> None:
        self._standing = {row.name: Standing(row) for row in TABLE}
        # Nothing is lost, and no recovery is due.
        self._quiet = True

    def lost(self, name: str, t: float, reason: str) -> None:
        """Note a loss since `t`."""
        one, self._quiet = self._standing[name], False
        if one.since_t is None:
            one.since_t, one.reason = t, reason

    def back(self, name: str, t: float) -> None:
        """Note that this has been good for two seconds."""
        one = self._standing[name]
        if one.since_t is not None:
            if name in ROUTED:
                self.unheard(one.since_t, but=name, until_t=t)
            one.since_t, one.back_t = None, t

    def why_unheard(self) -> str:
        """Say why nobody hears what is played, "" while the driver does."""
        lost = [self._standing[name] for name in SOUND]
        return next((one.reason or one.row.name for one in lost if one.since_t is not None), "")

    def unheard(self, since_t: float, but: str = "", until_t: float = -math.inf) -> None:
        """Repeat what was said since then, where it still holds: nobody heard it."""
        for one in self._standing.values():
            if one.told_t <= since_t - SAID_WITHIN_S or one.row.name == but:
                continue
            if one.told_t >= since_t:  # he surely knows what he knew before
                one.knows = "perhaps lost" if one.since_t is None and one.knows == "nothing" else "nothing"
            elif one.since_t is None or one.knows == "lost":
                one.knows = "perhaps lost"
            one.told_t, self._quiet = max(one.told_t, since_t, until_t), False
            one.back_told_t = max(one.back_told_t, one.told_t)

    def due(self, t: float, moving: bool, returning: Collection[str] = ()) -> tuple[str, str] | None:
        """Return (phrase key, reason) to say now, or None: on the move, not while `returning`."""
        if self._quiet:
            return None
        self._quiet = all(one.since_t is None and one.knows == "nothing" for one in self._standing.values())
        for one in reversed(self._standing.values()):
            if one.since_t is None:
                if one.knows != "nothing" and t - one.back_told_t >= APART_S:
                    one.knows, one.told_t, one.back_told_t = "nothing", t, t
                    return one.row.back, f"{one.row.name} good for {GOOD_S:.0f} s"
            elif t - one.told_t < APART_S:
                continue
            elif one.knows != "lost" and one.row.name not in returning and self._is_news(one, t, moving):
                report = self._tell_loss(one, t)
                if report is not None:
                    return report
        return None

    def _tell_loss(self, one: Standing, t: float) -> tuple[str, str] | None:
        again = one.knows == "perhaps lost"
        if one.row.comes_and_goes and one.times_told >= MOST_REPORTS and not again:
            first, one.times_told = one.times_told == MOST_REPORTS, MOST_REPORTS + 1
            if not first:
                return None
            one.told_t = t
            return one.row.comes_and_goes, f"{one.row.name}: lost for the third time: {one.reason}"
        one.knows = "lost"
        if not one.row.lost:
            return None
        one.told_t, one.times_told = t, one.times_told + (not again)
        return one.row.lost, f"{one.row.name}: {one.reason}"

    def status(self, *, kept: bool, words: Language = ENGLISH) -> tuple[Degradation, ...]:
        """Return the losses for /status. `kept`: a session is open, so its time says since when."""
        standing = self.standing()
        return tuple(
            Degradation(
                name=one.row.name,
                since_t=one.since_t if kept else None,
                effect=one.row.effect,
                reason=words.in_units(one.reason),
                mend=one.row.mend,
                told=words.fixed[one.row.lost] if one.row.lost else one.row.effect,
                covered=any(one.row.name in other.row.covers for other in standing),
            )
            for one in standing
        )

    def standing(self) -> list[Standing]:
        """Return what is lost now, in the order of the table."""
        return [one for one in self._standing.values() if one.since_t is not None]

    def _is_news(self, one: Standing, t: float, moving: bool) -> bool:
        """Return whether to report a loss now; one whose end alone has words counts as reported."""
        if not (one.row.lost or one.row.back) or one.since_t is None or not moving:
            return False
        since_t = one.since_t
        for other in self._standing.values():
            if one.row.name in other.row.covers:
                if other.since_t is not None:
                    return False
                # What came back together comes back one sample after the other.
                since_t = max(since_t, other.back_t if other.back_t is not None else since_t)
        return t - since_t >= one.row.told_after_s
