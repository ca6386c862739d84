"""One file per price feed; importing it registers it."""

from __future__ import annotations
