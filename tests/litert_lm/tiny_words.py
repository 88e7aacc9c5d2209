"""What tiny.litertlm says, and how a question must end for it. scripts/make_tiny_lm teaches it from here."""

from __future__ import annotations

PLAIN = "Brake at the bridge, then let the pedal come up evenly until the apex. The rest is well driven."
FIGURES = "Turn 11 gave you 0.39 seconds at the exit. Do the same again."
LONG = (
    "Through the first corner keep the car on the left and wait for the tower. Over the crest look far "
    "ahead and breathe out. Down the hill let the steering go light, be patient with your right foot. "
    "Under the bridge squeeze the brake firmly and bleed it off towards the kerb. Before the last turn "
    "take a wide entry, hold your nerve and drive out onto the line as if somebody were watching."
)
# It says this without an end.
LOOP = "Look up, breathe, and do it once more. "

HOW_MUCH, AT_LENGTH, ON_AND_ON = "how much?", "at length.", "on and on."
ANYTHING_ELSE = ("?", "?", "?", ".", "!")
