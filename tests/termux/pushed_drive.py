"""A car that drives north in real time and hands in each fix over the API until it is taken."""

from __future__ import annotations

import http.client
import json
import threading
import time
from typing import Any

from pitwall.config import Home

EVERY_S = 0.1
# The middle of nowhere: no track is near.
LAT_DEG, LON_DEG, SPEED_MPS = 10.0, 20.0, 20.0
STREAMS = [
    {
        "group": "fix",
        "channels": [
            {"name": "lat_deg", "unit": "deg"},
            {"name": "lon_deg", "unit": "deg"},
            {"name": "speed_mps", "unit": "m/s"},
            {"name": "number"},
        ],
    }
]


class PushedDrive:
    """`acked`: the numbers of the fixes that the daemon has taken."""

    def __init__(self, home: Home, port: int) -> None:
        self.acked: set[float] = set()
        self.trouble = ""
        self._home, self._address = home, f"127.0.0.1:{port}"
        self._stop = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._drive, daemon=True)

    def __enter__(self) -> PushedDrive:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._stop = True
            self._changed.notify_all()
        self._thread.join(60.0)
        assert not self._thread.is_alive()
        assert self.trouble == ""

    def wait_for(self, more: int) -> None:
        """Until so many more fixes were taken."""
        with self._changed:
            wanted = len(self.acked) + more
            assert self._changed.wait_for(lambda: len(self.acked) >= wanted or bool(self.trouble), 120.0)
        assert self.trouble == ""

    def ask(self, path: str, body: object = None) -> Any:
        """The daemon's answer, None where it has none. With a body it is posted."""
        connection = http.client.HTTPConnection(self._address, timeout=300.0)
        try:
            token = (self._home.root / "token").read_text().strip()
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            sent = None if body is None else json.dumps(body)
            connection.request("GET" if sent is None else "POST", path, sent, headers)
            answer = connection.getresponse()
            told = answer.read()
            assert answer.status < 300, told
            return json.loads(told) if told else None
        finally:
            connection.close()

    def _drive(self) -> None:
        begun_s, number = time.monotonic(), 0
        while not self._stop and not self.trouble:
            now_s = time.monotonic()
            north_m = SPEED_MPS * (now_s - begun_s)
            values = [LAT_DEG + north_m / 111_195.0, LON_DEG, SPEED_MPS, float(number)]
            body = {
                "batch_id": f"car:{number}",
                "source": "car",
                "streams": STREAMS,
                "samples": [{"stream": 0, "source_s": now_s, "values": values}],
            }
            while not self._stop and not self._taken(json.dumps(body)):
                with self._changed:
                    self._changed.wait(EVERY_S)
            number += 1
            with self._changed:
                self._changed.wait(max(now_s + EVERY_S - time.monotonic(), 0.0))

    def _taken(self, body: str) -> bool:
        """Whether this batch is on the disk; a daemon that is not there, or not yet, is no trouble."""
        connection = http.client.HTTPConnection(self._address, timeout=120.0)
        try:
            token = (self._home.root / "token").read_text().strip()
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            connection.request("POST", "/telemetry", body, headers)
            answer = connection.getresponse()
            told = answer.read().decode()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        with self._changed:
            if answer.status == 200:
                self.acked.add(json.loads(body)["samples"][0]["values"][3])
            elif answer.status not in (429, 503):
                self.trouble = f"{answer.status} {told}"
            self._changed.notify_all()
        return answer.status not in (429, 503)
