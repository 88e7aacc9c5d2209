"""Types of the pit wall: links, devices, and what the crew says to the driver."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Role = Literal["view", "crew"]
Said = Literal["box", "box_now", "push", "save_fuel", "yellow", "red", "traffic", "target", "line"]
# A line of the crew's own: a driver takes in eight words on a straight.
MOST_WORDS, MOST_LETTERS = 8, 80
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[\w .'-]+$")]


class WallAsk(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asks for a link. `name`: its owner's; the ledger keeps it with each message."""

    role: Role = "view"
    name: Name = "pit wall"


class WallSwitch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Switches the pit wall on or off, for this start of the daemon and the next ones."""

    on: bool


class WallLink(msgspec.Struct, frozen=True):
    """A link that lets one device in, once. `qr`: rows of 0 and 1, with the quiet zone."""

    link: str
    role: Role
    name: str
    good_for_s: float
    qr: tuple[str, ...] = ()


class WallDevice(msgspec.Struct, frozen=True):
    """A device that was let in. `secret`: the SHA-256 of its cookie; never shown."""

    id: str
    role: Role
    name: str
    since_utc_s: float
    secret: str = ""


class WallOwned(msgspec.Struct, frozen=True):
    """The pit wall as its owner sees it. `trouble`: why it can't be reached, "" where it can."""

    on: bool
    trouble: str
    devices: tuple[WallDevice, ...]


class WallForget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Shuts a device out: its id, or "all"."""

    id: Annotated[str, msgspec.Meta(max_length=40)]


class WallCode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The code of a link."""

    code: Annotated[str, msgspec.Meta(max_length=100)]


class CrewMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to the driver. The same `id` twice is one message. `pressed_s`: by
    `WallState.now_s`. `target_s`: of "target" only; `line`: of "line" only."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16,32}$")]
    says: Said
    pressed_s: float
    target_s: Annotated[float, msgspec.Meta(ge=5.0, le=3600.0)] | None = None
    line: Annotated[str, msgspec.Meta(max_length=MOST_LETTERS)] = ""


class CrewLine(msgspec.Struct, frozen=True, kw_only=True):
    """A message and what became of it. `ended`: as the ledger says it, "" while it waits."""

    id: str
    says: Said
    by: str
    sent_utc_s: float
    text: str = ""
    ended: str = ""
    why: str = ""
    understood_utc_s: float | None = None


class WallLap(msgspec.Struct, frozen=True):
    """A lap on the wall; `gap_s`: behind the best that counts."""

    number: int
    kind: str
    time_s: float | None
    sectors_s: tuple[float | None, ...]
    gap_s: float | None


class WallFigure(msgspec.Struct, frozen=True):
    """A figure that the crew watches. `limit`: None: the crew sets its own. `above`: too high is
    bad."""

    name: str
    value: float
    unit: str
    limit: float | None
    above: bool


class WallLine(msgspec.Struct, frozen=True):
    """The line of a track in metres, a point each `step_m`. `title`: the track's name."""

    track: str
    line: tuple[tuple[float, float], ...]
    step_m: float
    title: str = ""


class WallState(msgspec.Struct, frozen=True, kw_only=True):
    """All that a device sees. `now_s`: the phone's monotonic clock. `distance_m`: along the
    line; None while the car sends nothing."""

    now_s: float
    role: Role
    name: str
    car: str
    life: str
    track: str
    lap: int
    best_s: float | None
    last_s: float | None
    said: str
    laps: tuple[WallLap, ...]
    messages: tuple[CrewLine, ...]
    speed_mps: float | None = None
    distance_m: float | None = None
    figures: tuple[WallFigure, ...] = ()
    battery_pct: float | None = None
    heat: str = ""
    phone_age_s: float | None = None
    troubles: tuple[str, ...] = ()
