"""`pitwall lessons [WORDS]`: what was learned of the driver, and what it is known from."""

from __future__ import annotations

import argparse

import msgspec

from pitwall.api import answers
from pitwall.api.address import address_of
from pitwall.api.changes import judge_all
from pitwall.commands.common import note, print_bytes, say
from pitwall.commands.stored_or_served import opened_store, read
from pitwall.config import Home
from pitwall.store.lessons import Evidence, Lesson

NOTHING = "nothing was learned yet: it takes two sessions; pitwall lessons --update judges imported ones"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to look for, and the form."""
    parser.add_argument("words", nargs="*", help="what to look for: a corner, a cause; nothing: all")
    parser.add_argument("--retired", action="store_true", help="those too that newer evidence contradicts")
    parser.add_argument(
        "--update",
        action="store_true",
        help="first judge the sessions that were not judged yet; a running daemon does so by itself",
    )
    parser.add_argument("--json", action="store_true", help="a JSON list")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """List them, the best match or the newest first."""
    if arguments.update and address_of(home):
        note("the running daemon judges each session by itself, when it has ended")
    elif arguments.update:
        _update(home)
    words, retired = " ".join(arguments.words), bool(arguments.retired)
    query = {"words": words, "retired": "true" if retired else "false"}
    found = read(
        home,
        lambda store: msgspec.json.encode(answers.lessons(store, words, retired=retired)),
        "/lessons",
        query,
    )
    if arguments.json:
        print_bytes(found)
        return 0
    lessons = msgspec.json.decode(found, type=list[Lesson])
    if not lessons:
        say("nothing was learned about that yet" if words else NOTHING)
    for lesson in lessons:
        _show(lesson)
    return 0


def _update(home: Home) -> None:
    with opened_store(home) as store:
        judge_all(store, note)


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
