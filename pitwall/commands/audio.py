"""`pitwall audio calibrate|test`: measure the sound delay, or hear the voices."""

from __future__ import annotations

import argparse
import sys
import termios
from datetime import UTC, datetime

from pitwall.commands.common import add_command, add_json, note, print_answer, say
from pitwall.commands.settings_file import add_config, read_settings
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.doctor_phone import phone_route
from pitwall.drive.prepare import voice_of
from pitwall.voice.calibrate import BEAT_S, CLICKS, TAPS_LEAD_S, CalibrationError, calibrate_by_taps
from pitwall.voice.clips import Clip
from pitwall.voice.delay import (
    NO_DEVICE,
    Calibration,
    keep_calibration,
    on_route,
    output_device,
)
from pitwall.voice.playback_queue import Player
from pitwall.voice.player import PATIENT_TRY_S, find_sound
from pitwall.voice.render import PhraseRenderer, VoiceError
from pitwall.voice.wav import BYTES_PER_S

# A player that takes longer to fall silent after a clip has lost its device.
IDLE_WITHIN_S = 5.0
TEST_PHRASE = "Turn seven: brake a little later"
NO_SOUND = "there is no sound device: start the sound server (pulseaudio --start) or plug one in"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    calibrate = add_command(
        actions,
        "calibrate",
        "measure the delay to your ear, and keep it: you tap Enter with clicks that you hear",
        _calibrate,
    )
    add_json(calibrate)
    test = add_command(actions, "test", "hear a call by the voice of the settings, and by espeak-ng", _test)
    add_config(test)


def _calibrate(arguments: argparse.Namespace, home: Home) -> int:
    player, why = find_sound(PATIENT_TRY_S)
    if player is None:
        raise UserError(f"{NO_SOUND} ({why})")
    try:
        device = output_device(player.name)
        if device == NO_DEVICE:
            raise UserError(NO_SOUND)
        found = _tapped(player)
        device = on_route(device, phone_route(home))
        keep_calibration(home, device, found)
    except CalibrationError as error:
        raise UserError(f"not calibrated: {error}") from None
    except OSError as error:
        raise UserError(f"the calibration can't be kept in {home.root} ({error.strerror})") from None
    finally:
        player.stop()
    print_answer(
        {"device": device, "calibration": found}, [f"{device}: {_figures(found)}"], as_json=arguments.json
    )
    return 0


def _test(arguments: argparse.Namespace, home: Home) -> int:
    audio = read_settings(arguments.config, home)[0].settings.audio
    espeak = voice_of(home, audio.voice, "")
    voices = {"espeak-ng": espeak}
    if audio.speak:
        voices = {audio.speak: voice_of(home, audio.voice, audio.speak), **voices}
    player, why = find_sound(PATIENT_TRY_S)
    if player is None:
        raise UserError(f"{NO_SOUND} ({why})")
    code = 0
    try:
        for name, voice in voices.items():
            try:
                with PhraseRenderer(voice) as renderer:
                    pcm = renderer.pcm(TEST_PHRASE)
            except VoiceError as error:
                note(str(error))
                code = 1
                continue
            clip = Clip(TEST_PHRASE, None, len(pcm) / BYTES_PER_S, pcm)
            say(f"{name}: {clip.clip_s:.2f} s")
            player.play(clip, cut=False)
            player.wait_idle(clip.clip_s + IDLE_WITHIN_S)
    finally:
        player.stop()
    return code


def _tapped(player: Player) -> Calibration:
    if not sys.stdin.isatty():
        raise UserError("to tap along run this in a terminal")
    keyboard = sys.stdin.fileno()
    note(f"tap Enter with each click: {CLICKS} of them, one every {BEAT_S} s; find the beat with the first")
    note(f"people tap a little before a beat: {TAPS_LEAD_S * 1000:.0f} ms are added, keyboard reckoned in")
    termios.tcflush(keyboard, termios.TCIFLUSH)
    return calibrate_by_taps(player, keyboard)


def _figures(found: Calibration) -> str:
    day = datetime.fromtimestamp(found.measured_utc_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return (
        f"{found.delay_s * 1000:.0f} ms from write to sound, ± {found.error_s * 1000:.0f} ms "
        f"({found.count} clicks, spread {found.spread_s * 1000:.1f} ms, {day})"
    )
