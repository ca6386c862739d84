"""The user's settings: a small TOML whose every field has a default."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from models.errors import brief, toml_problem
from pricing import atomic, paths
from pricing.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user sets once; the command line's flags win over it."""

    currency: str = "USD"
    """Currency that prices are shown in; offers keep their own."""
    vat: float | None = None
    """Tax rate added to net prices as a share, 0.19 = 19 % (the file holds percent); None shows net prices."""
    setup_months: float = 12.0
    """Months a one-time setup fee is spread over."""
    hours_per_month: float = 730.0
    """Hours a server runs in a month."""
    mirror: str | None = None
    """http://host:port that answers every price request (an office cache); RACKRATE_MIRROR wins over it."""
    discounts: dict[str, float] = field(default_factory=dict)
    """Negotiated discount per provider as a share, 0.1 = 10 % off (the file holds percent). Setup fees are not discounted."""
    regions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Regions that a refresh asks a provider for, by the provider's own codes; one not named asks for its usual ones."""
    keys: dict[str, str] = field(default_factory=dict)
    """Keys of the dashboard by the command's id, separated by commas; the dashboard checks them."""

    @classmethod
    def load(cls, path: Path | None = None) -> Settings:
        """Settings from a file, defaults where it is silent or absent. Raises SettingsError naming the field."""
        path = path or paths.settings_file()
        try:
            text = path.read_text(encoding="utf-8-sig")  # some editors write a byte-order mark
        except FileNotFoundError:
            return cls()
        except UnicodeDecodeError as error:
            raise SettingsError(f"{path} is not a text file in UTF-8.") from error
        except OSError as error:
            raise SettingsError(f"Cannot read {path}: {error.strerror or 'it cannot be opened'}.") from error
        import tomllib  # most starts have no settings

        try:
            table = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise SettingsError(f"{path} is not valid TOML: {toml_problem(error)}.") from error
        return cls.from_table(table, str(path))

    @classmethod
    def from_table(cls, table: dict[str, Any], where: str = "settings") -> Settings:
        """Settings from a parsed TOML. Raises SettingsError naming the field."""
        known = [entry.name for entry in fields(cls)]
        for name in table:
            if name not in known:
                raise SettingsError(f"{where}: unknown field {brief(name)}.", hint=f"Known: {', '.join(known)}.")
        values: dict[str, Any] = {}
        for name, value in table.items():
            values[name] = _READERS[name](value, f"{where}: {name}")
        return cls(**values)

    def to_table(self) -> dict[str, Any]:
        """A table for TOML: fields without a value are left out."""
        table = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        table["vat"] = None if self.vat is None else _as_percent(self.vat)
        table["discounts"] = {name: _as_percent(off) for name, off in self.discounts.items()}
        table["regions"] = {name: list(codes) for name, codes in self.regions.items()}
        return {name: value for name, value in table.items() if value is not None and value != {}}

    def save(self, path: Path | None = None) -> Path:
        """Write the settings file (atomically) and say where. Raises StoreError."""
        import tomli_w

        path = path or paths.settings_file()
        atomic.write_text(path, tomli_w.dumps(self.to_table()))
        return path


def template() -> str:
    """The commented file that `rackrate config init` writes; every line in it is a default or an example."""
    return (
        "# Settings of rackrate. A flag on the command line wins over this file.\n"
        'currency = "USD"          # prices are converted for display only\n'
        "# vat = 19                # percent of tax to add to net prices\n"
        "setup_months = 12         # a setup fee is spread over so many months\n"
        "hours_per_month = 730     # hours a server runs in a month\n"
        '# mirror = "http://127.0.0.1:8790"   # an office cache that answers for every price feed\n'
        "\n[discounts]             # negotiated: percent off a provider's hourly and monthly prices, not off setup fees\n"
        "# hetzner = 5\n"
        "\n[regions]               # what a refresh asks a provider for; one that is not named asks for its usual regions\n"
        '# aws = ["eu-central-1", "us-east-1"]\n'
        "\n[keys]                  # of the dashboard, separated by commas; `rackrate config keys` lists the commands\n"
        '# "filter.edit" = "/, ctrl+f"\n'
    )


def init(path: Path | None = None) -> Path:
    """Write the commented default file unless one exists. Raises SettingsError if it does."""
    path = path or paths.settings_file()
    if path.exists():
        raise SettingsError(f"{path} exists already.", hint="Edit it, or delete it first.")
    atomic.write_text(path, template())
    return path


def _number(low: float, high: float) -> Any:
    def read(value: Any, where: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise SettingsError(f"{where} must be a number, not {brief(value)}.")
        if not low <= value <= high:
            raise SettingsError(f"{where} is {value:g}; it must lie between {low:g} and {high:g}.")
        return float(value)

    return read


def _percent(high: float) -> Any:
    number = _number(0, high)

    def read(value: Any, where: str) -> float:
        percent: float = number(value, where)
        # A share in the place of a percentage would make every cost wrong without looking so.
        if 0 < percent < 1:
            raise SettingsError(f"{where} is {percent:g}; it is in percent.", hint=f"Write {_as_percent(percent):g}.")
        return percent / 100

    return read


def _as_percent(share: float) -> float:
    return round(share * 100, 6)


def _keys(value: Any, where: str) -> dict[str, str]:
    """Texts by name; `filter.edit = "/"` without quotes around the name is a table in TOML, and meant the same."""
    if not isinstance(value, dict):
        raise SettingsError(f"{where} must be a table, not {brief(value)}.")
    found: dict[str, str] = {}
    for name, entry in value.items():
        if isinstance(entry, dict):
            found |= {f"{name}.{rest}": text for rest, text in _keys(entry, f"{where}.{name}").items()}
        elif isinstance(entry, str):
            found[name] = entry
        else:
            raise SettingsError(f"{where}.{name} must be text, not {brief(entry)}.")
    return found


def _discounts(value: Any, where: str) -> dict[str, float]:
    if not isinstance(value, dict):
        raise SettingsError(f"{where} must be a table, not {brief(value)}.")
    read = _percent(99)
    return {name.strip().lower(): read(entry, f"{where}.{name}") for name, entry in value.items()}


def _regions(value: Any, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise SettingsError(f"{where} must be a table, not {brief(value)}.")
    found = {}
    for name, codes in value.items():
        if not isinstance(codes, list) or not codes or not all(isinstance(code, str) and code for code in codes):
            raise SettingsError(f"{where}.{name} must be a list of region codes, not {brief(codes)}.")
        found[name.strip().lower()] = tuple(dict.fromkeys(code.strip() for code in codes))
    return found


def _currency(value: Any, where: str) -> str:
    if not isinstance(value, str) or len(value) != 3 or not value.isascii() or not value.isalpha():
        raise SettingsError(f"{where} must be a three-letter currency such as USD, not {brief(value)}.")
    return value.upper()


def _mirror(value: Any, where: str) -> str:
    from pricing.address import is_address, masked  # only those who set a mirror pay for it

    if not isinstance(value, str) or not is_address(value):
        said = brief(masked(value) if isinstance(value, str) else value)
        raise SettingsError(f"{where} must be an address such as http://127.0.0.1:8790, not {said}.")
    return value.rstrip("/")


_READERS: dict[str, Any] = {
    "currency": _currency,
    "vat": _percent(100),
    "setup_months": _number(1, 120),
    "hours_per_month": _number(1, 744),
    "mirror": _mirror,
    "discounts": _discounts,
    "regions": _regions,
    "keys": _keys,
}
