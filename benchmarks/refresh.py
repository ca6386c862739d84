"""Refreshing every keyless feed from a loopback server whose bodies have their true size.

    python benchmarks/refresh.py

Printed: the time of a refresh over the time of only reading the same bodies, its memory, and a refresh in which every feed
answers "not modified" over a full one. Each figure comes from a process of its own.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
SERVER = ROOT / "tests" / "feeds" / "server.py"
WORKERS = 8


def main() -> None:
    """Start the server, run each part in its own process, print."""
    if len(sys.argv) > 1:
        parts: dict[str, Callable[..., None]] = {"refresh": run_refresh, "record": record, "read": read}
        parts[sys.argv[1]](*sys.argv[2:])
        return
    server = subprocess.Popen(
        [sys.executable, SERVER, "--port", "0", "--scale", "true", "--etags"], stdout=subprocess.PIPE, text=True
    )
    try:
        mirror = (server.stdout or sys.stdin).readline().split()[-1]
        with tempfile.TemporaryDirectory() as folder:
            asked = str(Path(folder) / "asked.json")
            # The first one makes the server generate its bodies, and notes what is asked.
            part("record", mirror, folder + "/first", asked)
            reading = [part("read", mirror, asked) for _ in range(3)]
            full = [part("refresh", mirror, f"{folder}/full{number}") for number in range(3)]
            again = [part("refresh", mirror, f"{folder}/full{number}") for number in range(3)]
    finally:
        server.kill()
    show(reading, full, again)


def show(reading: list[dict[str, Any]], full: list[dict[str, Any]], again: list[dict[str, Any]]) -> None:
    """Print the medians and their ratios."""
    read_s, full_s, again_s = (sorted(run["seconds"] for run in runs)[1] for runs in (reading, full, again))
    memory = max(run["memory_mb"] for run in full)
    print(f"bodies: {reading[0]['bytes'] / 1e6:,.0f} MB in {reading[0]['requests']} requests")
    print(f"only reading them: {read_s:.2f} s")
    print(f"refresh: {full_s:.2f} s = {full_s / read_s:.2f}x (at most 3), {full[0]['offers']:,} offers")
    print(f"memory of the refresh: {memory:.0f} MB (under 400)")
    print(f"not modified: {again_s:.2f} s = {again_s / full_s:.3f} of a full one (a tenth)")
    print(f"statuses: {full[0]['statuses']} then {again[0]['statuses']}")


def part(name: str, *words: str) -> dict[str, Any]:
    """Run a part in a process of its own and take its figures."""
    done = subprocess.run(
        [sys.executable, __file__, name, *words], check=True, capture_output=True, text=True, env={**os.environ}
    )
    figures: dict[str, Any] = json.loads(done.stdout or "{}")
    return figures


def run_refresh(mirror: str, folder: str, client: Any = None) -> None:
    """A whole refresh; prints its figures as JSON."""
    from pricing import refresh
    from pricing.answer_cache import AnswerCache
    from pricing.http import Client
    from pricing.store import Store

    gc.disable()  # as the command does
    store = Store(Path(folder))
    client = client or Client(mirror=mirror)
    client.cache = AnswerCache(store.folder / "cache")
    begun = time.perf_counter()
    # Compared with nothing bundled: invented prices would be held back as too far from real ones.
    report = refresh.refresh(None, store=store, client=client)
    seconds = time.perf_counter() - begun
    client.close()
    statuses: dict[str, int] = {}
    for outcome in report.outcomes:
        statuses[outcome.status] = statuses.get(outcome.status, 0) + 1
        if outcome.status in {"failed", "held"}:
            print(outcome.message, file=sys.stderr)
    print(
        json.dumps(
            {
                "seconds": seconds,
                "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "offers": sum(outcome.offers for outcome in report.outcomes),
                "statuses": statuses,
            }
        )
    )


def record(mirror: str, folder: str, target: str) -> None:
    """A refresh whose requests are noted."""
    from pricing.http import Client

    asked: list[dict[str, Any]] = []

    class Recorder(Client):
        def send(self, request: Any) -> Any:
            params, headers = dict(request.params or {}), dict(request.headers or {})
            asked.append(
                {"method": request.method, "url": self._address(request), "params": params, "headers": headers,
                 "json": request.body}
            )  # fmt: skip
            return super().send(request)

    run_refresh(mirror, folder, Recorder(mirror=mirror))
    Path(target).write_text(json.dumps(asked), encoding="utf-8")


def read(_: str, source: str) -> None:
    """Read the same bodies, as many at once as a refresh does, and do nothing with them."""
    import httpx

    asked = json.loads(Path(source).read_text(encoding="utf-8"))

    def one(request: dict[str, Any]) -> int:
        params = request.pop("params") or None
        with client.stream(request.pop("method"), request.pop("url"), params=params, **request) as response:
            return sum(map(len, response.iter_raw()))

    begun = time.perf_counter()
    with httpx.Client(timeout=600) as client, ThreadPoolExecutor(WORKERS) as pool:
        size = sum(pool.map(one, asked))
    print(json.dumps({"seconds": time.perf_counter() - begun, "bytes": size, "requests": len(asked)}))


if __name__ == "__main__":
    main()
