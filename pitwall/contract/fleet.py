"""What the daemon and the process that pushes sessions into a lake say to each other, as msgpack."""

from __future__ import annotations

import msgspec


class Due(msgspec.Struct, frozen=True):
    """A session that may have to be pushed: whose it is (the pseudonym, and the name that is taken out of its
    texts), and a digest of what its rows are made from."""

    session: str
    driver: str
    name: str
    source: str


# Daemon to the process that pushes.


class PushBegin(msgspec.Struct, frozen=True, kw_only=True, tag="begin"):
    """The first message. `home`: where what is on its way is kept. `again`: also who was forgotten there."""

    home: str
    lake: str
    car_class: str
    again: bool
    due: tuple[Due, ...]


class PushMaterial(msgspec.Struct, frozen=True, tag="material"):
    """A session's material: a file of msgpack, which the reader takes away; "" with the reason for none."""

    file: str
    why: str = ""


ToPusher = PushBegin | PushMaterial

# And back.


class PushWanted(msgspec.Struct, frozen=True, tag="wanted"):
    """How many sessions the lake lacks, and how many it has."""

    lacking: int
    there: int


class PushAsks(msgspec.Struct, frozen=True, tag="asks"):
    """This session's material is wanted: `PushMaterial` is the answer."""

    session: str


class PushSent(msgspec.Struct, frozen=True, tag="sent"):
    """A session is in the lake; or `why` it is not, and the next one goes on."""

    session: str
    bytes: int
    why: str = ""


class PushOver(msgspec.Struct, frozen=True, tag="over"):
    """Nothing more comes. `why`: the lake can't be used; `away`: it may be later."""

    why: str = ""
    away: bool = False


FromPusher = PushWanted | PushAsks | PushSent | PushOver
