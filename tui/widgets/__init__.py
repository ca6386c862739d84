"""The parts of the dashboard's screen."""

from __future__ import annotations
