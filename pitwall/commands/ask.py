"""`pitwall ask`, `debrief`: a question to the paddock, and the answer on the screen."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from pitwall.commands.common import (
    SESSION_HELP,
    add_json,
    note,
    plain,
    print_json,
    say,
    terminal_width,
    uncollected,
)
from pitwall.commands.paddock_access import Paddock, with_paddock
from pitwall.commands.settings_file import add_config, checked_settings
from pitwall.config import Home
from pitwall.contract.agents import AGENTS, plain_name
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
    shown_text,
)
from pitwall.contract.problems import UserError
from pitwall.contract.questions import Asked
from pitwall.words.language import Language

if TYPE_CHECKING:
    from rich.text import Text

REFRESH_PER_S = 8
# What fits on a phone's terminal while the answer grows; the whole checked text follows.
_GROWING_CHARS = 600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command that the parser is for; its name is the parser's last word."""
    session_help = f"{SESSION_HELP}, which is the default"
    if parser.prog.endswith(" ask"):
        parser.add_argument("question", nargs="+", help="the question, in your own words")
        parser.add_argument("--session", default="last", help=session_help)
        who = f"who answers, instead of a choice by the words: {', '.join(map(plain_name, AGENTS))}"
        parser.add_argument("--intent", metavar="WHO", help=who)
        parser.add_argument("--deep", action="store_true", help="work on a hard question in stages")
    else:
        parser.add_argument("session", nargs="?", default="last", help=session_help)
        parser.add_argument("--next", action="store_true", help="say what to do in the next run instead")
        parser.add_argument("--track", default="", help="with --next: use the last session on this track")
        days = parser.add_argument_group("over all days")
        days.add_argument(
            "--all-days",
            action="store_true",
            help="show where the session loses time, what all days show of you, and what was learned",
        )
        days.add_argument("--only", choices=("losses", "profile", "lessons"), help="this part of it alone")
        days.add_argument("--about", default="", metavar="WORDS", help="lessons about a corner or a cause")
        days.add_argument("--retired", action="store_true", help="lessons too that newer laps contradict")
        days.add_argument(
            "--update",
            action="store_true",
            help="first judge the sessions that were not judged yet; a running daemon does so by itself",
        )
    later = "if no model can be asked now, add a job that asks it later"
    parser.add_argument("--later", action="store_true", help=later)
    more = "" if parser.prog.endswith(" ask") else ", with --all-days all of it"
    add_json(parser, f"print every event{more} as JSON")
    add_config(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Exit code 0 with an answer, 1 where it was broken off, 2 where nothing could be asked."""
    given = vars(arguments)
    if given.get("all_days"):
        from pitwall.commands import all_days  # judges by itself, and asks nobody

        return all_days.run(arguments, home)
    if wrong := [f"--{each}" for each in ("only", "about", "retired", "update") if given.get(each)]:
        raise UserError(f"{wrong[0]} goes with --all-days")
    kind = given["command"]
    if given.get("deep"):
        if given["intent"] or given["later"]:
            raise UserError("--deep asks all who know something, and now: leave out --intent and --later")
        kind = "analyze"
    asked = Asked(
        kind="brief" if given.get("next") else kind,
        question=" ".join(given.get("question", ())),
        intent=given.get("intent"),
        session=arguments.session,
        track=given.get("track", ""),
        later=arguments.later,
    )
    settings = checked_settings(arguments.config, home)[0].settings.paddock
    # One answer reads a session's frames, which are no cycles.
    with uncollected():
        return with_paddock(
            home, settings, lambda paddock: _answered(paddock, asked, home.words, as_json=arguments.json)
        )


async def _answered(paddock: Paddock, asked: Asked, words: Language, *, as_json: bool) -> int:
    line = LiveLine() if sys.stdout.isatty() and not as_json else None
    done: Done | None = None
    # What is printed below the live line: errors, and what was said after the answer.
    after: list[str] = []
    has_content = False
    async with paddock.asking(asked) as events:
        with line.shown() if line else nullcontext():
            async for event in events:
                done = event if isinstance(event, Done) else done
                has_content = has_content or (isinstance(event, Content) and not event.provisional)
                if as_json:
                    print_json(event)
                elif isinstance(event, Error) or (has_content and isinstance(event, Progress)):
                    after.append(event.text)
                if line:
                    line.take(event)
    for text in after:
        note(text)
    if done is None:
        return 1
    if not as_json:
        # In a pipe the choices stand in the answer alone.
        text, *marks = answer_lines(done.answer, words, numbered=line is not None)
        say(text)
        for mark in marks:
            # In a pipe the answer is alone.
            say(mark) if line else note(mark)
    return 0


def answer_lines(answer: Answer, words: Language, *, numbered: bool = True) -> list[str]:
    """Return the answer's text, then who made it and what is missing; `numbered`: the choices
    stand below the text, each of which may be asked as it is, and not in it."""
    text = shown_text(answer.text, answer.unverified)
    found = [text.removesuffix(" ".join(answer.choices)).rstrip() if numbered else text]
    if numbered:
        found += [f"  {at}  {choice}" for at, choice in enumerate(answer.choices, 1)]
    if words.has_term("tier", answer.tier):
        why = words.in_units(answer.why).rstrip(".")
        because = f": {why[0].lower()}{why[1:]}" if why else ""
        found.append(f"({words.term('tier', answer.tier)}{because})")
    if answer.unverified:
        found.append(words.say("unverified"))
    if answer.missing:
        found.append(words.say("without", missing="; ".join(answer.missing)))
    return found


class LiveLine:
    """The last lines of the terminal: who works on it, with what, and the words so far."""

    def __init__(self) -> None:
        self._who, self._doing, self._words, self._attempt = "the paddock", "starting", "", 0
        self._since_s = time.monotonic()

    def shown(self) -> AbstractContextManager[object]:
        """Show the line while the context is open."""
        from rich.console import Console
        from rich.live import Live

        console = Console(highlight=False, markup=False, width=terminal_width(sys.stdout))
        return Live(
            console=console, get_renderable=self._text, refresh_per_second=REFRESH_PER_S, transient=True
        )

    def take(self, event: Event) -> None:
        """Note what the event tells."""
        match event:
            case Routed(agent) | AgentActive(agent):
                self._who, self._doing = agent, "thinking"
            case ToolStart(agent, tool):
                self._who, self._doing = agent, f"{tool} ..."
            case ToolEnd(agent, tool, ok):
                self._who, self._doing = agent, f"{tool} {'read' if ok else 'gave nothing'}"
            case Progress(text):
                self._doing = text
            case Content(agent, text, provisional=True):
                self._doing, self._words = "thinking; until then", plain(text)
            case Token(agent, text, attempt):
                words = "" if attempt > self._attempt else self._words
                self._who, self._attempt, self._words = agent, attempt, words + plain(text)

    def _text(self) -> Text:
        from rich.text import Text

        line = Text.assemble(
            (f" {self._who} ", "bold cyan"),
            (self._doing, "yellow"),
            (f"  {time.monotonic() - self._since_s:.1f} s", "dim"),
        )
        return Text("\n").join([line, Text(self._words[-_GROWING_CHARS:])]) if self._words else line
