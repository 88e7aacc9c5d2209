"""How the coach speaks: the driver's choice, before the drive or during it."""

from __future__ import annotations

from typing import Literal, get_args

Mode = Literal["learn", "coach", "numbers", "quiet"]
"""`learn`: a new track, corner by corner. `coach`: what costs time. `numbers`: lap times, deltas at sectors
and speeds at the apex. `quiet`: dangers and lost sources only."""

MODES: dict[str, Mode] = {mode: mode for mode in get_args(Mode)}
