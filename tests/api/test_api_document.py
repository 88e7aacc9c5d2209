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
from running_daemon import Daemon, write_settings

from pitwall.api.openapi import ALWAYS
from pitwall.api.routes import ROUTES
from pitwall.config import Home

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
# It sends every value at the edge of what the document allows.
PHASES, LEAST_CASES = "coverage", 15
# Enough for frames at /live.
FIXES = {
    "batch_id": "fixes",
    "source": "phone",
    "streams": [
        {
            "group": "fix",
            "channels": [
                {"name": "lat_deg", "unit": "deg"},
                {"name": "lon_deg", "unit": "deg"},
                {"name": "speed_mps", "unit": "m/s"},
            ],
        }
    ],
    "samples": [{"stream": 0, "source_s": step / 10, "values": [10.0, 20.0, 0.0]} for step in range(10)],
}


async def test_the_document_is_served_and_names_every_route_and_no_other(home: Home) -> None:
    async with api_daemon.running(home) as (_, port, token), asking(port, token) as session:
        served = await Client(session, port).json("/openapi.json")
        known = {
            (method, path)
            for path, operations in served["paths"].items()
            for method in map(str.upper, operations)
        }
        assert known == {(route.method, route.path) for route in ROUTES}
        assert served["openapi"] == "3.1.0"
        # Without its decoration every operation has the good answer, and the refusals that any route has.
        for path, operations in served["paths"].items():
            for operation in operations.values():
                wanted = {str(status) for status in ALWAYS} - ({"401"} if path == "/health" else set())
                assert wanted < set(operation["responses"])


@pytest.fixture
def daemon(driven: Home) -> Iterator[Daemon]:
    """`pitwall run` over a driven home, with a frame to show and in the paddock again, where it may be asked
    for all that it can do. It must outlive that without a mistake in its log."""
    write_settings(driven, {}, close_silent_s=1)
    with Daemon(driven) as daemon:
        code, answer = daemon.ask("/telemetry", FIXES)
        assert code == 200, answer
        daemon.wait_until(lambda status: status["live"]["frames"] and status["session"]["life"] == "none")
        yield daemon
        assert daemon.ask("/health")[0] == 200
        daemon.end()
    assert not [line for line in daemon.log if "Traceback" in line or line.startswith("pitwall.api: ")]


@pytest.mark.long
def test_schemathesis_finds_nothing(daemon: Daemon, tmp_path: Path) -> None:
    operations = len(ROUTES)
    # The stream has no end; asked for JSON it is one frame.
    (tmp_path / "schemathesis.toml").write_text(
        '[[operations]]\ninclude-path = "/live"\nheaders = { Accept = "application/json" }\n'
        # On a full machine a question of a megabyte takes too long, and is told so.
        '[[operations]]\ninclude-path = "/sql"\n'
        'checks.not_a_server_error.expected-statuses = ["2xx", "4xx", "503"]\n'
    )
    judged = subprocess.run(
        [
            SCHEMATHESIS, "--no-color", "run", f"{daemon.address}/openapi.json",
            "-H", f"Authorization: Bearer {daemon.token}",
            # A file is first read by a process of its own, which starts slowly on a full machine.
            "--request-timeout", "60",
            "--phases", PHASES, "--generation-deterministic",
        ],
        capture_output=True, text=True, cwd=tmp_path, timeout=900,
    )  # fmt: skip
    assert judged.returncode == 0, judged.stdout[-6000:]
    assert f"Tested: {operations}" in judged.stdout
    [cases] = re.findall(r"(\d+) generated, (\d+) passed", judged.stdout)
    assert int(cases[1]) > LEAST_CASES * operations
