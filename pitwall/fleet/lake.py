"""Keep the lake's objects: one immutable Parquet file a session, named by its content.

A listing is the truth.
`sessions/driver=ID/SESSION.CONTENT.parquet` holds the frames as rows, and the rest as JSON in its
metadata (`SessionFacts`). Nothing is ever changed, so writers need no lock: two processes give the
same session the same name, and of two states of one session the newer object counts."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import msgspec
import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from pitwall.coach.cue import LedgerLine
from pitwall.config import beneath, inside
from pitwall.contract.problems import UserError
from pitwall.store.errors import first_line
from pitwall.store.files import sync_path
from pitwall.store.queries import TRACE_COLUMNS
from pitwall.track.lap import CornerPass, Lap
from pitwall.track.near import NearTrack

VERSION = 3
SESSIONS, FORGOTTEN = "sessions", "forgotten"
_OBJECT = re.compile(
    rf"{SESSIONS}/driver=(d-[0-9a-z-]{{1,60}})/([A-Za-z0-9_-]{{1,128}})\.([0-9a-f]{{32}})\.parquet"
)
META = b"pitwall_session"
# 14 hours of 60 frames a second: a file with more rows is none of ours, and is not opened.
MOST_ROWS, ROWS_A_GROUP = 3_000_000, 262_144
LEAVINGS_S = 86_400.0
# Places and times need all digits of a double; nothing else that is measured does.
_DOUBLES = ("t", "lat_deg", "lon_deg", "distance_m")
_OTHERS = {"lap": pa.int32(), "status": pa.string(), "g_from_gps": pa.bool_()}
FRAMES = pa.schema(
    (name, _OTHERS.get(name, pa.float64() if name in _DOUBLES else pa.float32()))
    for name in ("lap", *TRACE_COLUMNS)
)


class SessionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What an object holds besides its frames. `driver`: a pseudonym; `driven_utc_s`: of second
    0, None where the day is not known; `calls`: the ledger without its words."""

    pitwall_session: int = VERSION
    driver: str
    session: str
    track: str
    driven_utc_s: float | None
    car_class: str
    conditions: str
    simulated: bool
    app_version: str
    laps: tuple[Lap, ...]
    passes: tuple[CornerPass, ...]
    calls: tuple[LedgerLine, ...]

    @property
    def date(self) -> datetime.date | None:
        """Return the day (UTC) of the drive."""
        if self.driven_utc_s is None:
            return None
        return datetime.datetime.fromtimestamp(self.driven_utc_s, datetime.UTC).date()


class SessionObject(NamedTuple):
    """An object of a listing."""

    driver: str
    session: str
    content: str
    path: str
    size: int
    written_utc_s: float


def forgotten_path(driver: str) -> str:
    """Return the mark of a forgotten driver: only the pseudonym's holder can find it."""
    return f"{FORGOTTEN}/{hashlib.sha256(b'pitwall forgotten ' + driver.encode()).hexdigest()}.json"


def put_forgotten_mark(storage: Storage, driver: str) -> None:
    """Reject and hide everything of this driver from now on."""
    storage.put(forgotten_path(driver), json.dumps({"pitwall_forgotten": 1}).encode())


def all_objects(storage: Storage, driver: str = "") -> list[SessionObject]:
    """List all objects of a driver, or of everybody, older states of a session too. LakeError."""
    found = storage.listed(f"{SESSIONS}/driver={driver}" if driver else SESSIONS)
    named = ((each, _OBJECT.fullmatch(each.path)) for each in found)
    return [SessionObject(match[1], match[2], match[3], *each) for each, match in named if match]


def newest(objects: Iterable[SessionObject]) -> dict[tuple[str, str], SessionObject]:
    """Map (driver, session) to the object that counts: the last written."""
    in_order = sorted(objects, key=lambda each: (each.written_utc_s, each.content))
    return {(each.driver, each.session): each for each in in_order}


