"""GPX and TCX: the points of all tracks in the file's order, with speed and course if present.

Garmin's TrackPointExtension and GPX 1.0 call them `speed` (m/s) and `course`, TCX's extension
`Speed`, in any namespace. A point whose `fix` is `none`, or whose HDOP is beyond MOST_HDOP (apps
write the accuracy in metres there), has no place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from pitwall.telemetry.findings import FindingLog
from pitwall.telemetry.recordings.base import BUDGET, RecordingError, RecordingInfo, Timed, TimedRecording
from pitwall.telemetry.recordings.cells import moment_s
from pitwall.telemetry.recordings.rows import with_start
from pitwall.telemetry.recordings.text import head_lines, reading
from pitwall.telemetry.recordings.timeline import ACTIVITY_PAUSE_S, Timeline, is_unix
from pitwall.telemetry.sample import Stream, Values, channels_of

CHANNELS = channels_of({
    "lat_deg": "lat", "lon_deg": "lon", "altitude_m": "ele", "speed_mps": "speed", "heading_deg": "course",
    "satellites": "sat", "hdop": "hdop",
})  # fmt: skip
SCALES = {(0, 3): (1.0, 0.0)}
# A point's values, time first, then as CHANNELS.
_TAGS = {
    "gpx": ("time", "lat", "lon", "ele", "speed", "course", "sat", "hdop"),
    "tcx": ("Time", "LatitudeDegrees", "LongitudeDegrees", "AltitudeMeters", "Speed", "", "", ""),
}
_POINTS = {"gpx": "trkpt", "tcx": "Trackpoint"}
# A document type could unfold into gigabytes.
_DOCTYPE = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
# An extension lies some eight deep, a point holds some twenty; many places may stand before the
# first.
MOST_DEEP, MOST_IN_POINT, MOST_BETWEEN = 100, 60, 200_000
PIECE_BYTES, MOST_SILENT_BYTES = 1 << 16, 1 << 20
MOST_HDOP = 20.0


class Point(NamedTuple):
    """A trackpoint: unix seconds, its values, and whether it has a place."""

    utc_s: float
    values: Values
    is_fix: bool


def sniff(head: bytes) -> bool:
    """Accept XML whose first element is `gpx` or `TrainingCenterDatabase`."""
    return _kind(head) is not None


def _kind(head: bytes) -> str | None:
    text = "\n".join(head_lines(head)).lstrip("\ufeff \r\n\t")
    found = re.search(r"<(?:\w+:)?(gpx|TrainingCenterDatabase)[\s>]", text[:4096])
    return None if found is None or text[0] != "<" else "gpx" if found[1] == "gpx" else "tcx"


class GpxRecording(TimedRecording):
    """A GPX or TCX file."""

    jump_s = ACTIVITY_PAUSE_S

    def __init__(self, path: Path, head: bytes) -> None:
        super().__init__(path)
        self._kind = _kind(head) or "gpx"
        self._without_place = 0
        first = next(self._points(self._log, Timeline(self._log, jump_s=ACTIVITY_PAUSE_S)), None)
        if first is None and self._without_place:
            what = f"has {self._without_place} points with a time and none with a position"
            raise RecordingError(path, what, hint="it was recorded without GPS, as indoors", recognised=True)
        broken = [each.detail for each in self._log.findings() if each.kind == "malformed_row"]
        if first is None:
            what = f"has no trackpoint with a time{': '.join(['', *broken])}"
            raise RecordingError(path, what, hint="export the track with its times, not the route")
        name = re.search(rb"<trk>\s*<name>([^<]{1,200})</name>", head)
        venue = "" if name is None else name[1].decode("utf-8", "replace")
        streams = (Stream(0, "gps", CHANNELS),)
        info = RecordingInfo(self._kind, str(path), streams, venue=venue, scales=SCALES)
        if is_unix(first.utc_s):
            self.info = with_start(info, round(first.utc_s, 3))
        else:
            self.info = with_start(info, None, first.utc_s)

    def _timed(self, log: FindingLog, timeline: Timeline) -> Timed:
        for point in self._points(log, timeline):
            yield point.utc_s, 0, point.values if point.is_fix else (None,) * len(CHANNELS)
            if not point.is_fix:
                log.add("void_fix", "lat_deg", timeline.t, "the file says that it has no fix, or a poor one")

    def _points(self, log: FindingLog, timeline: Timeline) -> Iterator[Point]:
        parser: Any = ElementTree.XMLPullParser(("start", "end"))
        parents: list[ElementTree.Element] = []
        elements = silent_bytes = 0  # since the last point; since the last element
        begun: int | None = None  # the number of the point's first element, where one is open
        try:
            with reading(self.path) as file:
                while piece := file.read(PIECE_BYTES):
                    BUDGET.refuse_barren(self.path, log, timeline)
                    silent_bytes += len(piece)
                    if silent_bytes > MOST_SILENT_BYTES:
                        what = f"has {silent_bytes} bytes without an element"
                        raise RecordingError(self.path, what, hint="export it again as plain GPX")
                    if _DOCTYPE.search(piece):
                        raise RecordingError(
                            self.path, "declares a document type", hint="export it again as plain GPX"
                        )
                    try:
                        parser.feed(piece)
                    except (LookupError, ValueError) as error:  # an unknown one, or one of several bytes
                        what = f"names an encoding that can't be read: {error}"
                        raise RecordingError(self.path, what, hint="save it as UTF-8") from None
                    for event, element in parser.read_events():
                        silent_bytes = 0
                        if event == "start":
                            parents.append(element)
                            elements += 1
                            if begun is None and _name(element) == _POINTS[self._kind]:
                                begun = elements
                            if len(parents) > MOST_DEEP:
                                raise RecordingError(
                                    self.path, "is nested too deeply", hint="export it again"
                                )
                            if elements > MOST_BETWEEN:
                                what = f"has more than {elements} elements without a track point"
                                raise RecordingError(self.path, what, hint="export the track alone")
                            continue
                        parents.pop()
                        if _name(element) == _POINTS[self._kind]:
                            if elements - (begun or 0) > MOST_IN_POINT:
                                what = f"has points of {elements - (begun or 0)} elements"
                                raise RecordingError(self.path, what, hint="export it again as plain GPX")
                            begun, point = None, _point(element, _TAGS[self._kind])
                            if point is None:
                                log.add("malformed_row", "", timeline.t, "a point without place or time")
                                self._without_place += any(_name(each).lower() == "time" for each in element)
                            else:
                                elements = 0
                                yield point
                        if parents and begun is None:
                            parents[-1].remove(element)
                parser.close()
        except ElementTree.ParseError as error:
            # The logger lost its power: what stands before is good.
            log.add("malformed_row", "", timeline.t, f"the file breaks off or is damaged: {error}")


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _point(element: ElementTree.Element, tags: tuple[str, ...]) -> Point | None:
    texts = {_name(each): (each.text or "").strip() for each in element.iter()} | element.attrib
    utc_s = _utc_s(texts.get(tags[0], ""))
    values = [_number(texts.get(tag)) for tag in tags[1:]]
    if values[0] is None or values[1] is None or utc_s is None:
        return None
    is_fix = texts.get("fix") != "none" and (values[6] or 0.0) <= MOST_HDOP
    return Point(utc_s, tuple(values), is_fix)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) else None


def _utc_s(text: str) -> float | None:
    """Return unix seconds of a moment; without a zone it is UTC."""
    with suppress(ValueError, OverflowError):
        return moment_s(text)[0]
    return None
