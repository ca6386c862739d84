"""What a person sees: the dashboard and the command line."""

from __future__ import annotations

__version__ = "0.1.0"
