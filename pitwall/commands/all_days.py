"""`pitwall debrief --all-days`: where time is lost, what all days show, what was learned."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from pitwall.analysis.compose_words import corner_name, effect_sentence
from pitwall.analysis.lessons import evidence_sentence
from pitwall.analysis.opportunities import Opportunity
from pitwall.analysis.places import Place, places_on
from pitwall.analysis.profile import DriverProfile, TrackRecord
from pitwall.api import answers, judged
from pitwall.api.changes import judge_all
from pitwall.api.token import address_of
from pitwall.commands.common import Column, note, print_bytes, print_json, print_table, say
from pitwall.commands.stored_or_served import Wanted, of_session, opened_store, read_all
from pitwall.config import Home
from pitwall.drive.prepare import known_tracks
from pitwall.store import queries
from pitwall.store.lessons import Lesson
from pitwall.store.queries import SessionRow
from pitwall.track.model import Track
from pitwall.words.language import Language


class AllDaysShown(NamedTuple):
    """In which words something is shown, and of which places: `here` is the session's track."""

    words: Language
    tracks: Mapping[str, Track]
    here: str
    sought: str

    def places(self, track: str = "") -> dict[str, Place]:
        """Return the corners of a track by their ids, "" for the session's own track."""
        return places_on(self.tracks.get(track or self.here))

    def track_name(self, track: str) -> str:
        """Return the name of a track, its id where it is unknown."""
        found = self.tracks.get(track)
        return track if found is None else found.name


class AllDaysPart(NamedTuple):
    """A part: what it asks for, the type of the answer, and how it is shown."""

    wanted: Callable[[argparse.Namespace], Wanted]
    answer: Any
    show: Callable[[Any, AllDaysShown], None]


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Read the parts that are asked for, and print them in the form that is asked for."""
    words, only = home.words, arguments.only
    parts = [part for name, part in PARTS.items() if only in (None, name)]
    if arguments.update and address_of(home):
        note(words.say("daemon judges"))
    elif arguments.update:
        with opened_store(home) as store:
            judge_all(store, note)
    asked = [part.wanted(arguments) for part in parts]
    if arguments.json:
        raw = read_all(home, *asked)
        print_bytes(raw[0]) if only else print_json(dict(zip(PARTS, map(msgspec.Raw, raw), strict=True)))
        return 0
    row = [of_session(arguments.session, queries.session)] if only in (None, "losses") else []
    raw = read_all(home, *asked, *row)
    found = [msgspec.json.decode(each, type=part.answer) for each, part in zip(raw, parts, strict=False)]
    here = msgspec.json.decode(raw[-1], type=SessionRow).track if row else ""
    shown = AllDaysShown(words, known_tracks(home)[0], here, arguments.about)
    titles = [words.term("all days", name) for name in PARTS] if only is None else [""]
    if only is None and here:
        titles[0] = f"{titles[0]}: {shown.track_name(here)}"
    for title, answer, part in zip(titles, found, parts, strict=True):
        if title:
            say(f"{title}\n" if title == titles[0] else f"\n{title}\n")
        part.show(answer, shown)
    return 0


def _show_losses(found: Sequence[Opportunity], shown: AllDaysShown) -> None:
    words, places = shown.words, shown.places()
    if not found:
        say(words.say("no opportunities"))
        return
    heads = [words.term("opportunity", name) for name in ("where", "cause", "loss", "laps", "against")]
    rows = [
        (
            corner_name(each.corner, places),
            words.term("phase", each.phase),
            words.term("cause", each.cause),
            format(each.loss_s, ".2f"),
            f"{len(each.laps)}/{len(each.judged_laps)}",
            str(each.against_lap),
        )
        for each in found
    ]
    where, cause, loss, laps, against = heads
    columns = [Column(words.term("view", "corner"), wrap=True), Column(where, wrap=True)]
    columns += [Column(cause, wrap=True), Column(f"{loss} s", right=True), Column(laps, wrap=True)]
    print_table([*columns, Column(against, right=True, wrap=True)], rows)


def _show_profile(found: DriverProfile, shown: AllDaysShown) -> None:
    words = shown.words
    if not found.tracks:
        say(words.say("no profile"))
        return
    term, figures = words.term, words.figures
    cars = Counter(each.track for each in found.tracks)

    def place(each: TrackRecord) -> str:
        """Return the track's name, with its car where there were several."""
        name = shown.track_name(each.track)
        return name if cars[each.track] < 2 else f"{name}, {each.vehicle or '-'}"

    heads = [term("column", "track"), term("profile", "sessions"), term("column", "laps")]
    heads += [term("column", "best"), term("profile", "since the first"), term("column", "session")]
    print_table(
        [Column(name, wrap=at == 0, right=1 <= at <= 4, spare=at == 5) for at, name in enumerate(heads)],
        [
            (
                place(each),
                str(len(each.sessions)),
                str(each.laps),
                figures.clock(each.best_s),
                format(each.best_s - each.first_best_s, "+.3f"),
                each.best_session,
            )
            for each in found.tracks
        ],
    )
    say(effect_sentence(found.calls, words))
    if found.incidents:
        counted = [f"{count} {term('incident kind', kind)}" for kind, count in found.incidents.items()]
        say(words.say("profile incidents", incidents=counted))


def _show_lessons(found: Sequence[Lesson], shown: AllDaysShown) -> None:
    words = shown.words
    if not found:
        say(words.say("nothing learned about that" if shown.sought else "nothing learned"))
    for lesson in found:
        say(lesson.text)
        kind = words.term("lesson", lesson.kind)
        where = shown.track_name(lesson.track) if lesson.track else ""
        whose = ", ".join(part for part in (kind, where, lesson.driver) if part)
        why = "" if lesson.active else words.say("no longer", why=lesson.retired_why)
        say(f"  {whose}{why}")
        for each in lesson.evidence:
            say(f"  {evidence_sentence(each, words)}")


def _profile(arguments: argparse.Namespace) -> Wanted:
    """Of who drove the session that is named; without one of all drives."""
    session = "" if arguments.session == "last" else arguments.session
    query = {"session": session}
    return Wanted(lambda store: msgspec.json.encode(judged.profile(store, session)), "/profile", query)


def _lessons(arguments: argparse.Namespace) -> Wanted:
    sought, retired = arguments.about, arguments.retired
    query = {"words": sought, "retired": "true" if retired else "false"}
    return Wanted(
        lambda store: msgspec.json.encode(answers.lessons(store, sought, retired=retired)), "/lessons", query
    )


PARTS: dict[str, AllDaysPart] = {
    "losses": AllDaysPart(
        lambda given: of_session(given.session, judged.opportunities, "/opportunities"),
        list[Opportunity], _show_losses,
    ),
    "profile": AllDaysPart(_profile, DriverProfile, _show_profile),
    "lessons": AllDaysPart(_lessons, list[Lesson], _show_lessons),
}  # fmt: skip
