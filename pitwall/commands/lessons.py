"""`pitwall lessons [WORDS]`: what was learned of the driver, and what it is known from."""

from __future__ import annotations

import argparse
import sys

import msgspec

from pitwall.api import answers
from pitwall.commands.common import say
from pitwall.commands.stored_or_served import read
from pitwall.config import Home
from pitwall.store.lessons import Evidence, Lesson


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, and the form."""
    parser.add_argument("words", nargs="*", help="what to look for: a corner, a cause; nothing: all")
    parser.add_argument("--retired", action="store_true", help="those too that newer evidence contradicts")
    parser.add_argument("--json", action="store_true", help="a JSON list")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """List them, the best match or the newest first."""
    words, retired = " ".join(arguments.words), bool(arguments.retired)
    query = {"words": words, "retired": "true" if retired else "false"}
    found = read(
        home,
        lambda store: msgspec.json.encode(answers.lessons(store, words, retired=retired)),
        "/lessons",
        query,
    )
    if arguments.json:
        sys.stdout.buffer.write(found + b"\n")
        sys.stdout.buffer.flush()
        return 0
    lessons = msgspec.json.decode(found, type=list[Lesson])
    if not lessons:
        say(
            "nothing was learned about that yet"
            if words
            else "nothing was learned yet: two sessions are needed"
        )
    for lesson in lessons:
        _show(lesson)
    return 0


def _show(lesson: Lesson) -> None:
    say(lesson.text)
    whose = ", ".join(part for part in (lesson.kind, lesson.track, lesson.driver) if part)
    say(f"  {whose}" if lesson.active else f"  {whose}; no longer: {lesson.retired_why}")
    for each in lesson.evidence:
        say(f"  {_evidence(each)}")


def _evidence(each: Evidence) -> str:
    laps = ", ".join(map(str, each.laps))
    seconds = "" if each.seconds is None else f", {each.seconds:.2f} s a lap"
    against = "" if each.shows else " (against it)"
    return f"{each.session}: laps {laps}{seconds}{against}"
