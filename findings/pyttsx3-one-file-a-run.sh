#!/usr/bin/env bash
# A coach's phrases are rendered before the drive: pyttsx3's save_to_file queues a phrase for a file, and runAndWait
# works on the queue. With espeak, pyttsx3 2.99 writes one file a run, whatever was queued: of three phrases the last
# one's file is there, the two before it never come into being, and no error is raised. One runAndWait for each phrase
# writes all three.
# Guess before the run: three files, each with its phrase, since say() speaks all that was queued.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" pyttsx3==2.99 espeakng-loader==0.2.4
ln -s "$dir/espeakng_loader/libespeak-ng.so" "$dir/libespeak-ng.so.1"
export ESPEAK_DATA_PATH=$dir/espeakng_loader/espeak-ng-data
found=$(cd "$dir" && LD_LIBRARY_PATH=$dir PYTHONPATH=$dir python3 -W ignore - <<'P'
import contextlib
import pathlib
import sys

import pyttsx3

PHRASES = {"seven": "Turn seven", "brake": "brake later", "lengths": "two car lengths"}
engine = pyttsx3.init("espeak")
ended = []
engine.connect("finished-utterance", lambda name, completed: ended.append(completed))


def render(folder, at_once):
    pathlib.Path(folder).mkdir()
    with contextlib.redirect_stdout(sys.stderr):
        for name, phrase in PHRASES.items():
            engine.save_to_file(phrase, f"{folder}/{name}.wav")
            if not at_once:
                engine.runAndWait()
        if at_once:
            engine.runAndWait()
    print(folder, sorted(each.name for each in pathlib.Path(folder).iterdir()), "finished", len(ended))
    ended.clear()


render("one_run", True)
render("a_run_each", False)
P
)
echo "$found"
[ "$found" = "one_run ['lengths.wav'] finished 1
a_run_each ['brake.wav', 'lengths.wav', 'seven.wav'] finished 3" ] || { echo "this has changed" >&2; exit 1; }
