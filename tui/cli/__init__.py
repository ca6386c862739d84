"""The command line: `parser` reads the words, one module a command does the work and is imported only then."""

from __future__ import annotations
