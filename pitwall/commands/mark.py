"""`pitwall mark`: traffic, a yellow flag or just a mark, said of the lap that is driven now."""

from __future__ import annotations

import argparse

import msgspec

from pitwall.commands.common import print_bytes, say
from pitwall.commands.stored_or_served import tell
from pitwall.config import Home
from pitwall.contract.status import Marked, MarkNow
from pitwall.track.lap import MARKS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "mark",
        nargs="?",
        choices=MARKS,
        default="mark",
        help="traffic or yellow: the lap does not count; mark (default): notes the moment; clear takes back",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(arguments: argparse.Namespace, home: Home) -> int:
    answer = tell(home, "/mark", MarkNow(mark=arguments.mark))
    if arguments.json:
        print_bytes(answer)
        return 0
    taken, words = msgspec.json.decode(answer, type=Marked), home.words
    mark, clock = words.term("lap", taken.mark), words.figures.clock(taken.t)
    say(words.say("mark taken", mark=mark, lap=taken.lap, clock=clock))
    return 0
