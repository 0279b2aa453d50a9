"""Declarations of the module that every run provides; only editors read this file."""
from typing import Any, BinaryIO, Literal, TextIO, TypedDict, overload

{{inputs}}

class _Log:
    """Log lines with a level."""

    def debug(self, msg: object) -> None: ...
    def info(self, msg: object) -> None: ...
    def warning(self, msg: object) -> None: ...
    def error(self, msg: object) -> None: ...

class _TextWriter(TextIO):
    blob_id: str

class _BytesWriter(BinaryIO):
    blob_id: str

class _Blobs:
    """Large values by handle."""

    def path(self, blob_id: str) -> str:
        """Returns a read-only file with the content of a blob."""

    @overload
    def open(self, blob_id: str, mode: Literal["rb"] = "rb") -> BinaryIO:
        """Opens a blob for reading."""

    @overload
    def open(self, blob_id: str, mode: Literal["r"]) -> TextIO: ...
    @overload
    def open(self, blob_id: None = None, *, mode: Literal["wb"], kind: str | None = None) -> _BytesWriter:
        """Opens a new blob for writing; its id is `blob_id`."""

    @overload
    def open(self, blob_id: None = None, *, mode: Literal["w"], kind: str | None = None) -> _TextWriter: ...
    def read_bytes(self, blob_id: str) -> bytes:
        """Returns the content of a blob."""

    def read_text(self, blob_id: str) -> str:
        """Returns the content of a blob as text (UTF-8)."""

    def read_json(self, blob_id: str) -> Any:
        """Returns the content of a blob, parsed as JSON."""

    def write_bytes(self, content: bytes, kind: str = "application/octet-stream") -> str:
        """Stores bytes as a new blob and returns its id."""

    def write_text(self, content: str, kind: str = "text/plain") -> str:
        """Stores a string (UTF-8) as a new blob and returns its id."""

    def write_json(self, obj: object, kind: str = "application/json") -> str:
        """Stores a value as JSON in a new blob and returns its id."""

    def write_file(self, file_path: str, kind: str = "application/octet-stream") -> str:
        """Stores a file as a new blob and returns its id."""

log: _Log
blobs: _Blobs

def progress(done: float, total: float, message: str | None = None) -> None:
    """Reports that `done` of `total` steps are complete, with an optional text."""
