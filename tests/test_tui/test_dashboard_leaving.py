"""Leaving: at once, also while a server is silent, and with the terminal as it was."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time

import pytest

pty = pytest.importorskip("pty", reason="needs a terminal of its own")

CURSOR = "▸".encode()
"""The table is there."""
ALTERNATE_SCREEN_OFF, MOUSE_OFF = b"\x1b[?1049l", b"\x1b[?1000l"
PATIENCE_S = 60.0
"""For a busy machine to start; a silent server would be waited for longer than QUICK_S."""
QUICK_S = 10.0


class Terminal:
    """A dashboard in a terminal of its own, whose feeds are one server that takes calls and never answers."""

    def __init__(self, home: str) -> None:
        import fcntl
        import struct
        import termios

        self.server = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.server.settimeout(PATIENCE_S)
        self.control, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        environment = os.environ | {
            "TERM": "xterm-256color",
            "RACKRATE_MIRROR": f"http://127.0.0.1:{self.server.getsockname()[1]}",
            "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home,
        }  # fmt: skip
        self.process = subprocess.Popen([sys.executable, "-m", "tui"], stdin=inner, stdout=inner, stderr=inner,
                                        env=environment, start_new_session=True)  # fmt: skip
        os.close(inner)
        self.seen = b""
        self.calls: list[socket.socket] = []

    def read(self, enough: bytes | None, seconds: float) -> None:
        """Read until something is there, or until the program has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (enough is None or enough not in self.seen):
            if select.select([self.control], [], [], 0.05)[0]:
                try:
                    self.seen += os.read(self.control, 65536)
                except OSError:  # Linux says so where the other end has closed
                    break
            elif self.process.poll() is not None:
                return
        if enough is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(max(end - time.monotonic(), 0.0))

    def hang_up(self) -> None:
        """Close the near end of the terminal, without a signal to the program."""
        os.close(self.control)
        self.control = -1

    def close(self) -> None:
        """End what is still there."""
        self.process.kill()
        self.process.wait()
        for line in (self.server, *self.calls):
            line.close()
        if self.control >= 0:
            os.close(self.control)


@pytest.fixture
def terminal(tmp_path):
    made = Terminal(str(tmp_path))
    made.read(CURSOR, PATIENCE_S)
    yield made
    made.close()


@pytest.mark.parametrize("keys", [(b"q",), (b"\x03",), (b"\x1b", b"q")], ids=["q", "ctrl+c", "esc q"])
def test_a_silent_server_does_not_hold_the_terminal(terminal, keys):
    os.write(terminal.control, b"r")
    terminal.calls.append(terminal.server.accept()[0])
    terminal.seen = b""
    for key in keys:
        os.write(terminal.control, key)
        terminal.read(b"stopped" if key == b"\x1b" else ALTERNATE_SCREEN_OFF, PATIENCE_S)
    started = time.monotonic()
    terminal.read(None, QUICK_S)
    assert terminal.process.poll() == 0, f"still there after {time.monotonic() - started:.0f} s"
    assert b"Traceback" not in terminal.seen


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(terminal, number):
    terminal.process.send_signal(number)
    terminal.read(None, QUICK_S)
    assert terminal.process.poll() == 128 + number
    assert ALTERNATE_SCREEN_OFF in terminal.seen
    assert MOUSE_OFF in terminal.seen
    assert b"Traceback" not in terminal.seen


@pytest.mark.parametrize("way", ["q", "ctrl+c", "SIGTERM", "SIGHUP", "killed"])
def test_every_way_out_keeps_the_state(terminal, own_folders, way):
    path = own_folders / "rackrate-data" / "state.json"
    terminal.seen = b""
    os.write(terminal.control, b"f")
    terminal.read(b"holds the model", PATIENCE_S)
    if way == "killed":  # only what had come to rest is there then
        end = time.monotonic() + PATIENCE_S
        while not path.exists() and time.monotonic() < end:
            terminal.read(b"never", 0.2)
        terminal.process.kill()
    elif way.startswith("SIG"):
        terminal.process.send_signal(getattr(signal, way))
    else:
        os.write(terminal.control, {"q": b"q", "ctrl+c": b"\x03"}[way])
    terminal.read(None, QUICK_S)
    kept = json.loads(path.read_text())
    assert kept["view"]["fit"] == "fits"
    assert kept["workload"]["model"] == "Llama-3.1-8B"
    assert not list(path.parent.glob(".state*"))


def test_a_terminal_that_vanishes_ends_the_program_and_keeps_the_state(terminal, own_folders):
    path = own_folders / "rackrate-data" / "state.json"
    terminal.seen = b""
    os.write(terminal.control, b"f")
    terminal.read(b"holds the model", PATIENCE_S)
    terminal.hang_up()
    terminal.process.wait(QUICK_S)
    assert terminal.process.returncode not in {0, None}
    assert json.loads(path.read_text())["view"]["fit"] == "fits"
