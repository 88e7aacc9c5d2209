"""`pitwall wall`: who may look at the drive from the pits, and speak to the driver."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from pitwall.commands.common import add_command, add_json, print_answer, say
from pitwall.commands.stored_or_served import get, tell
from pitwall.config import Home
from pitwall.contract.wall import WallAsk, WallForget, WallLink, WallOwned, WallSwitch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add_command(actions, "on", "let the network of the pits in, from now on", _switch).set_defaults(on=True)
    add_command(actions, "off", "let nobody in any more; who is paired stays so", _switch).set_defaults(
        on=False
    )
    link = add_command(actions, "link", "make a link that lets one device in, once", _link)
    link.add_argument("--crew", action="store_true", help="it may speak to the driver too, not only look")
    link.add_argument("--name", default="pit wall", help="its owner's: the ledger says who spoke")
    add_json(link)
    devices = add_command(actions, "devices", "list who was let in", _devices)
    add_json(devices)
    forget = add_command(actions, "forget", "shut a device out", _forget)
    forget.add_argument("id", metavar="ID", help='of `pitwall wall devices`, or "all"')


def _switch(arguments: argparse.Namespace, home: Home) -> int:
    now = msgspec.json.decode(tell(home, "/wall", WallSwitch(arguments.on)), type=WallOwned)
    say(now.trouble or ("the pit wall is on: pitwall wall link" if now.on else "the pit wall is off"))
    return int(bool(now.trouble))


def _link(arguments: argparse.Namespace, home: Home) -> int:
    asked = WallAsk(role="crew" if arguments.crew else "view", name=arguments.name)
    made = msgspec.json.decode(tell(home, "/wall/links", asked), type=WallLink)
    may = "look, and speak to the driver" if made.role == "crew" else "look"
    until = f"Good once, for {made.good_for_s / 60:.0f} minutes. Its first user may {may}."
    print_answer(made, [*_blocks(made.qr), made.link, until], as_json=arguments.json)
    return 0


def _blocks(rows: Sequence[str]) -> list[str]:
    """Draw a QR code in half blocks, two rows a line, for a dark terminal: Termux's is one."""
    return [
        "".join(
            " \u2580\u2584\u2588"[(upper == "0") + 2 * (lower == "0")]
            for upper, lower in zip(*two, strict=True)
        )
        for two in zip(rows[::2], (*rows[1::2], "1" * len(rows[0])), strict=False)
    ]


def _devices(arguments: argparse.Namespace, home: Home) -> int:
    found = msgspec.json.decode(get(home, "/wall"), type=WallOwned)
    lines = [f"{each.id}  {each.role}  {each.name}, since {_day(each.since_utc_s)}" for each in found.devices]
    state = "the pit wall is on" if found.on else "the pit wall is off: pitwall wall on"
    print_answer(
        found, [state, *(lines or ["no device is paired: pitwall wall link"])], as_json=arguments.json
    )
    return 0


def _forget(arguments: argparse.Namespace, home: Home) -> int:
    tell(home, "/wall/forget", WallForget(arguments.id))
    say("it is shut out" if arguments.id != "all" else "all are shut out")
    return 0


def _day(utc_s: float) -> str:
    return datetime.fromtimestamp(utc_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
