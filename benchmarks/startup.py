"""From the command to the first full table on a pseudo-terminal, against merely importing what that start has loaded.

Ten runs each in turns, after one that fills the caches; compiled modules are kept, as an installation keeps them, whatever
this shell's Python is told. The figures to watch are the ratio and, against a change of the imports themselves, the time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from benchmarks.timing import load, say

ROOT = Path(__file__).resolve().parents[1]
RUNS = 10
GOAL = 1.3
LINES, COLUMNS = 36, 120
LIMIT_S = 30
SHORT_NAME = 14
"""Names up to this length are never shortened."""
# The table is full once the last offer that fits the screen is drawn; its rows are known from the headless twin.
PROBE = """
import json, sys
from tui.session import Session
session = Session(); session.load(); session.recompute()
names = [session.rows.offer(session.rows.index(n)).server for n in range(10)]
import tui.app, tui.screens.dashboard
print(json.dumps({"rows": names, "modules": list(sys.modules)}))
"""
IMPORT = "import json, sys, importlib\nfor name in json.load(open(sys.argv[1])):\n    importlib.import_module(name)\n"


def environment(folder: str) -> dict[str, str]:
    """Folders of its own, so that nobody's settings or prices take part."""
    own = {
        "RACKRATE_CONFIG_DIR": f"{folder}/config",
        "RACKRATE_DATA_DIR": f"{folder}/data",
        "PYTHONPYCACHEPREFIX": f"{folder}/compiled",
        "OPENBLAS_NUM_THREADS": "1",  # as the program sets it: the imports alone must not be slower than in the program
        "TERM": "xterm-256color",
    }
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **own}


def first_table_ms(row: str, env: dict[str, str]) -> tuple[float, float]:
    """Milliseconds from starting the program until a row of the table was written to the terminal, and of processors till then."""
    start = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        os.execve(sys.executable, [sys.executable, "-m", "tui"], env)  # noqa: S606
    written = b""
    try:
        while time.perf_counter() - start < LIMIT_S:
            if not select.select([terminal], [], [], 0.5)[0]:
                continue
            try:
                written += os.read(terminal, 65536)
            except OSError:
                raise RuntimeError(f"the dashboard ended: {written[-2000:].decode(errors='replace')}") from None
            if row.encode() in written:
                took = (time.perf_counter() - start) * 1000
                os.kill(child, signal.SIGKILL)
                usage = os.wait4(child, 0)[2]
                child = 0
                return took, (usage.ru_utime + usage.ru_stime) * 1000
        raise TimeoutError(f"no row {row!r} within {LIMIT_S} s")
    finally:
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        with contextlib.suppress(OSError):
            os.close(terminal)


def import_ms(listing: str, env: dict[str, str]) -> tuple[float, float]:
    """Milliseconds of an interpreter that imports the listed modules and ends, and of processors."""
    start = time.perf_counter()
    child = os.posix_spawn(sys.executable, [sys.executable, "-c", IMPORT, listing], env)
    _, code, usage = os.wait4(child, 0)
    if code:
        raise RuntimeError("the modules cannot be imported")
    return (time.perf_counter() - start) * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def main() -> None:
    """Print both medians and their ratio."""
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        env = environment(folder)
        probe = subprocess.run(
            [sys.executable, "-c", PROBE], env=env, cwd=ROOT, check=True, capture_output=True, text=True
        )
        facts = json.loads(probe.stdout)
        listing = Path(folder) / "modules.json"
        listing.write_text(json.dumps([name for name in facts["modules"] if name != "__main__"]), encoding="utf-8")
        row = [name for name in facts["rows"] if len(name) <= SHORT_NAME][-1]
        first_table_ms(row, env)
        import_ms(str(listing), env)
        starts, modules = [], []
        for _ in range(RUNS):  # in turns, so that a busy machine is busy for both
            starts.append(first_table_ms(row, env))
            modules.append(import_ms(str(listing), env))
        (tables, works), (imports, import_works) = zip(*starts, strict=True), zip(*modules, strict=True)
        table, imported = statistics.median(tables), statistics.median(imports)
        say(
            f"start to first full table, {COLUMNS}x{LINES}, median of {RUNS}",
            table,
            "ms",
            f"{min(tables):.0f}-{max(tables):.0f}",
        )
        say(
            f"importing the {len(facts['modules'])} modules it loads",
            imported,
            "ms",
            f"{min(imports):.0f}-{max(imports):.0f}",
        )
        say("ratio", table / imported, "x", f"goal < {GOAL}")
        work, import_work = statistics.median(works), statistics.median(import_works)
        say("processor time of the start, which others hardly disturb", work, "ms", load())
        say("processor time of the imports", import_work, "ms")
        say("ratio of processor times", work / import_work, "x")


if __name__ == "__main__":
    main()
