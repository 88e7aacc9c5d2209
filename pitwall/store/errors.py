"""The errors of the store."""

from __future__ import annotations

import errno

from pitwall.contract.problems import UserError

# What the system answers where the disk is full, and says.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
FULL = "No space left on device"


class StoreError(UserError):
    """The store can't be used or can't answer: what is wrong, where, what to do."""


def first_line(error: Exception) -> str:
    """Return a library's own sentence; hints follow in further lines."""
    text = str(error).strip().split("\n", 1)[0]
    return FULL if FULL in text else text


class StoreLockedError(StoreError):
    """Another process has this home open."""


class StoreReadOnlyError(StoreError):
    """The home can't be written; reading it may still work."""


class StoreFullError(StoreError):
    """The disk has no room for a database to be opened."""


class NotExportableError(StoreError):
    """A session has nothing that could be written in this format, or is still being driven."""


class UnknownSessionError(StoreError):
    """These words name no session, or several."""
