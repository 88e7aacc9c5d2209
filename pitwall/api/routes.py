"""List every route in one table: it drives the routing, /openapi.json and the tests."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pitwall.analysis.compare import LapComparison
from pitwall.analysis.opportunities import Opportunity
from pitwall.analysis.profile import DriverProfile
from pitwall.analysis.session_view import LapColumns, SessionView, TrackView
from pitwall.api import (
    answers,
    coach,
    imports,
    judged,
    page_files,
    reading,
    scripts,
    sockets,
)
from pitwall.api.answers import LapRow, LapTrace, PageLink, ScriptWritten, SqlQuestion, TrackRow
from pitwall.api.call import Handler, NoQuery, reads
from pitwall.api.live import LiveMessage, LiveQuery
from pitwall.api.summary import StatusQuery
from pitwall.coach.cue import LedgerLine
from pitwall.coach.scripts import MAX_FILE_BYTES
from pitwall.contract.changes import Change, ChangeEvent
from pitwall.contract.events import Event
from pitwall.contract.jobs import JobRow
from pitwall.contract.push import ImportLine, PageFix, PushBatch, PushResult
from pitwall.contract.questions import CoachAnalyze, CoachAsk, CoachBrief, CoachDebrief, NewJob
from pitwall.contract.scripts import (
    PhraseToHear,
    ScriptChange,
    ScriptTable,
    TakeBack,
)
from pitwall.contract.status import (
    Check,
    CoachChange,
    CoachStatus,
    Health,
    Marked,
    MarkNow,
    PhoneReport,
    StatusSummary,
)
from pitwall.contract.wall import WallAsk, WallForget, WallLink, WallOwned, WallSwitch
from pitwall.store import queries
from pitwall.store.lessons import Focus, Lesson, focuses
from pitwall.store.queries import SessionRow, SignalName
from pitwall.store.sqlanswer import Refusal, SqlAnswer
from pitwall.track.lap import CornerPass
from pitwall.track.model import Track

MIB = 1 << 20
TELEMETRY_BYTES = 4 * MIB
# A page of question and some turns before it, in any alphabet.
COACH_BYTES = 256 << 10
EVENTS = "text/event-stream"
NOTHING = ""
"""The media type of an answer without a body."""


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """A row. `answer`: the good answer's type; `media`: the usual one first. `problems`: besides
    those of every route. `takes`: the media type of a body that is read piece by piece. `page`:
    the page's cookie is enough (see `guard`)."""

    method: Literal["GET", "POST", "PUT"]
    path: str
    handler: Handler
    summary: str
    answer: Any = None
    status: int = 200
    media: tuple[str, ...] = ("application/json",)
    query: type[msgspec.Struct] = NoQuery
    body: Any = None
    body_bytes: int = MIB
    decode_later: bool = False
    takes: str = ""
    page: bool = False
    problems: tuple[int, ...] = ()


READ = (404, 429, 503)
LIST = (429, 503)
COACH = (404, 409, 422, 429, 503)
SESSION = "/sessions/{session}"
JOB = "/jobs/{job}"
SCRIPT = "/tracks/{track}/scripts/{corner}"

