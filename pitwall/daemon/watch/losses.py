"""What is lost outside the samples: the store, the disk, the sound, the phone. Watched all the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pitwall.telemetry.watch import GOOD_S


class Watched:
    """One thing that is good or bad when looked at: lost at once, back after two good seconds."""

    def __init__(self, name: str, look: Callable[[], str]) -> None:
        """`look` returns what is wrong, "" while nothing is."""
        self.name, self.look = name, look
        self.why = ""
        self._good_since: float | None = None

    def turn(self, now_s: float) -> bool | None:
        """True: lost just now, False: back just now, None: as it was."""
        wrong = self.look()
        if wrong:
            self._good_since = None
            if self.why:
                return None
            self.why = wrong
            return True
        if not self.why:
            return None
        self._good_since = now_s if self._good_since is None else self._good_since
        if now_s - self._good_since < GOOD_S:
            return None
        self.why, self._good_since = "", None
        return False


class Losses:
    """Everything that is watched, by its name in the degradation table."""

    def __init__(self) -> None:
        self._watched: dict[str, Watched] = {}

    def watch(self, name: str, look: Callable[[], str]) -> None:
        """Watch one more thing. `look` returns what is wrong, "" while nothing is."""
        self._watched[name] = Watched(name, look)

    def why(self, name: str) -> str:
        """Why this is lost now, "" while it is not."""
        return self._watched[name].why

    def standing(self) -> dict[str, str]:
        """What is lost now, and why."""
        return {name: watched.why for name, watched in self._watched.items() if watched.why}

    def turned(self, now_s: float) -> Iterator[tuple[str, str]]:
        """Look at everything. Gives each name that was lost just now and why; "" for what is back."""
        for name, watched in self._watched.items():
            if watched.turn(now_s) is not None:
                yield name, watched.why