def list_sessions(storage: Storage) -> list[SessionObject]:
    """List the sessions by driver and id, without those of forgotten drivers. LakeError."""
    found = newest(all_objects(storage))
    # Listed last: who was forgotten meanwhile is not shown.
    marks = {each.path for each in storage.listed(FORGOTTEN)}
    gone = {driver for driver in {key[0] for key in found} if forgotten_path(driver) in marks}
    return [each for key, each in sorted(found.items()) if key[0] not in gone]


def refuse_old(storage: Storage) -> None:
    """LakeError for a lake that a Pitwall before the session objects made (it has a manifest)."""
    if storage.listed("manifest"):
        raise LakeError(
            f"{storage.url} was made by an older Pitwall: name a new place, and push the sessions there "
            "again from each phone"
        )


def digest_of(content: bytes) -> str:
    """Return the name of a content."""
    return hashlib.sha256(content).hexdigest()[:32]


def make_object(
    facts: SessionFacts, batches: Iterable[pa.RecordBatch], near: NearTrack | None
) -> tuple[str, bytes]:
    """Make (path, content) of a session's object, of the frames that `near` keeps."""
    made = pa.BufferOutputStream()
    meta = {META: msgspec.json.encode(facts)}
    floats = [field.name for field in FRAMES if pa.types.is_floating(field.type)]
    with pq.ParquetWriter(
        made, FRAMES, compression="zstd", store_schema=False, use_dictionary=["lap", "status"],
        column_encoding=dict.fromkeys(floats, "BYTE_STREAM_SPLIT"),
    ) as writer:  # fmt: skip
        for batch in batches:
            rows = pa.table({f.name: batch[f.name].cast(f.type, safe=False) for f in FRAMES}, schema=FRAMES)
            if near is not None:
                places = zip(rows["lat_deg"].to_pylist(), rows["lon_deg"].to_pylist(), strict=True)
                rows = rows.filter(pa.array([near.keeps(*place) for place in places], pa.bool_()))
            if rows.num_rows:
                writer.write_table(rows, row_group_size=ROWS_A_GROUP)
        writer.add_key_value_metadata(meta)
    content = made.getvalue().to_pybytes()
    return f"{SESSIONS}/driver={facts.driver}/{facts.session}.{digest_of(content)}.parquet", content


def read_object(
    storage: Storage, item: SessionObject, columns: Sequence[str] | None = None
) -> tuple[SessionFacts, pa.Table]:
    """Read a session's facts and frames. DamagedFileError where the content is not its name's."""
    content = storage.read(item.path)
    if digest_of(content) != item.content:
        raise DamagedFileError(f"{storage.url}/{item.path}", "is damaged: its content is not its name's")
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        facts = msgspec.json.decode(file.metadata.metadata[META], type=SessionFacts)
        if facts.pitwall_session > VERSION:
            raise LakeError(f"{storage.url}/{item.path} is of a newer Pitwall: renew yours")
        if (facts.driver, facts.session) != item[:2] or file.metadata.num_rows > MOST_ROWS:
            raise DamagedFileError(f"{storage.url}/{item.path}", "is not the session that its name says")
        # One session is too little for a second thread, and the other processes have their own.
        frames = file.read(None if columns is None else list(columns), use_threads=False)
        return facts, frames if columns is not None else frames.cast(FRAMES)
    except (OSError, KeyError, ValueError, TypeError, msgspec.DecodeError, pa.ArrowException) as error:
        raise DamagedFileError(f"{storage.url}/{item.path}", f"can't be read: {first_line(error)}") from error


class Outcome(NamedTuple):
    """What became of one session: its track, and its rows by table."""

    item: SessionObject
    track: str
    rows: dict[str, list[Any]]