ROUTES: tuple[Route, ...] = (
    Route(
        method="GET", path="/health", handler=reading.health, answer=Health,
        summary="Whether the daemon answers; the only route without the token",
    ),
    Route(
        method="GET", path="/status", handler=reading.status, answer=StatusSummary, query=StatusQuery,
        page=True,
        summary="Session, sources, sound, store, what is lost and what to do; parts in full by `details`",
    ),
    Route(
        method="GET", path="/doctor", handler=reading.doctor, page=True, answer=list[Check],
        problems=(409, 429, 503),
        summary="What is missing and how to mend it; as `pitwall doctor --json`",
    ),
    Route(
        method="GET", path="/sessions", handler=reads(queries.sessions), page=True,
        answer=list[SessionRow], problems=LIST,
        summary="All sessions in the order in which they were driven; as `pitwall sessions --replays --json`",
    ),
    Route(
        method="GET", path="/focuses", handler=reads(focuses), page=True, answer=dict[str, Focus],
        problems=LIST,
        summary="What each session was about: the corner called most, or the one that cost most",
    ),
    Route(
        method="GET", path="/demo", handler=reading.demo, page=True, media=(reading.BYTES,),
        problems=(*LIST, 409),
        summary="A simulated day, to be handed to /imports: for a home without a recording",
    ),
    Route(
        method="GET", path=SESSION, handler=reads(queries.session, "session"), answer=SessionRow,
        page=True, problems=READ,
        summary="One session by its name, its id, the beginning of the id, or `last`",
    ),
    Route(
        method="GET", path=SESSION + "/laps", handler=reads(answers.laps, "session"), answer=list[LapRow],
        page=True, problems=READ, summary="The laps of a session in order; as `pitwall laps SESSION --json`",
    ),
    Route(
        method="GET", path=SESSION + "/laps/{lap}/trace", handler=reading.lap_trace, answer=LapTrace,
        page=True, problems=(*READ, 409), summary="The frames of a lap with their places",
    ),
    Route(
        method="GET", path=SESSION + "/laps/{lap}/reference", handler=reading.lap_reference, page=True,
        media=(reading.BYTES,), problems=(*READ, 409),
        summary="A lap by place, for a friend to be compared with; as `pitwall share SESSION --lap N`",
    ),
    Route(
        method="GET", path=SESSION + "/corners", handler=reads(answers.corners, "session"),
        page=True, answer=list[CornerPass], problems=READ, summary="Every drive through a corner, in order",
    ),
    Route(
        method="GET", path=SESSION + "/comparison", handler=judged.comparison, answer=LapComparison,
        page=True, query=judged.CompareQuery, problems=(*READ, 409),
        summary="Two laps by place, corner by corner; as `pitwall compare SESSION --json`",
    ),
    Route(
        method="GET", path=SESSION + "/opportunities", handler=judged.found_opportunities, page=True,
        answer=list[Opportunity], problems=(*READ, 409),
        summary="Where time is lost lap after lap, the dearest first; as `debrief --all-days --only losses`",
    ),
    Route(
        method="GET", path="/profile", handler=judged.driver_profile, page=True, answer=DriverProfile,
        query=judged.ProfileQuery, problems=READ,
        summary="What the judged sessions tell of a driver; as `debrief --all-days --only profile`",
    ),
    Route(
        method="GET", path=SESSION + "/ledger", handler=reads(answers.ledger, "session"),
        page=True, answer=list[LedgerLine], problems=READ,
        summary="What became of every cue; as `pitwall coach --all --json`",
    ),
    Route(
        method="POST", path="/changes", handler=coach.change, answer=ChangeEvent, body=Change,
        page=True, media=(EVENTS,), problems=(404, 409, 503),
        summary="Rename, tag, date, note, mark laps of, match, delete or restore sessions; as `pitwall "
        "sessions ACTION`. Server-sent events, `changed` or `not_changed` the last",
    ),
    Route(
        method="POST", path=SESSION + "/exported", handler=sockets.exported, status=204, media=(NOTHING,),
        problems=(*READ, 409),
        summary="A copy of this session is elsewhere: it may be dropped when the disk is full",
    ),
    Route(
        method="GET", path=SESSION + "/report", handler=reading.report, page=True, media=("text/html",),
        query=judged.ReportQuery, problems=(*READ, 409),
        summary="The session as one HTML file; as `pitwall report SESSION` and `pitwall share SESSION`",
    ),
    Route(
        method="GET", path=SESSION + "/export", handler=reading.export, page=True, media=(reading.BYTES,),
        query=reading.ExportQuery, problems=(*READ, 409),
        summary="The session as a file for other programs; as `pitwall export SESSION --format FORMAT`",
    ),
    Route(
        method="GET", path=SESSION + "/view", handler=page_files.session, page=True, answer=SessionView,
        problems=(*READ, 409),
        summary="The session as a page draws it: laps, the first ones by place, corners, words, in its units",
    ),
    Route(
        method="GET", path=SESSION + "/signals", page=True, answer=list[SignalName], problems=READ,
        handler=reads(answers.signals, "session"),
        summary="What a session recorded: signals by name, with their units",
    ),
    Route(
        method="GET", path=SESSION + "/signal", handler=judged.lap_signals, page=True,
        query=judged.SignalQuery, answer=dict[int, list[tuple[float, float]]], problems=(*READ, 409),
        summary="One signal in some laps: seconds since the lap's start, and the value, 20 a second",
    ),
    Route(
        method="GET", path=SESSION + "/columns", handler=judged.columns, page=True,
        answer=dict[int, LapColumns], query=judged.ColumnsQuery, problems=(*READ, 409),
        summary="Further laps by place, as `/view` holds the first ones",
    ),
    Route(
        method="POST", path="/imports", handler=imports.hand_in, page=True, answer=ImportLine,
        media=(reading.JSON_LINES,), query=imports.ImportQuery, takes="application/octet-stream",
        problems=(409, 429, 503, 507),
        summary="Store a recording, sent whole as the body; as `pitwall import FILE`, answered by line",
    ),
    Route(
        method="GET", path="/tracks", handler=reading.tracks, page=True, answer=list[TrackRow], problems=LIST,
        summary="The known tracks; as `pitwall track list --json`",
    ),
    Route(
        method="GET", path="/tracks/{track}", handler=reading.track, page=True, answer=Track, problems=READ,
        summary="One track with its centreline",
    ),
    Route(
        method="GET", path="/tracks/{track}/view", handler=page_files.track, page=True, answer=TrackView,
        problems=READ, summary="The track as a page draws it: its line in metres, its corners by their names",
    ),
    Route(
        method="GET", path="/tracks/{track}/scripts", handler=scripts.scripts, page=True,
        answer=dict[str, dict[str, str]], problems=READ,
        summary="The voice scripts of a track by corner, in driving order",
    ),
    Route(
        method="GET", path=SCRIPT, handler=scripts.script, page=True, answer=dict[str, str], problems=READ,
        summary="One corner's voice script: phase to phrase",
    ),
    Route(
        method="PUT", path=SCRIPT, handler=scripts.write, answer=ScriptWritten, body=dict[str, str],
        page=True, body_bytes=MAX_FILE_BYTES, problems=(*READ, 409, 422),
        summary="Write one corner's voice script into the user's folder, checked. A phrase "
        "that nothing can check is answered with 422; its key under `own` confirms it as your own words",
    ),
    Route(
        method="GET", path="/tracks/{track}/script-changes", handler=scripts.table, answer=ScriptTable,
        page=True, problems=READ,
        summary="What is spoken at each corner and who wrote it; as `pitwall scripts list --json`",
    ),
    Route(
        method="POST", path="/tracks/{track}/script-changes/undo", handler=scripts.undo, page=True,
        answer=list[ScriptChange], body=TakeBack, problems=(*READ, 409),
        summary="Take back the last change of a corner, or of the track; as `pitwall scripts undo`",
    ),
    Route(
        method="POST", path="/hear", handler=scripts.hear, page=True, body=PhraseToHear, media=(scripts.WAV,),
        problems=(409, 422, 429, 503),
        summary="A phrase as the coach would speak it, as a WAV file; nothing is kept",
    ),
    Route(
        method="POST", path="/telemetry", handler=sockets.telemetry, answer=PushResult, body=PushBatch,
        body_bytes=TELEMETRY_BYTES, decode_later=True, problems=(409, 429, 503),
        summary="Hand in readings; answered when they are on the disk, kept once for each batch_id. A stint "
        "that begins limits.close_silent_s after the last stamp is a session of its own",
    ),
    Route(
        method="POST", path="/location", handler=sockets.location, page=True, body=PageFix, answer=PushResult,
        problems=(409, 429, 503),
        summary="Where the page's own browser is: the source `browser`, for a car without a receiver",
    ),
    Route(
        method="POST", path="/coach", handler=sockets.coach, page=True, body=CoachChange, answer=CoachStatus,
        problems=(409,),
        summary="How the coach speaks from now on: its mode, its level",
    ),
    Route(
        method="POST", path="/wall/links", handler=sockets.wall_link, page=True, body=WallAsk,
        answer=WallLink, problems=(409,), summary="A link that lets one device of the pits in, once",
    ),
    Route(
        method="GET", path="/wall", handler=sockets.wall, page=True, answer=WallOwned,
        summary="Whether the pit wall is on, and the devices that it lets in",
    ),
    Route(
        method="POST", path="/wall", handler=sockets.wall_switch, page=True, body=WallSwitch,
        answer=WallOwned, summary="Switch the pit wall on or off; as `pitwall wall on`",
    ),
    Route(
        method="POST", path="/wall/forget", handler=sockets.wall_forget, page=True, body=WallForget,
        status=204, media=(NOTHING,), problems=(404,), summary="Shut a device out of the pit wall",
    ),
    Route(
        method="POST", path="/mark", handler=sockets.mark, body=MarkNow, answer=Marked, problems=(409,),
        page=True,
        summary="Traffic, a yellow flag or just a mark, said of the running lap; as `pitwall sessions mark`. "
        "Of other laps: /changes",
    ),
    Route(
        method="POST", path="/phone", handler=sockets.phone, body=PhoneReport, status=204, media=(NOTHING,),
        summary="The phone's battery, heat, network and notifications, from its helper",
    ),
    Route(
        method="POST", path="/sql", handler=reading.sql, answer=SqlAnswer | Refusal, body=SqlQuestion,
        problems=LIST, summary="One SELECT, read only, 500 rows, two seconds; a refusal is an answer too",
    ),
    Route(
        method="GET", path="/live", handler=sockets.live, page=True, answer=LiveMessage,
        media=(EVENTS, "application/json"), query=LiveQuery, problems=(404, 429),
        summary="Frames, callouts and changes of state: server-sent events, "
        "the newest frame alone for Accept: application/json",
    ),
    Route(
        method="POST", path="/coach/ask", handler=coach.ask, page=True, answer=Event, body=CoachAsk,
        body_bytes=COACH_BYTES, media=(EVENTS,), problems=COACH,
        summary="Ask the paddock; the answer as server-sent events named by their tag, `done` the last",
    ),
    Route(
        method="POST", path="/coach/brief", handler=coach.ask, page=True, answer=Event, body=CoachBrief,
        media=(EVENTS,), problems=COACH, summary="What to do in the next run",
    ),
    Route(
        method="POST", path="/coach/debrief", handler=coach.ask, answer=Event, body=CoachDebrief,
        page=True, media=(EVENTS,), problems=COACH, summary="What the last run showed",
    ),
    Route(
        method="POST", path="/coach/analyze", handler=coach.ask, answer=Event, body=CoachAnalyze,
        page=True, body_bytes=COACH_BYTES, media=(EVENTS,), problems=COACH,
        summary="A hard question, in stages, with the queries behind each claim",
    ),
    Route(
        method="GET", path="/jobs", handler=reads(answers.jobs), page=True, answer=list[JobRow],
        problems=LIST, summary="The last jobs, the newest first; as `pitwall jobs --json`",
    ),
    Route(
        method="POST", path="/jobs", handler=coach.add_job, page=True, answer=JobRow, status=201, body=NewJob,
        body_bytes=COACH_BYTES, problems=(404, 422, 503),
        summary="Make a job: it runs when the car stands in the paddock and the model can be reached",
    ),
    Route(
        method="GET", path=JOB, handler=reads(answers.job, "job"), page=True, answer=JobRow, problems=READ,
        summary="One job with what came of it",
    ),
    Route(
        method="POST", path=JOB + "/cancel", handler=coach.cancel_job, answer=JobRow, problems=(404, 503),
        page=True, summary="End a job; what it has committed stays",
    ),
    Route(
        method="POST", path="/links", handler=page_files.link, answer=PageLink, status=201,
        summary="A link to the page that is good once and for ten minutes; as `pitwall show`",
    ),
    Route(
        method="GET", path="/lessons", handler=reading.lessons, page=True, answer=list[Lesson],
        query=reading.LessonsQuery, problems=LIST,
        summary="What was learned of the drivers, with its evidence; as `debrief --all-days --only lessons`",
    ),
)  # fmt: skip
