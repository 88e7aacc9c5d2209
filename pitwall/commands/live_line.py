"""The live line of a replay: lap, corner, delta, and what is being said."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pitwall.commands.common import lap_time

if TYPE_CHECKING:
    from pitwall.drive.replay import Replay

REFRESH_PER_S = 8


class LiveLine:
    """A context: while it is open, the last line of the terminal shows where the car is."""

    def __init__(self, replay: Replay, saying: Callable[[float], str]) -> None:
        self._replay, self._saying = replay, saying
        self._live = Live(console=Console(), get_renderable=self._line, refresh_per_second=REFRESH_PER_S)

    def __enter__(self) -> LiveLine:
        self._live.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.__exit__(None, None, None)

    def _line(self) -> Text:
        state = self._replay.state
        delta = "" if state.delta_s is None else f"{state.delta_s:+.2f} s"
        speed = "" if state.speed_mps is None else f"{state.speed_mps * 3.6:3.0f} km/h"
        words = self._saying(state.t)
        return Text.assemble(
            (f" lap {state.lap} ", "bold"),
            f"{lap_time(state.lap_elapsed_s):>9}  {speed}  ",
            (f"{self._replay.corner or state.status:<12}", "cyan"),
            (f"{delta:>9}", "red" if (state.delta_s or 0.0) > 0 else "green"),
            f"   best {lap_time(state.best_s)}   ",
            (f"“{words}”" if words else "", "bold yellow"),
        )