def outcome_of(
    item: SessionObject, facts: SessionFacts | None, frames: int, found: dict[str, list[Any]], failed: str
) -> Outcome:
    """Make the outcome of one analysis."""
    known: dict[str, Any] = {"failed": failed, "frames": frames}
    if facts is not None:
        times = [lap.time_s for lap in facts.laps if lap.kind == "flying" and lap.time_s is not None]
        known |= {
            "date": "" if facts.date is None else facts.date.isoformat(),
            "driven_utc_s": facts.driven_utc_s, "car_class": facts.car_class, "conditions": facts.conditions,
            "simulated": facts.simulated, "app_version": facts.app_version, "laps": len(facts.laps),
            "flying_laps": len(times), "best_lap_s": min(times, default=None),
        }  # fmt: skip
    rows = {"sessions": [known], **({} if failed else found)}
    return Outcome(item, facts.track if facts is not None else "", rows)


class Pulled(msgspec.Struct, frozen=True, kw_only=True):
    """How many sessions a pull copied, how many were there; which are damaged."""

    sessions: int
    bytes: int
    there: int
    damaged: tuple[str, ...]


def pull(
    storage: Storage, target: Storage, *, track: str = "", driver: str = "", sessions: Collection[str] = ()
) -> Pulled:
    """Copy what another lake lacks; drivers forgotten here are forgotten there. LakeError."""
    there = newest(all_objects(target))
    marks = {each.path for each in storage.listed(FORGOTTEN)}
    for path in marks - {each.path for each in target.listed(FORGOTTEN)}:
        target.put(path, storage.read(path))
    gone = {key[0] for key in there if forgotten_path(key[0]) in marks}
    for each in gone:
        target.delete_folder(f"{SESSIONS}/driver={each}")
    if gone:
        target.delete_folder("derived")
    copied, size, known, damaged = 0, 0, 0, []
    for item in list_sessions(storage):
        if (driver and item.driver != driver) or (sessions and item.session not in sessions):
            continue
        held = there.get(item[:2])
        if held is not None and held.content == item.content:
            known += 1
            continue
        try:
            if track and read_object(storage, item, ("t",))[0].track != track:
                continue
            content = storage.read(item.path)
            if digest_of(content) != item.content:
                raise DamagedFileError(f"{storage.url}/{item.path}", "is damaged")
        except DamagedFileError as error:
            damaged.append(str(error))
            continue
        target.put(item.path, content)
        copied, size = copied + 1, size + len(content)
    return Pulled(sessions=copied, bytes=size, there=known, damaged=tuple(damaged))


def clear_leavings(storage: Storage) -> None:
    """Delete what pushes that were killed at least a day ago left half written."""
    for each in storage.listed(SESSIONS):
        if each.path.rpartition("/")[2].startswith(".") and time.time() - each.written_utc_s > LEAVINGS_S:
            storage.delete(each.path)


# A storage that does not answer is given up, and the push waits as a job.
CONNECT_S, REQUEST_S, ATTEMPTS = 5.0, 20.0, 3
# What the storage says where it, or the way to it, fails for now.
_AWAY = re.compile(
    "NETWORK_CONNECTION|curlCode|TIMEOUT|timed? ?out|SLOW_DOWN|SERVICE_UNAVAILABLE|INTERNAL_FAILURE|THROTTL|"
    "HTTP status 5",
    re.IGNORECASE,
)


class LakeError(UserError):
    """The lake can't be used, or is wrong inside."""


