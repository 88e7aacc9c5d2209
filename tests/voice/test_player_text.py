"""What happens without sound, and what waits, what is dropped and why."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from null_sink import PATIENCE_S, need

from pitwall.voice.clips import Clip
from pitwall.voice.playback_queue import LATE_CUT_S, LATE_S, WAITING_MAX, PlaybackQueue, Player
from pitwall.voice.player import AHEAD_S, QUIET_S, WriteClock, open_player
from pitwall.voice.sound_program import CHUNK_BYTES, CHUNK_S

SHORT = Clip("Brake now", None, 0.2, estimated=True)
LONG = Clip("a sentence that nobody wants to hear to its end", None, 3600.0, estimated=True)


@contextmanager
def opened(audio: str, shown: list[str] | None = None) -> Iterator[Player]:
    player = open_player(audio, None if shown is None else shown.append)  # type: ignore[arg-type]
    try:
        yield player
    finally:
        player.stop()


def test_text_keeps_the_timing_of_the_clips() -> None:
    shown: list[str] = []
    handed: list[float] = []
    with opened("text", shown) as player:
        player.on_handed = lambda _, at_s: handed.append(at_s)
        player.play(SHORT, cut=False)
        player.play(Clip("Trail it", None, 0.1), cut=False)
        assert player.wait_idle(PATIENCE_S)
        assert player.state().name == "text"
    assert shown == ["Brake now", "Trail it"]
    assert handed[1] - handed[0] >= SHORT.clip_s


def test_text_is_cut_off_too_and_what_waited_is_dropped() -> None:
    shown: list[str] = []
    started = threading.Event()
    with opened("text", shown) as player:
        player.on_handed = lambda *_: started.set()
        player.play(LONG, cut=False)
        assert started.wait(PATIENCE_S)
        player.play(SHORT, cut=False)
        player.play(Clip("Yellow flag", None, 0.05), cut=True)
        assert player.wait_idle(PATIENCE_S)
        assert player.state().dropped == 1
    assert shown == [LONG.text, "Yellow flag"]


def test_stopping_ends_a_long_text_at_once() -> None:
    with opened("none") as player:
        player.play(LONG, cut=False)
        assert player.name == "none"
    assert not [thread for thread in threading.enumerate() if thread.name == "pitwall-text"]


def test_a_failing_listener_does_not_silence_the_rest() -> None:
    seen: list[str] = []

    def broken(clip: Clip, _: float) -> None:
        seen.append(clip.text)
        raise ValueError("a listener of the daemon's")

    with opened("text") as player:
        player.on_handed = broken
        player.play(SHORT, cut=False)
        player.play(SHORT, cut=False)
        assert player.wait_idle(PATIENCE_S)
    assert seen == [SHORT.text] * 2


@pytest.mark.parametrize("listens", [False, True], ids=["no server", "a server that never answers"])
def test_no_sound_device_means_text_and_one_line_why(
    listens: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    need("pacat", "aplay")
    nothing = tmp_path / "asound.conf"
    nothing.write_text("pcm.!default { type hw card 31 }\n")
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(nothing))
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/server")
    with socket.socket(socket.AF_UNIX) as server:
        if listens:
            server.bind(f"{tmp_path}/server")
            server.listen()
        check_text_and_one_line(caplog)


def check_text_and_one_line(caplog: pytest.LogCaptureFixture) -> None:
    shown: list[str] = []
    with opened("auto", shown) as player:
        assert player.name == "text"
        player.play(SHORT, cut=False)
        assert player.wait_idle(PATIENCE_S)
    assert shown == [SHORT.text]
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 1
    assert "no sound" in lines[0]
    assert "pacat: " in lines[0]
    assert "aplay: " in lines[0]


def test_without_any_program_it_says_which_are_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with opened("auto") as player:
        assert player.name == "text"
    assert "no pacat or aplay" in caplog.text


def test_a_clip_is_dropped_once_its_time_is_over() -> None:
    waiting = PlaybackQueue()
    waiting.put(SHORT, cut=False, now_s=100.0)
    waiting.put(SHORT, cut=False, now_s=100.0)
    first = waiting.take(100.0 + LATE_S)
    assert first is not None
    assert waiting.take(100.1) is None, "the first one still plays"
    waiting.finish()
    second = waiting.take(100.2 + LATE_S)
    assert second is not None, "its time begins where the first one ends"
    waiting.finish()
    waiting.put(SHORT, cut=False, now_s=200.0)
    assert waiting.take(200.01 + LATE_S) is None
    assert (waiting.dropped, len(waiting)) == (1, 0)


def test_a_warning_is_worth_more_patience_than_a_tip() -> None:
    waiting = PlaybackQueue()
    waiting.put(SHORT, cut=True, now_s=100.0)
    turn = waiting.take(100.0 + LATE_CUT_S)
    assert turn.clip is SHORT


def test_the_queue_is_bounded_and_a_warning_always_finds_room() -> None:
    waiting = PlaybackQueue()
    for _ in range(WAITING_MAX + 3):
        waiting.put(SHORT, cut=False, now_s=100.0)
    assert (len(waiting), waiting.dropped) == (WAITING_MAX, 3)
    waiting.put(LONG, cut=True, now_s=100.0)
    assert (len(waiting), waiting.dropped) == (1, 3 + WAITING_MAX)


def test_a_clip_broken_off_is_said_again_only_while_in_time() -> None:
    waiting = PlaybackQueue()
    waiting.put(SHORT, cut=False, now_s=100.0)
    assert waiting.take(100.0)
    waiting.recall(100.1)
    assert waiting.take(100.2)
    waiting.recall(100.1 + LATE_S)
    assert waiting.take(100.1 + LATE_S) is None
    assert waiting.wait_idle(0.0)


@pytest.mark.parametrize(("quiet", "piece_s"), [(False, CHUNK_S), (True, QUIET_S)])
def test_pace_never_runs_further_ahead_than_it_may_and_never_catches_up_in_a_burst(
    quiet: bool, piece_s: float
) -> None:
    def written_s(now_s: float) -> float:
        count = 0
        while pace.wait_s(now_s, 0, connected=True, quiet=quiet) <= 0:
            pace.wrote(piece_s)
            count += 1
        return count * piece_s

    pace = WriteClock(0.0)
    assert AHEAD_S - piece_s < written_s(0.0) <= AHEAD_S
    # The thread slept: 10 s are owed, AHEAD_S is given.
    assert 0.0 < written_s(10.0) <= AHEAD_S


def test_nothing_is_written_into_a_pipe_that_is_not_drained() -> None:
    pace = WriteClock(0.0)
    assert pace.wait_s(1.0, CHUNK_BYTES, connected=True, quiet=False) > 0
    # Of a clip the next chunk may follow the last one's rest; silence waits, else a clip would begin late.
    assert pace.wait_s(1.0, CHUNK_BYTES // 2, connected=True, quiet=False) <= 0
    assert 0 < pace.wait_s(1.0, CHUNK_BYTES // 2, connected=True, quiet=True) <= CHUNK_S
    assert pace.wait_s(1.0, CHUNK_BYTES // 2, connected=False, quiet=False) > 0
