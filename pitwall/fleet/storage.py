"""Where a lake lies: a folder, or a bucket of S3-compatible storage. A file is there whole or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pyarrow.fs as pafs

from pitwall.config import beneath, inside
from pitwall.contract.problems import UserError
from pitwall.store.errors import first_line
from pitwall.store.files import CHUNK, sync_path

# A storage that does not answer is given up, and the push waits as a job.
CONNECT_S, REQUEST_S, ATTEMPTS = 5.0, 20.0, 3
# What the storage says where it, or the way to it, fails for now.
_AWAY = re.compile(
    "NETWORK_CONNECTION|curlCode|TIMEOUT|timed? ?out|SLOW_DOWN|SERVICE_UNAVAILABLE|INTERNAL_FAILURE|THROTTL|"
    "HTTP status 5",
    re.IGNORECASE,
)
# What a killed writer left half done.
FRESH = ".new"


class LakeError(UserError):
    """The lake can't be used, or is wrong inside. Says what is wrong, where, and what to do about it."""


class DamagedFileError(LakeError):
    """A file of sessions is not what was pushed. `problem`: what is wrong with it, "can't be read"."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where} {problem}; push its session again with --again")


class UnreachableError(LakeError):
    """The storage does not answer now; trying again later may help."""


class MissingFileError(LakeError):
    """A file is not there (any more)."""


class Found(NamedTuple):
    """A file of a listing: its path inside the lake, its size, and when it was written (unix seconds)."""

    path: str
    size: int
    written_utc_s: float


class Storage(ABC):
    """Files by their paths inside the lake. Each call may raise LakeError, UnreachableError where trying
    again may help, OutsideError for a path that leads out of it. `fs`: the same files for
    pyarrow, by the same paths."""

    def __init__(self, url: str, fs: pafs.FileSystem, folder: Path | None) -> None:
        """`folder`: what the lake is, None where it is none."""
        self.url, self.fs, self.folder = url, fs, folder

    def put(self, path: str, source: Path) -> None:
        """Copy a file there, over what is there. It is there whole when this returns, or as it was before."""

        def pieces() -> Iterator[bytes]:
            with source.open("rb", buffering=0) as file:
                while chunk := file.read(CHUNK):
                    yield chunk

        self._put(path, pieces())

    def put_bytes(self, path: str, content: bytes) -> None:
        """The same of a small file."""
        self._put(path, iter((content,)))

    def read(self, path: str) -> bytes:
        """A small file. MissingFileError."""
        return b"".join(self.chunks(path))

    @abstractmethod
    def _put(self, path: str, pieces: Iterator[bytes]) -> None: ...

    @abstractmethod
    def chunks(self, path: str) -> Iterator[bytes]:
        """A file, piece by piece. MissingFileError."""

    @abstractmethod
    def found(self, path: str) -> Found | None:
        """Its size and age, None where it is not there."""

    @abstractmethod
    def listed(self, folder: str) -> list[Found]:
        """All files below a folder, by path; [] where there is none."""

    @abstractmethod
    def delete(self, path: str) -> None:
        """Take a file away; harmless where it is not there."""


def open_storage(url: str) -> Storage:
    """The storage at `url`: the path of a folder, or s3://BUCKET/PREFIX with the options `endpoint` (the
    address of a server of your own) and `region`. LakeError."""
    if not url.strip():
        raise LakeError(
            "no lake is named: give --lake FOLDER or s3://BUCKET/PREFIX, or set fleet.lake in pitwall.toml"
        )
    if "://" not in url:
        return FolderStorage(Path(url).expanduser().absolute())
    return BucketStorage(url)


def sha256_of(storage: Storage, path: str) -> tuple[str, int]:
    """(digest in hex, size) of a file as it is stored. LakeError."""
    digest, size = hashlib.sha256(), 0
    for chunk in storage.chunks(path):
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


class FolderStorage(Storage):
    """A lake in a folder, made where it is not there. See Storage."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root), pafs.SubTreeFileSystem(str(root), pafs.LocalFileSystem()), root)
        self.root = root

    def _put(self, path: str, pieces: Iterator[bytes]) -> None:
        target = beneath(self.root, path)
        fresh = target.with_name(f".{secrets.token_hex(8)}{FRESH}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with fresh.open("xb", buffering=0) as file:
                for chunk in pieces:
                    rest = memoryview(chunk)
                    while rest:
                        rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
            fresh.replace(target)
            sync_path(target.parent)
        except OSError as error:
            raise LakeError(
                f"{error.filename or target} can't be written: {error.strerror or error}"
            ) from error
        finally:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)

    def chunks(self, path: str) -> Iterator[bytes]:
        try:
            with beneath(self.root, path).open("rb", buffering=0) as file:
                while chunk := file.read(CHUNK):
                    yield chunk
        except FileNotFoundError as error:
            raise MissingFileError(f"{self.root / path} is not there") from error
        except OSError as error:
            raise LakeError(f"{self.root / path} can't be read: {error.strerror or error}") from error

    def found(self, path: str) -> Found | None:
        try:
            stat = beneath(self.root, path).stat()
            return Found(path, stat.st_size, stat.st_mtime)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise LakeError(f"{self.root / path} can't be read: {error.strerror or error}") from error

    def listed(self, folder: str) -> list[Found]:
        found: list[Found] = []

        def walk(path: str, inside: str) -> None:
            try:
                with os.scandir(path) as entries:
                    for entry in entries:
                        name = f"{inside}/{entry.name}" if inside else entry.name
                        if entry.is_dir(follow_symlinks=False):
                            walk(entry.path, name)
                            continue
                        with suppress(FileNotFoundError):  # it went in this very moment
                            stat = entry.stat(follow_symlinks=False)
                            found.append(Found(name, stat.st_size, stat.st_mtime))
            except FileNotFoundError:
                return
            except OSError as error:
                raise LakeError(f"{path} can't be read: {error.strerror or error}") from error

        walk(str(beneath(self.root, folder) if folder else self.root), folder)
        return sorted(found)

    def delete(self, path: str) -> None:
        target = beneath(self.root, path, link=True)
        try:
            target.unlink(missing_ok=True)
            for parent in PurePosixPath(path).parents[:-1]:
                os.rmdir(self.root / parent)
        except OSError as error:
            if target.exists():
                raise LakeError(f"{target} can't be deleted: {error.strerror or error}") from error


