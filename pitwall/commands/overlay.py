"""`pitwall overlay VIDEO`: copy a film of a lap with speed, delta, map and callouts in it, by ffmpeg."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from pitwall.analysis.overlay import STEP_S, HeardCall, Instant, Speeds, begin_of, subtitles, time_at
from pitwall.analysis.session_view import TrackView, track_view
from pitwall.api import answers
from pitwall.api.answers import LapRow, LapTrace, find_track
from pitwall.api.reading import trace_json
from pitwall.coach.cue import PLAYED, LedgerLine
from pitwall.commands.common import SESSION_HELP, must_be_new, say
from pitwall.commands.stored_or_served import Wanted, of_session, read_all, segment, stored_session
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.helpers.child_process import end_program, start_program
from pitwall.store.files import free_name
from pitwall.store.queries import SessionRow
from pitwall.telemetry.recordings.gopro import film_speeds

# The film begins this long before the lap, and ends as much after it.
AROUND_S = 3.0
# A film is placed by the speeds of this number of laps before and after.
LAPS_AROUND = 3
INSTALL = "apt install ffmpeg (on a phone in the Debian of Termux; macOS: brew install ffmpeg)"
PROBED_WITHIN_S = 30.0


class _Stream(msgspec.Struct, frozen=True):
    width: int = 0
    height: int = 0
    side_data_list: list[dict[str, object]] = []


class _Format(msgspec.Struct, frozen=True):
    duration: str = "0"


class _Probe(msgspec.Struct, frozen=True):
    streams: list[_Stream] = []
    format: _Format = _Format()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("video", metavar="VIDEO", type=Path, help="a film of the session")
    parser.add_argument("session", metavar="SESSION", nargs="?", default="last", help=SESSION_HELP)
    parser.add_argument("--lap", type=int, metavar="N", help="the lap (default: the best)")
    parser.add_argument(
        "--against", type=int, metavar="N", help="the lap that the delta is to (default: the best other one)"
    )
    parser.add_argument(
        "--at",
        type=float,
        metavar="SECONDS",
        help="where in the film the lap begins (default: by the GPS of a GoPro's film)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the film to write (default: a new one here)"
    )


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Run the command; return its exit code."""
    for program in ("ffmpeg", "ffprobe"):
        if shutil.which(program) is None:
            raise UserError(f"{program} is not installed: {INSTALL}")
    video: Path = arguments.video.absolute()
    if not video.is_file():
        raise UserError(f"{video} is no file")
    if arguments.out is not None:
        must_be_new(arguments.out)
    row, laps, ledger, track = _session(home, arguments.session)
    lap, other = _lap(laps, arguments.lap, None), None
    timed = [each for each in laps if each.kind == "flying" and each.lap != lap.lap]
    if timed or arguments.against is not None:
        other = _lap(timed, arguments.against, laps)
    traces = _traces(home, row, [lap] + ([other] if other else []))
    size, film_s = _probed(video)
    at_s = arguments.at if arguments.at is not None else _found(home, row, laps, lap, video)
    if not -AROUND_S < at_s < film_s:
        raise UserError(f"the film is {film_s:.0f} s long, and lap {lap.lap} begins at {at_s:.1f} s of it")
    begin_s = max(at_s - AROUND_S, 0.0)
    speed = home.words.figures.measure("m/s")
    text = subtitles(
        _instants(traces[0], traces[1] if other else None, track, speed.factor),
        [
            HeardCall(line.t - lap.start_t, line.clip_s or 0.0, line.text)
            for line in ledger
            if line.outcome in PLAYED and lap.start_t <= line.t < lap.end_t
        ],
        track.line if track is not None else (),
        title=_title(row, lap, other, home),
        unit=speed.name,
        size=size,
        ahead_s=at_s - begin_s,
    )
    out: Path = arguments.out or free_name(Path.cwd(), f"{video.stem}-lap{lap.lap}.mp4")
    _write(video, out.absolute(), text, begin_s, at_s - begin_s + lap.end_t - lap.start_t + AROUND_S)
    say(f"{out}: lap {lap.lap}, which begins at {at_s:.2f} s of {video.name}")
    return 0


