"""The dashboard's screens and dialogs."""

from __future__ import annotations
