"""What the commands share: a user's error, JSON on standard output, an opened store."""

from __future__ import annotations

import sys
from typing import Any

import msgspec


class UserError(Exception):
    """Something that the user can put right: printed as one line, exit code 2."""


def print_json(value: Any) -> None:
    """One line of JSON. Structs become objects; None becomes null; numbers keep every digit they have."""
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def lap_time(seconds: float | None) -> str:
    """A lap time as drivers read it, `1:51.937`; a dash for none."""
    if seconds is None:
        return "-"
    minutes, rest = divmod(round(seconds, 3), 60.0)
    return f"{int(minutes)}:{rest:06.3f}"
