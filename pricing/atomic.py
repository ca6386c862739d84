"""Files that are either the old or the new one, never half of each."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from pricing.errors import StoreError


def write_text(path: Path, text: str) -> None:
    """Replace a file's whole content; a crash at any moment leaves the old content. Raises StoreError."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write beside the target, flush to disk, rename over it. Raises StoreError."""
    # A dashboard and a cron refresh may write at once: the temporary name is unique, the last rename wins.
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _keep_mode(path, temporary)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        reason = error.strerror or str(error)
        raise StoreError(
            f"Cannot write {path}: {reason}.", hint="Check that the folder exists and the disk is not full."
        ) from error


def _keep_mode(path: Path, temporary: str) -> None:
    """Give the new file the old one's permissions, or the usual ones (mkstemp makes it private)."""
    try:
        mode = path.stat().st_mode & 0o777
    except OSError:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    with contextlib.suppress(OSError):
        Path(temporary).chmod(mode)
