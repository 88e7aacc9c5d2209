"""`pitwall mcp`: the stored drives for an assistant, which starts this command and uses its pipes."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
from contextlib import suppress

import msgspec

from pitwall.api.call import DRIVING
from pitwall.api.token import address_of
from pitwall.commands.settings_file import add_config
from pitwall.commands.stored_or_served import checked, daemon_client
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.contract.status import StatusSummary

# Our own daemon on this machine answers at once.
_WITHIN_S = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options. An assistant gives none."""
    add_config(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Serve until the assistant closes the pipe."""
    if importlib.util.find_spec("mcp") is None:
        raise UserError('this needs the SDK of the Model Context Protocol: pip install "pitwall[mcp]"')
    from pitwall.paddock.mcp_server import serve

    async def not_now() -> str:
        with suppress(UserError):  # a daemon that does not answer is going, and reads nothing now
            return await _driven(home)
        return ""

    asyncio.run(serve(home, not_now))
    return 0


async def _driven(home: Home) -> str:
    """Say that the car is being driven; "" if it stands. UserError."""
    address = address_of(home)
    if not address:
        return ""
    async with daemon_client(home, address, _WITHIN_S) as client, client.get("/status") as response:
        body = checked(address, response.status, await response.read())
    life = msgspec.json.decode(body, type=StatusSummary).session.life
    return "the car is being driven, nothing is read now" if life in DRIVING else ""
