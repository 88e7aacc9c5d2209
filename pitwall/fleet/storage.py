"""Store a lake in a folder, or a bucket of S3-compatible storage. A file is there whole or not at
all."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pyarrow.fs as pafs

from pitwall.config import beneath, inside
from pitwall.contract.problems import UserError
from pitwall.store.errors import first_line
from pitwall.store.files import sync_path

# A storage that does not answer is given up, and the push waits as a job.
CONNECT_S, REQUEST_S, ATTEMPTS = 5.0, 20.0, 3
# What the storage says where it, or the way to it, fails for now.
_AWAY = re.compile(
    "NETWORK_CONNECTION|curlCode|TIMEOUT|timed? ?out|SLOW_DOWN|SERVICE_UNAVAILABLE|INTERNAL_FAILURE|THROTTL|"
    "HTTP status 5",
    re.IGNORECASE,
)


class LakeError(UserError):
    """The lake can't be used, or is wrong inside. Says what is wrong, where, and what to do about
    it."""


class DamagedFileError(LakeError):
    """An object is not what was pushed."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where} {problem}; push its session again with --again")


class UnreachableError(LakeError):
    """The storage does not answer now; trying again later may help."""


class Found(NamedTuple):
    """A file of a listing: its path in the lake, its size in bytes, when it was written (unix
    seconds)."""

    path: str
    size: int
    written_utc_s: float


class Storage:
    """Files by their paths inside the lake. Any call may raise LakeError, UnreachableError where a
    retry may help, OutsideError for a path that leads out. `fs`: the same for pyarrow. `folder`:
    the lake's, None for a bucket. `address`: for another process."""

    def __init__(self, address: str, url: str, fs: pafs.FileSystem, folder: Path | None) -> None:
        self.address, self.url, self.fs, self.folder = address, url, fs, folder

    def put(self, path: str, content: bytes) -> None:
        """Write a file, also over an old one. It is whole when this returns, or as it was before."""
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
        """Raise the storage's errors as ours."""
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            said = first_line(error)
            kind = UnreachableError if self.folder is None and _AWAY.search(said) else LakeError
            raise kind(f"{self.url}/{path} can't be {what}: {said}") from error


def open_storage(url: str) -> Storage:
    """Open the storage at `url`: a folder's path, or s3://BUCKET/PREFIX with the options `endpoint`
    (your own server's address) and `region`. LakeError."""
    if not url.strip():
        raise LakeError(
            "no lake is named: give --lake FOLDER or s3://BUCKET/PREFIX, or set fleet.lake in pitwall.toml"
        )
    if "://" in url:
        return _open_bucket(url)
    root = Path(url).expanduser().absolute()
    return Storage(str(root), str(root), pafs.SubTreeFileSystem(str(root), pafs.LocalFileSystem()), root)


def _open_bucket(url: str) -> Storage:
    """Open a bucket. Keys come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or
    ~/.aws/credentials."""
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
