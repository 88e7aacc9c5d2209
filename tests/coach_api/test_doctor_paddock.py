"""What the doctor says of the paddock: a model that can't be asked, an endpoint that is away, a lost file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from typed import typed

from pitwall.config import Home
from pitwall.contract.settings import ModelSettings, PaddockSettings
from pitwall.contract.status import Check
from pitwall.doctor import looked_at, table
from pitwall.settings import Settings

PADDOCK = ("paddock model", "paddock endpoint")
NOWHERE = "http://127.0.0.1:9/v1"


def checks(**model: str) -> dict[str, Check]:
    settings = PaddockSettings(model=ModelSettings(**model))  # type: ignore[arg-type]
    found = [
        check
        for row in table(Settings(paddock=settings))
        if row.name in PADDOCK
        for check in looked_at(row, Home(Path()), Settings(paddock=settings))
    ]
    assert len({check.name for check in found}) == len(found)
    assert all(check.mend for check in found if check.verdict != "good")
    assert all(check.verdict != "missing" for check in found), "the daemon runs without"
    return {check.name: check for check in found}


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A model's endpoint that wants a key: (its base_url, the headers of each request)."""
    headers: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers.append(str(self.headers))
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/v1", headers
        http.shutdown()
        thread.join()


def test_no_model_is_a_note_that_says_what_is_done_without() -> None:
    found = checks()
    assert list(found) == ["paddock model"]
    assert "composed sentences" in found["paddock model"].found


@pytest.mark.parametrize(
    ("model", "what"),
    [
        ({"kind": "gemini", "base_url": NOWHERE}, "needs api_key"),
        ({"kind": "gemini", "project": "p", "base_url": NOWHERE}, "needs a location"),
        ({"kind": "openai"}, "needs base_url"),
    ],
)
def test_a_model_that_lacks_something_is_told_what(model: dict[str, str], what: str) -> None:
    assert what in checks(**model)["paddock model"].found


def test_an_endpoint_that_answers_is_good_and_gets_no_key(server: tuple[str, list[str]]) -> None:
    address, headers = server
    found = checks(kind="openai", name="small", base_url=address, api_key="geheim")
    assert found["paddock endpoint"].verdict == "good"
    assert found["paddock model"].found == "openai small, with a key"
    assert len(headers) == 1
    assert "geheim" not in headers[0]


def test_an_endpoint_that_is_away_is_a_note() -> None:
    found = checks(kind="openai", name="small", base_url=NOWHERE)["paddock endpoint"]
    assert found.verdict == "note"
    assert "can't be reached" in found.found


def test_the_command_shows_it(tmp_path: Path) -> None:
    (tmp_path / "pitwall.toml").write_text(
        f'[paddock.model]\nkind = "openai"\nbase_url = "{NOWHERE}"\napi_key = "geheim"\n'
    )
    done = typed(tmp_path, "doctor")
    assert "ok      paddock model" in done.stdout
    assert "note    paddock endpoint" in done.stdout
    assert "geheim" not in done.stdout + done.stderr
