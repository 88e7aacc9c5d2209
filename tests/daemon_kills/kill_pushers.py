"""Senders as a phone's app would be: a batch is sent again, under its own id, until somebody has taken it."""

from __future__ import annotations

import http.client
import json
import threading
import time

SAMPLES_A_BATCH = 20
# Apart far enough that no two senders ever use the same number.
NUMBERS_A_SENDER = 10_000_000
STREAMS = [{"group": "imu", "channels": [{"name": "g_lat", "unit": "g"}, {"name": "serial"}]}]


class Senders:
    """Some threads that push; they are told where the daemon is, and that it is gone."""

    def __init__(self, count: int, samples: int = SAMPLES_A_BATCH) -> None:
        self.samples = samples
        self.acked: set[int] = set()
        self.sent: set[int] = set()
        self.mistakes: list[str] = []
        self.sent_again = self.known = self.refused = 0
        self._changed = threading.Condition()
        self._address, self._token = "", ""
        self._stop = self._given_up = False
        self._threads = [
            threading.Thread(target=self._push, args=(number,), name=f"sender {number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def daemon_is_at(self, address: str, token: str) -> None:
        """There is a daemon; an empty address: there is none."""
        with self._changed:
            self._address, self._token = address.removeprefix("http://"), token
            self._changed.notify_all()

    def wait_for(self, more: int, within_s: float) -> bool:
        """Until so many more batches were acknowledged."""
        with self._changed:
            wanted = len(self.acked) + more
            return self._changed.wait_for(lambda: len(self.acked) >= wanted or bool(self.mistakes), within_s)

    def stop(self) -> None:
        """Each sender ends once its batch is taken; there must be a daemon."""
        with self._changed:
            self._stop = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(60.0)
        assert not any(thread.is_alive() for thread in self._threads), "a sender waits for ever"

    def give_up(self) -> None:
        """End at once, whatever is not taken yet. A second call does nothing."""
        with self._changed:
            self._stop = self._given_up = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(60.0)

    def _push(self, sender: int) -> None:
        number = sender * NUMBERS_A_SENDER
        while not self._stop:
            body = json.dumps(batch(sender, number, self.samples)).encode()
            with self._changed:
                self.sent.add(number)
            tries = 0
            while not self._given_up and not self._send(body, number, tries):
                tries += 1
            number += self.samples

    def _send(self, body: bytes, number: int, tries: int) -> bool:
        """One try; whether the batch is done with."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._address) or self._given_up)
            address, token = self._address, self._token
            self.sent_again += tries > 0
            if self._given_up:
                return False
        link = http.client.HTTPConnection(address, timeout=30.0)
        try:
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            link.request("POST", "/telemetry", body, headers)
            answer = link.getresponse()
            status, told = answer.status, json.load(answer)
        except (OSError, http.client.HTTPException, ValueError):
            with self._changed:
                if self._address == address:
                    self._changed.wait_for(lambda: self._address != address, 1.0)
            return False
        finally:
            link.close()
        with self._changed:
            return self._heard(number, status, told)

    def _heard(self, number: int, status: int, told: dict[str, object]) -> bool:
        if status == 200:
            self.acked.add(number)
            self.known += bool(told["known"])
        elif status in (429, 503):
            self.refused += 1
            self._changed.wait(0.05)
        else:
            self.mistakes.append(f"{status} {told}")
        self._changed.notify_all()
        return status not in (429, 503)


def batch(sender: int, number: int, samples: int) -> dict[str, object]:
    """Batch `number` of a sender: its samples are numbered on from there."""
    now_s = time.monotonic()
    return {
        "batch_id": f"sender-{sender}:{number}",
        "source": f"sender{sender}",
        "streams": STREAMS,
        "samples": [
            {
                "stream": 0,
                "source_s": now_s - 0.001 * (samples - i),
                "values": [0.1, float(number + i)],
            }
            for i in range(samples)
        ],
    }