class DamagedFileError(LakeError):
    """An object is not what was pushed."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where} {problem}; push its session again with --again")


class UnreachableError(LakeError):
    """The storage does not answer now; trying again later may help."""


class Found(NamedTuple):
    """A file of a listing."""

    path: str
    size: int
    written_utc_s: float


class Storage:
    """Files by their paths inside the lake; `folder`: None for a bucket. LakeError."""

    def __init__(self, address: str, url: str, fs: pafs.FileSystem, folder: Path | None) -> None:
        self.address, self.url, self.fs, self.folder = address, url, fs, folder

    def put(self, path: str, content: bytes) -> None:
        """Write a file whole, or leave it as it was."""
        with self._errors(path, "written"):
            if self.folder is not None:
                self._put_beneath(self.folder, path, content)
                return
            with self.fs.open_output_stream(inside(path, self.url)) as file:
                file.write(content)
            # A broken connection may leave a part of a file that looks like one.
            if self.fs.get_file_info(path).size != len(content):
                raise UnreachableError(f"{self.url}/{path} was not written whole; push it again")

    def read(self, path: str) -> bytes:
        """Read a file."""
        if self.folder is not None:
            beneath(self.folder, path)
        with self._errors(path, "read"), self.fs.open_input_stream(inside(path, self.url)) as file:
            return bytes(file.read())

    def listed(self, folder: str = "") -> list[Found]:
        """List all files below a folder, by path; [] without any."""
        with self._errors(folder, "listed"):
            selector = pafs.FileSelector(folder, allow_not_found=True, recursive=True)
            return sorted(
                Found(info.path, int(info.size), (info.mtime_ns or 0) / 1e9)
                for info in self.fs.get_file_info(selector)
                if info.type == pafs.FileType.File
            )

    def delete(self, path: str) -> None:
        """Take a file away; harmless where it is not there."""
        with self._errors(path, "deleted"), suppress(FileNotFoundError):
            self.fs.delete_file(inside(path, self.url))

    def delete_folder(self, path: str) -> None:
        """Delete a folder with all that is in it; harmless where it is not there."""
        with self._errors(path, "deleted"), suppress(FileNotFoundError):
            self.fs.delete_dir(inside(path, self.url))

    def _put_beneath(self, root: Path, path: str, content: bytes) -> None:
        target = beneath(root, path)
        fresh = target.with_name(f".{secrets.token_hex(8)}.new")
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with fresh.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(target)
            sync_path(target.parent)
        finally:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)

    @contextmanager
    def _errors(self, path: str, what: str) -> Iterator[None]:
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            said = first_line(error)
            kind = UnreachableError if self.folder is None and _AWAY.search(said) else LakeError
            raise kind(f"{self.url}/{path} can't be {what}: {said}") from error


def open_storage(url: str) -> Storage:
    """Open a folder, or s3://BUCKET/PREFIX?endpoint=&region=. LakeError."""
    if not url.strip():
        raise LakeError(
            "no lake is named: give --lake FOLDER or s3://BUCKET/PREFIX, or set fleet.lake in pitwall.toml"
        )
    if "://" in url:
        return _open_bucket(url)
    root = Path(url).expanduser().absolute()
    return Storage(str(root), str(root), pafs.SubTreeFileSystem(str(root), pafs.LocalFileSystem()), root)


def _open_bucket(url: str) -> Storage:
    """Open a bucket, with keys from the environment or ~/.aws/credentials."""
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if parts.scheme != "s3" or not parts.hostname:
        raise LakeError(f"{url} is no lake: name a folder, or s3://BUCKET/PREFIX")
    if parts.username or parts.password:
        raise LakeError("no keys in the address: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    if unknown := sorted(options.keys() - {"endpoint", "region"}):
        raise LakeError(f"{url}: {', '.join(unknown)} is no option here; there are: endpoint, region")
    given: dict[str, object] = {}
    if endpoint := options.get("endpoint"):
        scheme, _, address = endpoint.rpartition("://")
        given = {"endpoint_override": address, **({"scheme": scheme} if scheme else {})}
    # Without keys it would ask the cloud's machines for some, which answers nobody here.
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")
    s3 = pafs.S3FileSystem(
        region=options.get("region", os.environ.get("AWS_REGION", "us-east-1")),
        connect_timeout=CONNECT_S,
        request_timeout=REQUEST_S,
        retry_strategy=pafs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
        background_writes=False,
        **given,
    )
    place = f"{parts.hostname}{parts.path}".rstrip("/")
    return Storage(url, f"s3://{place}", pafs.SubTreeFileSystem(place, s3), None)
