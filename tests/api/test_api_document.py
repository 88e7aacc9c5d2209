"""The OpenAPI document: made from the table that routes, judged by schemathesis against a running daemon."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import api_daemon
import pytest
from api_client import Client, asking

from pitwall.api.openapi import ALWAYS, openapi
from pitwall.api.routes import ROUTES
from pitwall.config import Home

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
EXAMPLES = 8


async def test_the_document_is_served_and_names_every_route_and_no_other(home: Home) -> None:
    async with api_daemon.running(home) as (_, port, token), asking(port, token) as session:
        served = await Client(session, port).json("/openapi.json")
        known = {
            (method, path)
            for path, operations in served["paths"].items()
            for method in map(str.upper, operations)
        }
        assert known == {(route.method, route.path) for route in ROUTES if not route.socket}
        assert set(served["x-websockets"]) == {route.path for route in ROUTES if route.socket}
        assert served["openapi"] == "3.1.0"
        # Without its decoration every operation has the good answer, and the refusals that any route has.
        for path, operations in served["paths"].items():
            for operation in operations.values():
                wanted = {str(status) for status in ALWAYS} - ({"401"} if path == "/health" else set())
                assert wanted < set(operation["responses"])


def test_every_reference_in_the_document_leads_somewhere() -> None:
    document = openapi(ROUTES)
    names = set(re.findall(r"#/components/schemas/([^'\"]+)", str(document)))
    assert {"Status", "PushBatch", "SessionRow", "LedgerLine", "Problem"} <= names
    assert names <= set(document["components"]["schemas"])


@pytest.fixture
def served(driven: Home) -> Iterator[tuple[str, str]]:
    """A daemon in a process of its own: (address of its document, token)."""
    script = Path(api_daemon.__file__)
    daemon = subprocess.Popen(
        [sys.executable, str(script), str(driven.root)], stdout=subprocess.PIPE, text=True
    )
    assert daemon.stdout is not None
    try:
        port, token = daemon.stdout.readline().split()
        yield f"http://127.0.0.1:{port}/openapi.json", token
        assert daemon.poll() is None
    finally:
        daemon.kill()
        daemon.communicate()


@pytest.mark.parametrize(
    ("words", "operations"),
    [
        (["--exclude-path", "/live"], len([route for route in ROUTES if not route.socket]) - 1),
        # The stream has no end; asked for JSON it is one frame.
        (["--include-path", "/live", "-H", "Accept: application/json"], 1),
    ],
    ids=["all but the stream", "the stream"],
)
def test_schemathesis_finds_nothing(
    served: tuple[str, str], tmp_path: Path, words: list[str], operations: int
) -> None:
    document, token = served
    judged = subprocess.run(
        [
            SCHEMATHESIS, "--no-color", "run", document, "-H", f"Authorization: Bearer {token}",
            "--max-examples", str(EXAMPLES), "--generation-deterministic", *words,
        ],
        capture_output=True, text=True, cwd=tmp_path, timeout=180,
    )  # fmt: skip
    assert judged.returncode == 0, judged.stdout[-6000:]
    assert f"Tested: {operations}" in judged.stdout
    [cases] = re.findall(r"(\d+) generated, (\d+) passed", judged.stdout)
    assert int(cases[1]) > 20 * operations
