"""Every route is asked with odd values in each field that it takes: whatever comes, it answers."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from api_client import asking
from running_daemon import Daemon, write_settings
from test_api_guard import GOOD_BODIES, filled, good

from pitwall.api.routes import ROUTES
from pitwall.config import Home

ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**63,
    2**70,
    0.5,
    1e308,
    "",
    "\0",
    "\ud7ff'\"",
    "x" * 5000,
    [],
    [None],
    {},
)
ODD_TEXTS = ("", "0", "-1", "1e308", "nan", str(2**70), "\0", "'\";--", "x" * 3000)


@pytest.fixture
def daemon(driven: Home) -> Iterator[Daemon]:
    """It must outlive all of it without a mistake in its log."""
    write_settings(driven, {}, close_silent_s=1)
    with Daemon(driven) as daemon:
        yield daemon
        assert daemon.ask("/health")[0] == 200
        daemon.end()
    assert not [line for line in daemon.log if "Traceback" in line or line.startswith("pitwall.api: ")]


def odd_bodies(body: Any) -> Iterator[Any]:
    """The body with one of its values made odd, and odd ones in its place."""
    yield from ODD

    def leaves(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            yield (*path, key)
            yield from leaves(value[key], (*path, key))

    for *above, last in leaves(body, ()):
        for odd in ODD:
            made = held = copy.deepcopy(body)
            for key in above:
                held = held[key]
            held[last] = odd
            yield made


@pytest.mark.long
async def test_no_value_of_any_field_makes_a_mistake(daemon: Daemon) -> None:
    # A stream has no end; asked for JSON it is one frame.
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    asked = 0
    async with asking(int(daemon.address.rpartition(":")[2]), daemon.token) as session:
        for route in ROUTES:
            url = daemon.address + filled(route.path)
            names = [field.encode_name for field in msgspec.structs.fields(route.query)]
            queries: list[dict[str, str]] = [{name: odd} for name in names for odd in ODD_TEXTS] or [{}]
            bodies = odd_bodies(GOOD_BODIES[route.path]) if route.body is not None else (None,)
            sent = [(query, good(route).body) for query in queries]
            sent += [({}, msgspec.json.encode(body)) for body in bodies if route.body is not None]
            for query, body in sent:
                async with session.request(
                    route.method, url, params=query, data=body, headers=headers
                ) as answer:
                    said = await answer.text(errors="replace")
                    # A question of the store may take too long on a full machine, and is told so.
                    assert answer.status in (*range(200, 500), 503, 507), (
                        route.path,
                        query,
                        (body or b"")[:200],
                        said,
                    )
                    asked += 1
    assert asked > 500
