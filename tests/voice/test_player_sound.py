"""The player against a real PulseAudio null sink: all findings come from the recorded samples."""

from __future__ import annotations

import os
import select
import signal
import statistics
import threading
import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from null_sink import PATIENCE_S, SoundServer, counting_clip, need, runs

from pitwall.voice.clips import Clip
from pitwall.voice.player import StreamPlayer, open_player
from pitwall.voice.stream import CHUNK_SAMPLES, COMMANDS

CUT_S = 0.060  # issue 2: a safety cue cuts off what is playing within 60 ms
CUTS = 9

NORMAL = counting_clip("Brake at the bridge", 1.2, 1)
SAFETY = counting_clip("Yellow flag", 0.4, -1)
BY_NAME = {command.name: command for command in COMMANDS}


@contextmanager
def playing(name: str = "pacat") -> Iterator[StreamPlayer]:
    player = StreamPlayer(BY_NAME[name])
    try:
        assert player.wait_ready(PATIENCE_S), player.state()
        yield player
    finally:
        player.stop()


def say(player: StreamPlayer, clip: Clip, *, cut: bool = False) -> None:
    player.play(clip, cut=cut)
    assert player.wait_idle(PATIENCE_S), player.state()


def test_a_clip_sounds_whole_and_once(server: SoundServer) -> None:
    with server.record() as recorder, playing() as player:
        handed: list[tuple[str, float]] = []
        player.on_handed = lambda clip, at_s: handed.append((clip.text, at_s))
        say(player, NORMAL)
        recorder.wait_for_clip(NORMAL)
        heard = [run for run in runs(recorder.samples()) if run[0]]
    assert [(sign, last - first + 1) for sign, first, last in heard] == [(1, len(NORMAL.pcm) // 2)]
    assert [text for text, _ in handed] == [NORMAL.text]
    onset_s = recorder.time_s(heard[0][1]) - handed[0][1]
    print(f"first chunk written to first sample out of the sink: {onset_s * 1000:.1f} ms")


def test_a_clip_that_waits_follows_without_a_gap(server: SoundServer) -> None:
    with server.record() as recorder, playing() as player:
        player.play(NORMAL, cut=False)
        player.play(SAFETY, cut=False)
        recorder.wait_for_clip(SAFETY)
        heard = runs(recorder.samples())
    signs = [sign for sign, _, _ in heard]
    at = signs.index(1)
    between = heard[at + 1]
    assert signs[at:][:3] in ([1, 0, -1], [1, -1])
    if between[0] == 0:
        assert between[2] - between[1] + 1 <= CHUNK_SAMPLES  # the last chunk of a clip is filled with silence


@pytest.mark.parametrize("name", ["pacat", "aplay"])
def test_a_safety_clip_cuts_off_a_normal_one_within_60_ms(server: SoundServer, name: str) -> None:
    need(name)
    with server.record() as recorder, playing(name) as player:
        asked_s: list[float] = []
        for done in range(CUTS):
            player.play(NORMAL, cut=False)
            recorder.wait_for(lambda pcm, so_far=done: onsets(pcm) > so_far)
            asked_s.append(time.monotonic())
            say(player, SAFETY, cut=True)
        recorder.wait_for(lambda pcm: pcm.count(SAFETY.pcm) == CUTS)
        heard = runs(recorder.samples())
    ends = [recorder.time_s(last + 1) for sign, _, last in heard if sign == 1]
    lengths = [last - first + 1 for sign, first, last in heard if sign == 1]
    assert len(ends) == CUTS, "each normal clip is cut in one piece"
    assert max(lengths) < len(NORMAL.pcm) // 2, "each normal clip was really cut off"
    cuts = [end_s - at_s for end_s, at_s in zip(ends, asked_s, strict=True)]
    follows = [heard[i + 1] for i, run in enumerate(heard) if run[0] == 1]
    print(f"{name} cut off after ms:", *(f"{cut * 1000:.1f}" for cut in sorted(cuts)))
    assert all(sign == -1 for sign, _, _ in follows), "the safety clip follows at once"
    assert 0 < statistics.median(cuts) <= CUT_S


def onsets(pcm: bytes) -> int:
    """How many rising clips have sounded for a tenth of a second."""
    mark = array("h", [2205]).tobytes()
    return pcm.count(mark)


def test_the_stream_stays_open_between_clips(server: SoundServer) -> None:
    with server.record() as recorder, playing() as player:
        pid, streams = player.pid, server.streams()
        for clip in (NORMAL, SAFETY, NORMAL):
            say(player, clip)
        recorder.wait_for(lambda pcm: pcm.count(NORMAL.pcm) == 2)
        assert server.streams() == streams
        assert (player.pid, player.state().restarts) == (pid, 0)
    assert len(streams) == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "hung"])
def test_the_next_cue_plays_when_the_program_is_gone(server: SoundServer, number: signal.Signals) -> None:
    with server.record() as recorder, playing() as player:
        say(player, NORMAL)
        pid = player.pid
        os.kill(pid, number)
        if number == signal.SIGSTOP:
            wait_until_gone(pid)
            assert player.wait_ready(PATIENCE_S)
        player.play(SAFETY, cut=True)
        recorder.wait_for_clip(SAFETY)
        state = player.state()
    assert state.restarts >= 1
    assert state.last_error
    assert state.name == "pacat"


def test_a_cue_that_died_with_the_program_is_not_repeated_late(server: SoundServer) -> None:
    with server.record() as recorder, playing() as player:
        player.play(NORMAL, cut=False)
        recorder.wait_for(lambda pcm: array("h", [15000]).tobytes() in pcm)  # 0.68 s of it have sounded
        os.kill(player.pid, signal.SIGKILL)
        recorder.wait_for(lambda _: player.state().restarts > 0)
        assert player.wait_ready(PATIENCE_S)
        say(player, SAFETY)
        recorder.wait_for_clip(SAFETY)
        heard = [sign for sign, _, _ in runs(recorder.samples()) if sign]
    assert heard == [1, -1]


def test_the_next_cue_plays_when_the_sound_server_was_killed(own_server: SoundServer) -> None:
    with playing() as player:
        with own_server.record():
            say(player, NORMAL)
        own_server.kill()
        wait_until_gone(player.pid)
        player.play(NORMAL, cut=False)  # nobody can hear this one, and it is not saved up
        own_server.start()
        with own_server.record() as recorder:
            assert player.wait_ready(PATIENCE_S), player.state()
            say(player, SAFETY)
            recorder.wait_for_clip(SAFETY)
            heard = [sign for sign, _, _ in runs(recorder.samples()) if sign]
    assert heard == [-1]
    assert player.state().restarts >= 1
    assert player.state().dropped == 1


def test_stop_leaves_no_process_and_no_thread(server: SoundServer) -> None:
    with playing() as player:
        pid = player.pid
        player.play(NORMAL, cut=False)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert player.pid == 0
    assert not [thread for thread in threading.enumerate() if thread.name == "pitwall-player"]
    player.stop()


def test_auto_finds_the_sound_server(server: SoundServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "pitwall.voice")
    player = open_player("auto")
    try:
        assert player.name == "pacat"
        assert "sound: pacat" in caplog.text
    finally:
        player.stop()


def wait_until_gone(pid: int) -> None:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], PATIENCE_S)[0], f"process {pid} does not end"
    finally:
        os.close(handle)
