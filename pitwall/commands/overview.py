"""`pitwall` alone: where the home is, what is in it, and what to do next."""

from __future__ import annotations

from pitwall.commands.common import say
from pitwall.commands.stored_or_served import stored_sessions
from pitwall.config import Home
from pitwall.store.queries import when_driven
from pitwall.track.library import find_track


def run(home: Home) -> int:
    """Print the overview. UserError if the home can't be read."""
    words = home.words
    rows = [row for row in stored_sessions(home) if row.kind != "replay"]
    say(words.say("overview home", home=str(home.root)))
    if not rows:
        say(words.say("overview empty"))
        return 0
    last = rows[-1]
    name = f"{last.name} ({last.id})" if last.name else last.id
    known = find_track(home.layers("track_data"), last.track) if last.track else None
    track = last.track or words.say("unknown track") if known is None else known.name
    best = words.figures.clock(last.best_lap_s)
    say(
        words.say(
            "overview last", count=len(rows), session=name, track=track, when=when_driven(last), best=best
        )
    )
    return 0
