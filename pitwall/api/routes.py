"""List every route in one table: it drives the routing and the tests."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pitwall.api import answers, coach, imports, judged, page_files, reading, scripts, sockets
from pitwall.api.answers import SqlQuestion
from pitwall.api.call import Handler, NoQuery, reads
from pitwall.api.live import LiveQuery
from pitwall.api.summary import StatusQuery
from pitwall.coach.scripts import MAX_FILE_BYTES
from pitwall.contract.changes import Change
from pitwall.contract.push import PageFix, PushBatch
from pitwall.contract.questions import CoachAnalyze, CoachAsk, CoachBrief, CoachDebrief, NewJob
from pitwall.contract.scripts import PhraseToHear, TakeBack
from pitwall.contract.status import CoachChange, MarkNow, PhoneReport
from pitwall.contract.wall import WallAsk, WallForget, WallSwitch
from pitwall.store import queries
from pitwall.store.lessons import focuses

MIB = 1 << 20
TELEMETRY_BYTES = 4 * MIB
# A page of question and some turns before it, in any alphabet.
COACH_BYTES = 256 << 10


class Route(msgspec.Struct, frozen=True):
    """A row. `decode_later`: the handler decodes the body. `status`: of a good answer. `page`: the
    page's cookie is enough (see `guard`)."""

    method: Literal["GET", "POST", "PUT"]
    path: str
    handler: Handler
    query: type[msgspec.Struct] = NoQuery
    body: Any = None
    body_bytes: int = MIB
    decode_later: bool = False
    page: bool = False
    status: int = 200


SESSION = "/sessions/{session}"
JOB = "/jobs/{job}"
SCRIPT = "/tracks/{track}/scripts/{corner}"

ROUTES: tuple[Route, ...] = (
    Route("GET", "/health", reading.health),
    Route("GET", "/status", reading.status, query=StatusQuery, page=True),
    Route("GET", "/doctor", reading.doctor, page=True),
    Route("GET", "/sessions", reads(queries.sessions), page=True),
    Route("GET", "/focuses", reads(focuses), page=True),
    Route("GET", "/demo", reading.demo, page=True),
    Route("GET", SESSION, reads(queries.session, "session"), page=True),
    Route("GET", SESSION + "/laps", reads(answers.laps, "session"), page=True),
    Route("GET", SESSION + "/laps/{lap}/trace", reading.lap_trace, page=True),
    Route("GET", SESSION + "/laps/{lap}/reference", reading.lap_reference, page=True),
    Route("GET", SESSION + "/corners", reads(answers.corners, "session"), page=True),
    Route("GET", SESSION + "/opportunities", judged.found_opportunities, page=True),
    Route("GET", "/profile", judged.driver_profile, query=judged.ProfileQuery, page=True),
    Route("GET", SESSION + "/ledger", reads(answers.ledger, "session"), page=True),
    Route("POST", "/changes", coach.change, body=Change, page=True),
    Route("POST", SESSION + "/exported", sockets.exported),
    Route("GET", SESSION + "/report", reading.report, query=judged.ReportQuery, page=True),
    Route("GET", SESSION + "/export", reading.export, query=reading.ExportQuery, page=True),
    Route("GET", SESSION + "/view", page_files.session, page=True),
    Route("GET", SESSION + "/signals", reads(answers.signals, "session"), page=True),
    Route("GET", SESSION + "/signal", judged.lap_signals, query=judged.SignalQuery, page=True),
    Route("GET", SESSION + "/columns", judged.columns, query=judged.ColumnsQuery, page=True),
    Route("POST", "/imports", imports.hand_in, query=imports.ImportQuery, page=True),
    Route("GET", "/tracks", reading.tracks, page=True),
    Route("GET", "/tracks/{track}", reading.track, page=True),
    Route("GET", "/tracks/{track}/view", page_files.track, page=True),
    Route("GET", "/tracks/{track}/scripts", scripts.scripts, page=True),
    Route("GET", SCRIPT, scripts.script, page=True),
    Route("PUT", SCRIPT, scripts.write, body=dict[str, str], body_bytes=MAX_FILE_BYTES, page=True),
    Route("GET", "/tracks/{track}/script-changes", scripts.table, page=True),
    Route("POST", "/tracks/{track}/script-changes/undo", scripts.undo, body=TakeBack, page=True),
    Route("POST", "/hear", scripts.hear, body=PhraseToHear, page=True),
    Route(
        "POST", "/telemetry", sockets.telemetry, body=PushBatch, body_bytes=TELEMETRY_BYTES, decode_later=True
    ),
    Route("POST", "/location", sockets.location, body=PageFix, page=True),
    Route("POST", "/coach", sockets.coach, body=CoachChange, page=True),
    Route("POST", "/wall/links", sockets.wall_link, body=WallAsk, page=True),
    Route("GET", "/wall", sockets.wall, page=True),
    Route("POST", "/wall", sockets.wall_switch, body=WallSwitch, page=True),
    Route("POST", "/wall/forget", sockets.wall_forget, body=WallForget, page=True),
    Route("POST", "/mark", sockets.mark, body=MarkNow, page=True),
    Route("POST", "/phone", sockets.phone, body=PhoneReport),
    Route("POST", "/sql", reading.sql, body=SqlQuestion),
    Route("GET", "/live", sockets.live, query=LiveQuery, page=True),
    Route("POST", "/coach/ask", coach.ask, body=CoachAsk, body_bytes=COACH_BYTES, page=True),
    Route("POST", "/coach/brief", coach.ask, body=CoachBrief, page=True),
    Route("POST", "/coach/debrief", coach.ask, body=CoachDebrief, page=True),
    Route(
        "POST", "/coach/analyze", coach.ask, body=CoachAnalyze, body_bytes=COACH_BYTES, page=True
    ),
    Route("GET", "/jobs", reads(answers.jobs), page=True),
    Route(
        "POST", "/jobs", coach.add_job, body=NewJob, body_bytes=COACH_BYTES, page=True, status=201
    ),
    Route("GET", JOB, reads(answers.job, "job"), page=True),
    Route("POST", JOB + "/cancel", coach.cancel_job, page=True),
    Route("POST", "/links", page_files.link, status=201),
    Route("GET", "/lessons", reading.lessons, query=reading.LessonsQuery, page=True),
)  # fmt: skip