def _session(home: Home, wanted: str) -> tuple[SessionRow, list[LapRow], list[LedgerLine], TrackView | None]:
    row = stored_session(home, wanted)
    asked = [of_session(row.id, answers.laps, "/laps"), of_session(row.id, answers.ledger, "/ledger")]
    if row.track:
        view = Wanted(
            lambda store: msgspec.json.encode(
                track_view(find_track(store.home, row.track), store.home.words)
            ),
            f"/tracks/{segment(row.track)}/view",
        )
        asked.append(view)
    laps, ledger, *track = read_all(home, *asked)
    return (
        row,
        msgspec.json.decode(laps, type=list[LapRow]),
        msgspec.json.decode(ledger, type=list[LedgerLine]),
        msgspec.json.decode(track[0], type=TrackView) if track else None,
    )


def _lap(laps: Sequence[LapRow], number: int | None, among: Sequence[LapRow] | None) -> LapRow:
    if number is not None:
        found = next((each for each in among or laps if each.lap == number), None)
        if found is None:
            have = ", ".join(str(each.lap) for each in among or laps) or "none"
            raise UserError(f"there is no lap {number}; there are: {have}")
        return found
    timed = [each for each in laps if each.kind == "flying" and each.time_s is not None]
    if not timed:
        raise UserError("the session has no flying lap: name a lap with --lap")
    return min(timed, key=lambda each: each.time_s or 0.0)


def _traces(home: Home, row: SessionRow, laps: Iterable[LapRow]) -> list[LapTrace]:
    asked = [
        Wanted(
            lambda store, number=each.lap: trace_json(store, row.id, number),  # type: ignore[misc]
            f"/sessions/{segment(row.id)}/laps/{each.lap}/trace",
        )
        for each in laps
    ]
    return [msgspec.json.decode(each, type=LapTrace) for each in read_all(home, *asked)]


def _found(home: Home, row: SessionRow, laps: Sequence[LapRow], lap: LapRow, video: Path) -> float:
    """Return where in the film the lap begins, by its GPS. UserError where that can't be found."""
    by_hand = "say where in the film the lap begins: --at SECONDS"
    film = film_speeds(video)
    if len(film.speeds) < 2:
        raise UserError(f"{video.name} holds no GPS of a GoPro: {by_hand}")
    near = [each for each in laps if abs(each.lap - lap.lap) <= LAPS_AROUND]
    driven: dict[float, float] = {}
    for trace in _traces(home, row, near):
        t, speed = trace.columns.index("t"), trace.columns.index("speed_mps")
        driven |= {each[t]: each[speed] for each in trace.rows if each[speed] is not None}
    clock_s = None if film.utc_s is None or row.start_utc_s is None else film.utc_s - row.start_utc_s
    speeds: Speeds = sorted(driven.items())
    begin_s = begin_of(film.speeds, speeds, clock_s)
    if begin_s is None:
        raise UserError(f"the speeds in {video.name} fit no place of session {row.id} alone: {by_hand}")
    return lap.start_t - begin_s


def _instants(
    trace: LapTrace, other: LapTrace | None, track: TrackView | None, factor: float
) -> list[Instant]:
    """Thin a lap's frames out to what a film shows."""
    column = {name: trace.columns.index(name) for name in ("t", "speed_mps", "gear", "distance_m")}
    start, end = trace.lap.start_t, trace.lap.end_t
    reached = _reached(other) if other is not None else []
    found: list[Instant] = []
    for row in trace.rows:
        t, speed, gear, place_m = (row[column[name]] for name in column)
        if not start <= t <= end or speed is None or (found and t - start - found[-1].t < STEP_S - 0.001):
            continue
        place = their_s = None
        if place_m is not None and track is not None and track.line:
            place = track.line[int(place_m / track.step_m) % len(track.line)]
            their_s = time_at(reached, place_m)
        delta_s = None if their_s is None else t - start - their_s
        found.append(Instant(t - start, speed * factor, gear, delta_s, place))
    return found


