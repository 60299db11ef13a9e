"""What may be wrong with a file that is to be taken in."""

from __future__ import annotations

from app.errors import BadRequest


class UnreadableFile(BadRequest):
    """This file cannot be taken in; the message says why and what to do."""

    code = "unreadable-file"


class OutOfTime(UnreadableFile):
    """Reading took, or would take, longer than it may; whether the file is good is not known."""


class FileTooLarge(UnreadableFile):
    """The file is larger than the limit."""

    code = "file-too-large"
