"""What can go wrong with prices, below models.errors.RackrateError.

RackrateError
├── FeedError            a provider's feed did not answer, or not in the shape we know (carries `provider`)
├── StoreError           a price file of ours cannot be read or written
├── RefreshHeldError     fresh prices that look wrong and were not taken (carries `provider`)
└── InputError
    ├── OffersError      a price file given by the user: names file, line and column
    ├── OwnServersError  the user's own servers: names file, line and field, or the flag
    ├── SettingsError    the settings file: names the field
    └── WhereError       a filter expression: names the term at fault
"""

from __future__ import annotations

from models.errors import InputError, RackrateError, brief


class FeedError(RackrateError):
    """A provider's feed failed; its last good prices stay in use.

    `status` is the HTTP status if there was one, `unreachable` says that its host could not even be connected to.
    """

    exit_code = 1

    def __init__(
        self, provider: str, message: str, *, hint: str = "", status: int | None = None, unreachable: bool = False
    ) -> None:
        super().__init__(f"{provider}: {message}", hint=hint)
        self.provider = provider
        self.status = status
        self.unreachable = unreachable


class StoreError(RackrateError):
    """A price file in the data folder cannot be read or written."""


class RefreshHeldError(RackrateError):
    """Fresh prices were held back because they look wrong; `rackrate refresh --accept` takes them."""

    exit_code = 1

    def __init__(self, provider: str, reason: str) -> None:
        super().__init__(
            f"{provider}: held back, {reason}.",
            hint=f"If that is right: rackrate refresh {provider} --accept {provider}",
        )
        self.provider = provider
        self.reason = reason


class OffersError(InputError):
    """A price file of the user's cannot be used; the message names file, line and column."""


class OwnServersError(InputError):
    """A server of the user's own cannot be used; the message names file, line and field, or the flag it came by."""


class SettingsError(InputError):
    """The settings file cannot be used; the message names the field."""


class WhereError(InputError):
    """A filter expression cannot be understood; `term` is the part at fault."""

    def __init__(self, term: str, message: str, *, hint: str = "") -> None:
        super().__init__(f"Filter term {brief(term)}: {message}", hint=hint)
        self.term = term
