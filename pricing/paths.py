"""Where files live: the only module that knows the platform's folders."""

from __future__ import annotations

import os
from pathlib import Path

APP = "rackrate"


def config_dir() -> Path:
    """Folder of the settings; RACKRATE_CONFIG_DIR overrides the platform's."""
    return _override("RACKRATE_CONFIG_DIR") or _platform("config")


def data_dir() -> Path:
    """Folder of fetched prices and saved state; RACKRATE_DATA_DIR overrides the platform's."""
    return _override("RACKRATE_DATA_DIR") or _platform("data")


def settings_file() -> Path:
    """The settings TOML (it need not exist)."""
    return config_dir() / "settings.toml"


def own_servers_file() -> Path:
    """The TOML of the user's own quotes and machines (it need not exist)."""
    return config_dir() / "servers.toml"


def bundled(name: str) -> Path:
    """A data file that ships with the package."""
    return Path(__file__).parent / "data" / name


def _override(variable: str) -> Path | None:
    value = os.environ.get(variable, "").strip()
    return Path(value).expanduser() if value else None


def _platform(kind: str) -> Path:
    # Imported here: a set override must not pay for it.
    import platformdirs

    folder = platformdirs.user_config_dir if kind == "config" else platformdirs.user_data_dir
    return Path(folder(APP, appauthor=False))