class BucketStorage(Storage):
    """A lake in a bucket. Keys come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or from
    ~/.aws/credentials, never from the address. See Storage."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if parts.scheme != "s3" or not parts.hostname:
            raise LakeError(f"{url} is no lake: name a folder, or s3://BUCKET/PREFIX")
        if parts.username or parts.password:
            raise LakeError("no keys in the address: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
        if unknown := sorted(options.keys() - {"endpoint", "region"}):
            raise LakeError(f"{url}: {', '.join(unknown)} is no option here; there are: endpoint, region")
        endpoint = urlsplit(options["endpoint"]) if "://" in options.get("endpoint", "") else None
        given: dict[str, object] = {}
        if endpoint is not None:
            given = {"endpoint_override": endpoint.netloc, "scheme": endpoint.scheme}
        elif "endpoint" in options:
            given = {"endpoint_override": options["endpoint"]}
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
        super().__init__(f"s3://{place}", pafs.SubTreeFileSystem(place, s3), None)

    def put(self, path: str, source: Path) -> None:
        super().put(path, source)
        # A connection that breaks may leave a part of a file that looks like one.
        found = self.found(path)
        if found is None or found.size != source.stat().st_size:
            raise UnreachableError(f"{self.url}/{path} was not written whole; push it again")

    def _put(self, path: str, pieces: Iterator[bytes]) -> None:
        with self._told(path, "written"), self.fs.open_output_stream(inside(path, self.url)) as file:
            for chunk in pieces:
                file.write(chunk)

    def chunks(self, path: str) -> Iterator[bytes]:
        with self._told(path, "read"), self.fs.open_input_stream(inside(path, self.url)) as file:
            while chunk := file.read(CHUNK):
                yield chunk

    def found(self, path: str) -> Found | None:
        with self._told(path, "read"):
            return _found(self.fs.get_file_info(inside(path, self.url)))

    def listed(self, folder: str) -> list[Found]:
        with self._told(folder, "listed"):
            selector = pafs.FileSelector(folder, allow_not_found=True, recursive=True)
            return sorted(filter(None, map(_found, self.fs.get_file_info(selector))))

    def delete(self, path: str) -> None:
        with self._told(path, "deleted"), suppress(FileNotFoundError):
            self.fs.delete_file(inside(path, self.url))

    @contextmanager
    def _told(self, path: str, what: str) -> Iterator[None]:
        """Errors of the storage as ours."""
        try:
            yield
        except FileNotFoundError as error:
            raise MissingFileError(f"{self.url}/{path} is not there") from error
        except (OSError, pa.ArrowException) as error:
            said = first_line(error)
            kind = UnreachableError if _AWAY.search(said) else LakeError
            raise kind(f"{self.url}/{path} can't be {what}: {said}") from error


def _found(info: pafs.FileInfo) -> Found | None:
    if info.type != pafs.FileType.File:
        return None
    return Found(info.path, int(info.size), (info.mtime_ns or 0) / 1e9)