def _reached(trace: LapTrace) -> list[tuple[float, float]]:
    """Return when a lap was where, as (m, s since its start), never backwards."""
    t, place = trace.columns.index("t"), trace.columns.index("distance_m")
    found: list[tuple[float, float]] = []
    for row in trace.rows:
        if row[place] is None or not trace.lap.start_t <= row[t] <= trace.lap.end_t:
            continue
        if not found or row[place] > found[-1][0]:
            found.append((row[place], row[t] - trace.lap.start_t))
    return found


def _title(row: SessionRow, lap: LapRow, other: LapRow | None, home: Home) -> str:
    clock = home.words.figures.clock
    against = f", vs lap {other.lap} ({clock(other.time_s)})" if other is not None and other.time_s else ""
    timed = f" {clock(lap.time_s)}" if lap.time_s is not None else ""
    return f"{row.track or row.name or row.id}  Lap {lap.lap}{timed}{against}"


def _probed(video: Path) -> tuple[tuple[int, int], float]:
    """Return a film's size as it is shown, and its length, s. UserError."""
    asked = ("ffprobe", "-v", "error", "-select_streams", "v:0", "-of", "json", "-show_entries",
             "stream=width,height:stream_side_data=rotation:format=duration", f"file:{video}")  # fmt: skip
    answer = subprocess.run(asked, capture_output=True, check=False, timeout=PROBED_WITHIN_S)  # noqa: S603
    try:
        probe = msgspec.json.decode(answer.stdout, type=_Probe)
        [stream] = probe.streams
        wide, high = stream.width, stream.height
        if any(abs(int(str(each.get("rotation", 0)))) % 180 == 90 for each in stream.side_data_list):
            wide, high = high, wide
        return (wide, high), float(probe.format.duration)
    except (msgspec.MsgspecError, ValueError):
        why = answer.stderr.decode(errors="replace").strip().rpartition("\n")[2][:200]
        raise UserError(f"{video} is no film that ffmpeg reads: {why or 'it has no picture'}") from None


def _write(video: Path, out: Path, text: str, begin_s: float, long_s: float) -> None:
    part = out.with_name(f".{out.stem}.part{out.suffix or '.mp4'}")
    with tempfile.TemporaryDirectory(prefix="pitwall-overlay-") as folder:
        drawn, said = Path(folder, "overlay.ass"), Path(folder, "said")
        drawn.write_text(text, encoding="utf-8")
        job = ("ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", f"{begin_s:.3f}", "-i", f"file:{video}",
               "-t", f"{long_s:.3f}", "-vf", f"ass={drawn}", "-preset", "veryfast", "-progress", "pipe:1",
               f"file:{part}")  # fmt: skip
        with said.open("wb") as errors:
            process = start_program(job, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
            try:
                assert process.stdout is not None
                _show(process.stdout, long_s)
                code = process.wait()
                if code:
                    why = said.read_bytes().decode(errors="replace").strip().rpartition("\n")[2][:300]
                    raise UserError(f"ffmpeg ended with code {code}: {why}")
                part.replace(out)
            except OSError as error:
                raise UserError(f"{out} can't be written: {error.strerror or error}") from None
            finally:
                end_program(process, 0.0)
                part.unlink(missing_ok=True)


def _show(progress: Iterable[bytes], long_s: float) -> None:
    if not sys.stderr.isatty():
        for _ in progress:
            pass
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("film", total=long_s)
        for line in progress:
            name, _, value = line.decode().strip().partition("=")
            if name == "out_time_us" and value.isdecimal():
                bar.update(task, completed=int(value) / 1e6)
