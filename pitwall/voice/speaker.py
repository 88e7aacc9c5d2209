"""The process that speaks phrases into files: one JSON line in, one out.

espeak remembers: the same phrase after others is up to 70 ms longer or shorter, so a clip would
depend on earlier ones, and a replay on the machine's history. Therefore each phrase gets a fresh
engine in a fork of this process, which has loaded pyttsx3 but not started espeak (a started one
does not survive a fork). 20 ms a phrase; a hang or a crash of espeak ends only the fork, which
trims and levels the sound too: that takes as long again, and several processes do it at once. Runs
as a script, so of ours it imports the file next to it alone. Its argument is the folder of the
files, which it removes at its end.

In: [text, voice name, words a minute, path of the WAV file to write]

Out: {"error": ""} once the file is complete, else what went wrong.
"""

import contextlib
import json
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

FINISH_S = 60.0  # the parent's deadline comes first; this one is for a fork whose parent is gone


def main() -> None:
    """Speak each line's phrase until stdin ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # pyttsx3 announces each file on stdout
    for line in sys.stdin:
        text, voice, rate_wpm, path = json.loads(line)
        child = os.fork()
        if child == 0:
            speak(replies, text, voice, rate_wpm, path)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status != 0:
            reply(replies, f"espeak crashed with status {status}")
    shutil.rmtree(sys.argv[1], ignore_errors=True)  # its owner may have been killed


def reply(replies: Any, error: str) -> None:
    """Write one answer."""
    replies.write(json.dumps({"error": error}) + "\n")
    replies.flush()


def speak(replies: Any, text: str, voice: str, rate_wpm: int, path: str) -> None:
    """Speak one phrase, answer, and end this process."""

    def end(error: str) -> None:
        reply(replies, error)
        os._exit(0)

    # pyttsx3 writes its file inside espeak's callback: an error there is lost but for this hook.
    sys.unraisablehook = lambda raised: end(f"{raised.exc_value}")
    try:
        end(to_file(text, voice, rate_wpm, path) or even(Path(path)))
    except BaseException as error:
        end(f"{type(error).__name__}: {error}")


def even(path: Path) -> str:
    """Trim the sound of a file and bring it to the usual loudness. Return "", as `to_file`."""
    import wav  # type: ignore[import-not-found]

    pcm = wav.trim(wav.read_raw(path))
    path.write_bytes(wav.as_wav(wav.levelled(pcm) if pcm else b""))
    return ""


def to_file(text: str, voice: str, rate_wpm: int, path: str) -> str:
    import pyttsx3
    from pyttsx3.drivers import _espeak

    engine = pyttsx3.Engine("espeak")
    finished = threading.Event()
    engine.connect("finished-utterance", lambda **_: finished.set())
    driver = engine.proxy._driver  # the engine's own setProperty queues, and swallows errors
    try:
        driver.setProperty("voice", voice)
    except ValueError:
        return f"espeak has no voice {voice!r}: `espeak-ng --voices` lists them"
    driver.setProperty("rate", rate_wpm)
    _espeak.Synchronize()  # else runAndWait may cancel the rate on its way
    engine.save_to_file(text, path)
    engine.runAndWait()  # returns after 10 ms, whether the file is written or not
    return "" if finished.wait(FINISH_S) else "espeak did not finish"


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parent))
    with contextlib.suppress(ImportError, RuntimeError):  # each fork will say what is missing
        # Here once and not in each fork.
        import pyttsx3.drivers.espeak  # noqa: F401
        import wav  # noqa: F401
    main()
