"""Who sells which server, at which price, and how old that price is."""

from __future__ import annotations
