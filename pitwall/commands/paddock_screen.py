"""How an answer looks while it is made: a live line on a terminal, the bare answer in a pipe, JSON lines."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator
from typing import Protocol

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pitwall.commands.common import note, plain, print_json, say
from pitwall.commands.paddock_access import Paddock
from pitwall.contract.events import (
    AgentActive,
    Answer,
    Content,
    Done,
    Error,
    Event,
    Progress,
    Routed,
    Token,
    ToolEnd,
    ToolStart,
    told,
)
from pitwall.contract.questions import Asked

REFRESH_PER_S = 8
# What fits above the fold of a phone's terminal; the whole checked text follows.
_GROWING_CHARS = 600
_TIERS = {"rule": "composed on this machine", "litert": "said by the model on this machine"}


class Screen(Protocol):
    """Takes the events of one answer. A context; leaving it leaves the terminal clean."""

    def __enter__(self) -> Screen: ...

    def __exit__(self, *error: object) -> None: ...

    def take(self, event: Event) -> None: ...


async def answered(paddock: Paddock, asked: Asked, *, as_json: bool) -> int:
    """Ask, show, and give the exit code: 1 where no answer came to its end."""
    screen: Screen = JsonLines() if as_json else LiveAnswer() if sys.stdout.isatty() else Plain()
    async with paddock.asking(asked) as events:
        with screen:
            done = await _shown(events, screen)
    if done is None:
        return 1
    if not as_json:
        _tell(done.answer)
    return 0


async def _shown(events: AsyncIterator[Event], screen: Screen) -> Done | None:
    done: Done | None = None
    async for event in events:
        screen.take(event)
        done = event if isinstance(event, Done) else done
    return done


def marks(answer: Answer) -> list[str]:
    """What must be said beside an answer: its tier and why, what it had to do without, what nothing backs."""
    found = []
    if answer.tier in _TIERS:
        why = answer.why.rstrip(".")
        because = f": {why[0].lower()}{why[1:]}" if why else ""
        found.append(f"({_TIERS[answer.tier]}{because})")
    if answer.unverified:
        found.append("(unverified: the data that this needs was never looked at)")
    if answer.missing:
        found.append(f"(without: {'; '.join(answer.missing)})")
    if answer.unbacked:
        found.append(f"(in no data: {', '.join(answer.unbacked)})")
    return found


class JsonLines:
    """Every event as a line of JSON, as the API sends it."""

    def __enter__(self) -> JsonLines:
        return self

    def __exit__(self, *error: object) -> None:
        return

    def take(self, event: Event) -> None:
        print_json(event)


class Plain:
    """Nothing but what is left to say: see `Afterwards`."""

    def __init__(self) -> None:
        self._afterwards = Afterwards()

    def __enter__(self) -> Plain:
        return self

    def __exit__(self, *error: object) -> None:
        self._afterwards.tell()

    def take(self, event: Event) -> None:
        self._afterwards.take(event)


class Afterwards:
    """What outlasts the live line, on standard error: what went wrong, and what comes after the answer."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._answered = False

    def take(self, event: Event) -> None:
        self._answered = self._answered or isinstance(event, Content)
        if isinstance(event, Error) or (self._answered and isinstance(event, Progress)):
            self._lines.append(event.text)

    def tell(self) -> None:
        for line in self._lines:
            note(line)


class LiveAnswer:
    """The last lines of the terminal: who works on it, with what, since when, and the words as they come."""

    def __init__(self) -> None:
        self._who, self._doing, self._words, self._attempt = "the paddock", "starting", "", 0
        self._afterwards = Afterwards()
        self._since_s = time.monotonic()
        self._live = Live(
            console=Console(highlight=False, markup=False),
            get_renderable=self._lines,
            refresh_per_second=REFRESH_PER_S,
            transient=True,
        )

    def __enter__(self) -> LiveAnswer:
        self._live.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.__exit__(None, None, None)
        self._afterwards.tell()

    def take(self, event: Event) -> None:
        self._afterwards.take(event)
        match event:
            case Routed(agent) | AgentActive(agent):
                self._who, self._doing = agent, "thinking"
            case ToolStart(agent, tool):
                self._who, self._doing = agent, f"{tool} ..."
            case ToolEnd(agent, tool, ok):
                self._who, self._doing = agent, f"{tool} {'read' if ok else 'gave nothing'}"
            case Progress(text):
                self._doing = text
            case Token(agent, text, attempt):
                words = "" if attempt > self._attempt else self._words
                self._who, self._attempt, self._words = agent, attempt, words + plain(text)

    def _lines(self) -> Text:
        line = Text.assemble(
            (f" {self._who} ", "bold cyan"),
            (self._doing, "yellow"),
            (f"  {time.monotonic() - self._since_s:.1f} s", "dim"),
        )
        return Text("\n").join([line, Text(self._words[-_GROWING_CHARS:])]) if self._words else line


def _tell(answer: Answer) -> None:
    terminal = sys.stdout.isatty()
    say(told(answer.text, answer.unverified))
    for mark in marks(answer):
        # In a pipe the answer is alone; whoever typed it still sees how good it is.
        say(mark) if terminal else note(mark)
