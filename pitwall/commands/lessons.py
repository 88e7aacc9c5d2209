"""`pitwall lessons [WORDS]`: what was learned of the driver, and what it is known from."""

from __future__ import annotations

import argparse

import msgspec

from pitwall.analysis.lessons import evidence_told, lesson_told
from pitwall.analysis.places import place_of
from pitwall.analysis.store_facts import track_in
from pitwall.api import answers
from pitwall.api.changes import judge_all
from pitwall.api.token import address_of
from pitwall.commands.common import note, print_bytes, say
from pitwall.commands.stored_or_served import opened_store, read
from pitwall.config import Home
from pitwall.store.lessons import Lesson


def add_arguments(parser: argparse.ArgumentParser) -> None:
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
        note(home.words.say("daemon judges"))
    elif arguments.update:
        with opened_store(home) as store:
            judge_all(store, note)
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
        say(home.words.say("nothing learned about that" if words else "nothing learned"))
    for lesson in lessons:
        _show(lesson, home)
    return 0


def _show(lesson: Lesson, home: Home) -> None:
    words, track = home.words, track_in(home, lesson.track)
    places = {} if track is None else {corner.id: place_of(corner, track) for corner in track.corners}
    say(lesson_told(lesson, lesson.track if track is None else track.name, places, words))
    kind = words.term("lesson", lesson.kind)
    whose = ", ".join(part for part in (kind, lesson.track, lesson.driver) if part)
    why = "" if lesson.active else words.say("no longer", why=words.retold(lesson.retired_why))
    say(f"  {whose}{why}")
    for each in lesson.evidence:
        say(f"  {evidence_told(each, words)}")
