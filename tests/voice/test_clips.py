"""Real phrases through the real espeak-ng, into real files."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
import wave
from array import array
from itertools import pairwise
from pathlib import Path

import null_sink
import pytest
from copies import link_clips

from pitwall.config import Home
from pitwall.drive.prepare import known_tracks, prepare_words
from pitwall.voice import clips, render
from pitwall.voice.clips import Clip, ClipCache, pcm_of
from pitwall.voice.render import PhraseRenderer, Voice, VoiceError
from pitwall.voice.wav import (
    CHIME_HZ,
    CHIME_PAUSE_S,
    CHIME_S,
    KEEP_SAMPLES,
    LOUDNESS_LUFS,
    QUIET,
    RATE_HZ,
    chime,
    loudness_lufs,
    read_any,
    samples,
    trim,
)
from pitwall.words.forms import estimate_s

# The map, figures: espeak-ng at 175 wpm; another version of espeak is allowed to differ a little.
MEASURED_S = {"Brake": 0.31, "Brake now": 0.58, "Brake at the bridge": 0.89, "Turn three, brake later": 1.36}
OTHER_VERSION = 0.12


@pytest.fixture(autouse=True)
def espeak() -> None:
    try:
        render.engine_id()
    except VoiceError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without espeak: its Python side does not load."""
    for name in [name for name in sys.modules if name.startswith("pyttsx3.drivers")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyttsx3.drivers", None)


def test_lengths_are_those_of_the_speech(tmp_path: Path) -> None:
    made = ClipCache(tmp_path).render(MEASURED_S)
    assert list(made) == list(MEASURED_S)
    for text, measured_s in MEASURED_S.items():
        clip = made[text]
        assert clip.clip_s == pytest.approx(measured_s, rel=OTHER_VERSION)
        assert clip.path is not None
        with wave.open(str(clip.path)) as file:
            assert file.getparams()[:3] == (1, 2, RATE_HZ)
            assert file.getnframes() / RATE_HZ == clip.clip_s
            assert file.readframes(file.getnframes()) == clip.pcm
        # It was trimmed before it was levelled, which may halve a soft onset.
        loud = [k for k, value in enumerate(samples(clip.pcm)) if abs(value) > QUIET / 2]
        assert loud[0] <= KEEP_SAMPLES
        assert len(clip.pcm) // 2 - 1 - loud[-1] <= KEEP_SAMPLES


def test_each_phrase_has_its_own_sound_whatever_was_said_before(tmp_path: Path) -> None:
    phrases = [f"Turn {number}, brake later" for number in range(12)]
    made = ClipCache(tmp_path).render(phrases)
    assert list(made) == phrases
    assert len({pcm_of(clip) for clip in made.values()}) == 12
    # espeak itself remembers what it said before; a clip must not, or replays would depend on history.
    with PhraseRenderer(Voice()) as speaker:
        assert speaker.pcm(phrases[7]) == pcm_of(made[phrases[7]])


# The softest, loudest and most peaked phrases as espeak gives them: -22.3 to -16.5 LUFS, to -0.04 dBFS.
UNEVEN = (
    "braked late",
    "Smooth",
    "Brake",
    "oh oh",
    "Eyes up",
    "point three",
    "Oil pressure! Engine off, pull over.",
)


def test_all_clips_are_of_one_loudness_and_none_reaches_full_scale(tmp_path: Path) -> None:
    made = ClipCache(tmp_path).render(UNEVEN)
    assert [loudness_lufs(clip.pcm) for clip in made.values()] == pytest.approx(
        [LOUDNESS_LUFS] * len(UNEVEN), abs=0.2
    )
    peaks = [max(abs(value) for value in samples(clip.pcm)) / 32768 for clip in made.values()]
    assert max(peaks) < 10 ** (-1 / 20)
    assert len(samples(made["Brake"].pcm)) / RATE_HZ == made["Brake"].clip_s


@pytest.mark.parametrize(("hz", "lufs"), [(997.0, -3.01), (50.0, -7.6), (4000.0, 0.3)])
def test_loudness_is_that_of_the_standard(hz: float, lufs: float) -> None:
    """A sine at full scale in one channel reads -3.01 LUFS at 997 Hz (BS.1770-4, annex 1), less where it is
    low, more where it is high (the curves of its figures 2 and 4)."""
    tone = array("h", (round(32767 * math.sin(2 * math.pi * hz * k / RATE_HZ)) for k in range(2 * RATE_HZ)))
    assert loudness_lufs(tone.tobytes()) == pytest.approx(lufs, abs=0.4)
    silence = bytes(2 * 5 * RATE_HZ)  # the gate leaves pauses out
    assert loudness_lufs(tone.tobytes() + silence) == pytest.approx(lufs, abs=0.8)


def test_a_warning_begins_with_a_chime_that_counts_in_its_length_and_nothing_else_does(
    tmp_path: Path, sonoma_clips: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "levelled", bytes)  # as in `sonoma_clips`
    home = Home(tmp_path / "home")
    home.prepare()
    link_clips(sonoma_clips, home.clips)
    words = prepare_words(home, known_tracks(home)[0]["sonoma"], sound=True)
    chimed = {text for text, clip in words.clips.items() if pcm_of(clip).startswith(chime())}
    fixed = home.words.fixed
    assert chimed == {fixed["oil_pressure"], fixed["coolant_hot"], fixed["oil_hot"]}
    plain = ClipCache(tmp_path / "plain").render(chimed)
    for text in chimed:
        clip = words.clips[text]
        assert pcm_of(clip) == chime() + pcm_of(plain[text])
        assert words.clip_s(text) == pytest.approx(plain[text].clip_s + CHIME_S + CHIME_PAUSE_S)
        assert clip.path.name != plain[text].path.name
    tone = samples(chime())
    rises = sum(before < 0 <= now for before, now in pairwise(tone))
    assert rises / CHIME_S == pytest.approx(CHIME_HZ, rel=0.02)
    assert max(map(abs, tone)) < 32768 / 2


def test_clips_of_an_earlier_processing_are_rendered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(clips, "PROCESSING", clips.PROCESSING - 1)
        old = ClipCache(tmp_path).render(["Brake"])["Brake"]
    new = ClipCache(tmp_path).render(["Brake"])["Brake"]
    assert new.path != old.path
    assert json.loads((tmp_path / clips.SPOKEN).read_bytes()) == {"Brake": new.path.stem if new.path else ""}


def test_a_second_cache_renders_nothing(tmp_path: Path) -> None:
    first = ClipCache(tmp_path).render(MEASURED_S)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.wav")}
    second = ClipCache(tmp_path).render(MEASURED_S)
    assert second == first
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.wav")} == before
    assert len(before) == len(MEASURED_S)


def test_another_rate_and_another_voice_are_other_clips(tmp_path: Path) -> None:
    slow = ClipCache(tmp_path, Voice(rate_wpm=140)).render(["Brake now"])["Brake now"]
    fast = ClipCache(tmp_path, Voice(rate_wpm=220)).render(["Brake now"])["Brake now"]
    american = ClipCache(tmp_path, Voice(name="gmw/en-us", rate_wpm=220)).render(["Brake now"])["Brake now"]
    assert slow.clip_s > fast.clip_s
    assert american.pcm != fast.pcm
    assert len({slow.path, fast.path, american.path}) == 3


@pytest.mark.parametrize(
    "harm",
    [
        lambda data, _: data[: len(data) // 2],
        lambda data, _: b"",
        lambda data, _: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
        lambda data, other: other,
        lambda data, _: b"ID3" + data,
    ],
    ids=["cut short", "empty", "flipped bit", "another clip", "not a WAV"],
)
def test_a_damaged_or_foreign_file_is_rendered_again(tmp_path: Path, harm) -> None:  # type: ignore[no-untyped-def]
    made = ClipCache(tmp_path).render(["Brake", "Brake now"])
    path, other = made["Brake"].path, made["Brake now"].path
    whole = path.read_bytes()
    path.write_bytes(harm(whole, other.read_bytes()))
    assert ClipCache(tmp_path).render(["Brake"])["Brake"].pcm == made["Brake"].pcm
    assert path.read_bytes() == whole


@pytest.mark.many
def test_two_processes_share_a_folder(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from pitwall.voice.clips import ClipCache\n"
        "made = ClipCache(Path(sys.argv[1])).render(f'Lap {n} done' for n in range(10))\n"
        "print(sum(len(clip.pcm) for clip in made.values()))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=300)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert said[0] == said[1]
    assert len(said[0].split()) == 1, "rendering prints nothing on stdout"
    assert len(list(tmp_path.glob("*.wav"))) == 10


def test_cancelling_stops_after_the_current_phrase(tmp_path: Path) -> None:
    cancel = threading.Event()

    def stop_at_three(done: int, _total: int) -> None:
        if done == 3:
            cancel.set()

    made = ClipCache(tmp_path).render((f"Gap is {n} tenths" for n in range(50)), stop_at_three, cancel)
    assert len(made) == 3 <= len(list(tmp_path.glob("*.wav"))) < 50


@pytest.mark.parametrize(
    ("phrase", "says"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("...", "makes no sound"),
        ("a\x00b", "control"),
        ("go " * 200, "letters"),
    ],
)
def test_a_phrase_that_cannot_be_spoken_is_named_and_the_others_are_made(
    tmp_path: Path, phrase: str, says: str
) -> None:
    cache = ClipCache(tmp_path)
    with pytest.raises(VoiceError, match=says):
        cache.render(["Brake", phrase, "Brake now"])
    assert cache.clip("Brake now") is not None
    assert cache.clip(phrase) is None


def test_an_unknown_voice_says_so_and_the_next_one_speaks(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match=r"no voice 'nobody'.*--voices"):
        ClipCache(tmp_path, Voice("nobody")).render(["Brake"])
    assert ClipCache(tmp_path).render(["Brake"])["Brake"].clip_s > 0


def test_a_hanging_engine_is_killed_and_the_next_phrase_is_rendered(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "nobody reads this")
    with PhraseRenderer(Voice(), deadline_s=2.0) as speaker:
        before = speaker.pcm("Brake now")
        with pytest.raises(VoiceError, match=r"'Brake now': espeak hung for 2 s"):
            speaker.to_file("Brake now", tmp_path / "nobody reads this")
        assert speaker.pcm("Brake now") == before


def test_a_file_that_cannot_be_written_is_an_error_and_no_hang(tmp_path: Path) -> None:
    with PhraseRenderer(Voice()) as speaker, pytest.raises(VoiceError, match="no folder"):
        speaker.to_file("Brake now", tmp_path / "no folder" / "phrase.wav")


@pytest.mark.usefixtures("no_engine")
def test_without_espeak_it_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match="apt install espeak-ng"):
        ClipCache(tmp_path).render(["Brake"])


def test_without_espeak_what_was_rendered_before_still_speaks(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    made = ClipCache(tmp_path).render(["Brake now"])
    request.getfixturevalue("no_engine")
    cache = ClipCache(tmp_path)
    assert cache.render(["Brake now"]) == made
    with pytest.raises(VoiceError, match="install espeak-ng"):
        ClipCache(tmp_path).render(["Brake", "Brake now"])
    lines = cache.outline(["Brake now", "Turn three, brake later"])
    assert lines["Brake now"] == made["Brake now"]
    assert lines["Turn three, brake later"] == Clip("Turn three, brake later", None, 1.36, estimated=True)
    with pytest.raises(ValueError, match="no sound"):
        pcm_of(lines["Turn three, brake later"])


def test_where_the_folder_cannot_be_used_clips_are_made_for_this_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "clips").write_text("in the way")
    [made] = ClipCache(tmp_path / "clips").render(["Brake"]).values()
    assert pcm_of(made)
    [again] = ClipCache(tmp_path / "clips").render(["Brake"]).values()
    assert again.path == made.path
    assert f"for this run only: {tmp_path / 'clips'}" in caplog.text


def test_memory_is_bounded_and_the_rest_is_read_from_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clips, "KEEP_PCM_BYTES", 20_000)
    made = ClipCache(tmp_path).render(["Brake", "Turn three, brake later"])
    assert made["Brake"].pcm
    assert not made["Turn three, brake later"].pcm
    assert (
        len(pcm_of(made["Turn three, brake later"])) / 2 / RATE_HZ == made["Turn three, brake later"].clip_s
    )


def test_estimates_stay_near_the_measured_lengths() -> None:
    assert [estimate_s(text) for text in ("Brake", "Brake now")] == pytest.approx([0.31, 0.58])
    assert estimate_s("one two three four five six seven eight nine ten eleven") == pytest.approx(3.3)
    assert estimate_s("word " * 22) == pytest.approx(6.6)


def test_trim_keeps_5_ms_at_both_ends() -> None:
    quiet, loud = bytes(2000), b"\x00\x10" * 50
    assert trim(quiet + loud + quiet) == bytes(2 * KEEP_SAMPLES) + loud + bytes(2 * KEEP_SAMPLES)
    assert trim(loud) == loud
    assert trim(quiet) == b""


FLITE = "flite -o {wav}"


@pytest.fixture
def flite() -> None:
    """A second speech program, from Debian."""
    null_sink.need("flite")


@pytest.mark.usefixtures("flite")
def test_another_program_speaks_clips_of_one_loudness_under_keys_of_their_own(tmp_path: Path) -> None:
    spoken = ClipCache(tmp_path, Voice(program=FLITE)).render(["Brake now", "Turn three"])
    by_espeak = ClipCache(tmp_path).render(["Brake now"])["Brake now"]
    clip = spoken["Brake now"]
    assert clip.path != by_espeak.path
    assert 0.3 < clip.clip_s < 1.5
    pcm = pcm_of(clip)
    assert loudness_lufs(samples(pcm)) == pytest.approx(LOUDNESS_LUFS, abs=1.0)
    made = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.wav")}
    assert ClipCache(tmp_path, Voice(program=FLITE)).render(["Brake now"])["Brake now"].path == clip.path
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.wav")} == made


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("no-such-voice {wav}", "there is no program 'no-such-voice'"),
        ("sh -c 'echo the model is broken >&2; exit 3' {wav}", "ended with code 3: the model is broken"),
        ("sh -c 'sleep 30' {wav}", "hung"),
        ("cp /etc/hostname {wav}", "no WAV file that can be read"),
        ("true {wav}", "left no usable sound"),
        ("sh -c 'unclosed {wav}", "can't be read"),
    ],
)
def test_espeak_speaks_in_place_of_a_program_that_fails_and_one_line_says_so(
    tmp_path: Path, program: str, told: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "PHRASE_DEADLINE_S", 2.0)
    monkeypatch.setattr(PhraseRenderer.__init__, "__defaults__", (5.0 if "sleep" not in program else 2.0,))
    cache = ClipCache(tmp_path, Voice(program=program))
    found = cache.render(["Brake now", "Turn three"])
    by_espeak = ClipCache(tmp_path).render(["Brake now", "Turn three"])
    assert {text: clip.path for text, clip in found.items()} == {
        text: clip.path for text, clip in by_espeak.items()
    }
    [line] = caplog.messages
    assert told in line
    assert line.endswith("espeak speaks in its place")


def test_wav_files_of_other_rates_and_two_channels_come_to_our_format(tmp_path: Path) -> None:
    def tone(rate_hz: int, channels: int) -> Path:
        path = tmp_path / f"{rate_hz}-{channels}.wav"
        wanted = (round(8000 * math.sin(2 * math.pi * 440 * n / rate_hz)) for n in range(rate_hz))
        with wave.open(str(path), "wb") as file:
            file.setparams((channels, 2, rate_hz, 0, "NONE", ""))
            file.writeframes(array("h", (v for value in wanted for v in [value] * channels)).tobytes())
        return path

    for rate_hz, channels in ((RATE_HZ, 1), (16_000, 1), (48_000, 2), (8_000, 2)):
        got = array("h", read_any(tone(rate_hz, channels)))
        assert len(got) == pytest.approx(RATE_HZ, abs=4)
        for n in range(0, len(got), 501):
            assert got[n] == pytest.approx(8000 * math.sin(2 * math.pi * 440 * n / RATE_HZ), abs=130)
    with pytest.raises(ValueError, match="no WAV file"):
        read_any(Path(__file__))
