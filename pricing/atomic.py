"""Files that are either the old or the new one, never half of each."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

from models.errors import brief_path
from pricing.errors import StoreError


def write_text(path: Path, text: str) -> None:
    """Replace a file's whole content; a crash at any moment leaves the old content. Raises StoreError."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write beside the target, flush to disk, rename over it. Raises StoreError.

    A link stays and the file it names is replaced; devices, pipes and sockets are written to, never replaced.
    """
    try:
        if _is_stream(path):
            with path.open("wb") as stream:
                stream.write(data)
            return
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(
            f"Cannot write {brief_path(path)}: {reason}.",
            hint=_REMEDIES.get(error.errno or 0, "Check the folder and the disk."),
        ) from error


_REMEDIES = {
    errno.ENOSPC: "Check that the disk is not full.",
    errno.EDQUOT: "Check that the disk is not full.",
    errno.EROFS: "The disk can only be read; RACKRATE_DATA_DIR and RACKRATE_CONFIG_DIR name other folders.",
    errno.EACCES: "Check who may write there; RACKRATE_DATA_DIR and RACKRATE_CONFIG_DIR name other folders.",
    errno.ENOTDIR: "A file stands where a folder should be.",
    errno.EEXIST: "A file stands where a folder should be.",
    errno.ENOENT: "Check that the folder exists.",
}


def _is_stream(path: Path) -> bool:
    """Whether something is there that is no file: renaming over /dev/null or a named pipe would destroy it."""
    # /dev/stdout and /dev/fd/3 lead to whatever the shell has opened: that is to be written to as well.
    if path.parts[:2] == ("/", "dev") and path.parts[2:3] in {("stdout",), ("stderr",), ("fd",)}:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _replace(path: Path, data: bytes) -> None:
    # A dashboard and a cron refresh may write at once: the temporary name is unique, the last rename wins.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:60]}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _keep_mode(path, temporary)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


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
