"""What serving costs: per hour, month and million tokens, against an API, owned or rented.

Every function takes numbers or arrays (None and NaN = not known) and gives float64 arrays of the common shape; NaN means
that there is no figure, never 0. `figure` turns a result for one case into a float or None. A price of 0 is a placeholder
in every feed seen, so it gives no figure either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

HOURS_PER_MONTH = 730.0
"""8760 h / 12; providers bill 672 to 744 h, so the month is a setting wherever it matters."""
SECONDS_PER_HOUR = 3600.0
MILLION = 1e6
ROUNDING = 1e-9
"""Servers that rounding may add: 0.3 / 0.1 is 3.0000000000000004, and noise must not rent a fourth server."""

Numbers: TypeAlias = "ArrayLike | None"
Figures: TypeAlias = "NDArray[np.float64]"


def _array(value: Numbers) -> Figures:
    """A float array; None, alone or inside a sequence, becomes NaN."""
    return np.asarray(value, dtype=np.float64) if value is not None else np.asarray(np.nan)


def _positive(value: Numbers) -> Figures:
    array = _array(value)
    return np.where(np.isfinite(array) & (array > 0), array, np.nan)


def _not_negative(value: Numbers, *, missing: float = np.nan) -> Figures:
    array = _array(value)
    return np.where(np.isnan(array), missing, np.where(np.isfinite(array) & (array >= 0), array, np.nan))


def _share(value: Numbers) -> Figures:
    array = _positive(value)
    return np.where(array <= 1, array, np.nan)


def figure(value: ArrayLike) -> float | None:
    """One result as a float, None where there is no figure."""
    number = float(np.asarray(value, dtype=np.float64))
    return number if np.isfinite(number) else None


# tokens


def cost_per_m_tokens(price_per_hour: Numbers, tokens_per_s: Numbers, utilization: Numbers = 1.0) -> Figures:
    """Price of a million tokens from a whole server's hourly price and its tokens per second (output or total: as given)."""
    return _positive(price_per_hour) / (_positive(tokens_per_s) * SECONDS_PER_HOUR * _share(utilization)) * MILLION


def total_tokens_per_output_token(input_tokens: Numbers, output_tokens: Numbers) -> Figures:
    """(input + output) / output: how much cheaper a million tokens looks when the prompt counts too."""
    out = _positive(output_tokens)
    return (_not_negative(input_tokens) + out) / out


def monthly_capacity_tokens(tokens_per_s: Numbers, hours_per_month: Numbers = HOURS_PER_MONTH) -> Figures:
    """Tokens a server can give in a month without a pause."""
    return _positive(tokens_per_s) * SECONDS_PER_HOUR * _positive(hours_per_month)


# the user's traffic


def servers_needed(requests_per_s: Numbers, requests_per_s_at_target: Numbers, utilization: Numbers = 1.0) -> Figures:
    """Whole servers for a traffic in requests/s, each at `utilization` of its rate inside the targets."""
    ratio = _positive(requests_per_s) / (_positive(requests_per_s_at_target) * _share(utilization))
    return np.maximum(np.ceil(ratio - ROUNDING), 1.0)


def cost_per_m_at_traffic(
    monthly_cost: Numbers,
    requests_per_s: Numbers,
    tokens_per_request: Numbers,
    hours_per_month: Numbers = HOURS_PER_MONTH,
) -> Figures:
    """A fleet's monthly price over the million tokens it really serves in a month."""
    tokens = _positive(requests_per_s) * _positive(tokens_per_request) * SECONDS_PER_HOUR * _positive(hours_per_month)
    return _positive(monthly_cost) / tokens * MILLION


# hours, months, setup


def effective_monthly(
    price_per_month: Numbers,
    price_per_hour: Numbers,
    setup_fee: Numbers = None,
    setup_months: Numbers = 12.0,
    hours_per_month: Numbers = HOURS_PER_MONTH,
) -> Figures:
    """Price of one server for a month of `hours_per_month` used hours, setup fee spread over `setup_months`.

    A monthly price is paid whatever the hours are; an hourly one for every hour begun. Where a provider has both, the
    month is the cap. A missing setup fee is none.
    """
    month = _positive(price_per_month)
    by_hour = _positive(price_per_hour) * np.ceil(_positive(hours_per_month) - 1e-9)
    return np.fmin(month, by_hour) + _not_negative(setup_fee, missing=0.0) / _positive(setup_months)


def effective_hourly(effective_month: Numbers, hours_per_month: Numbers = HOURS_PER_MONTH) -> Figures:
    """A month's price over its used hours, for comparing; it is never an offer's own hourly price."""
    return _positive(effective_month) / _positive(hours_per_month)


def break_even_hours(price_per_month: Numbers, price_per_hour: Numbers) -> Figures:
    """Hours a month above which the monthly price is the cheaper one."""
    return _positive(price_per_month) / _positive(price_per_hour)


# against an API


def blended_api_price(
    input_tokens: Numbers,
    output_tokens: Numbers,
    price_input_per_m: Numbers,
    price_output_per_m: Numbers,
    cached_tokens: Numbers = 0.0,
    price_cached_per_m: Numbers = None,
) -> Figures:
    """An API's price per million tokens of this request's mix, prompt included.

    `cached_tokens` of the input tokens are billed at `price_cached_per_m`, or as input where no such price is known.
    """
    given = _not_negative(input_tokens)
    cached = np.minimum(_not_negative(cached_tokens, missing=0.0), given)
    out = _not_negative(output_tokens)
    fresh_price, out_price = _not_negative(price_input_per_m), _not_negative(price_output_per_m)
    cached_price = _array(price_cached_per_m)
    cached_price = np.where(np.isnan(cached_price), fresh_price, cached_price)
    total = _positive(given + out)
    return ((given - cached) * fresh_price + cached * cached_price + out * out_price) / total


def cost_per_m_requests(price_per_m_tokens: Numbers, tokens_per_request: Numbers) -> Figures:
    """Price of a million requests from a price per million tokens."""
    return _positive(price_per_m_tokens) * _positive(tokens_per_request)


def break_even_tokens_per_month(monthly_cost: Numbers, api_price_per_m: Numbers) -> Figures:
    """Tokens a month above which a server at that fixed price beats the API; see `break_even_utilization` for whether it can."""
    return _positive(monthly_cost) / _positive(api_price_per_m) * MILLION


def break_even_utilization(price_per_hour: Numbers, tokens_per_s: Numbers, api_price_per_m: Numbers) -> Figures:
    """Share of the server's tokens per second at which it costs what the API costs; above 1 it never breaks even."""
    return (
        _positive(price_per_hour) * MILLION / (_positive(tokens_per_s) * SECONDS_PER_HOUR * _positive(api_price_per_m))
    )


# energy and owned machines


def energy_j_per_token(node_w: Numbers, tokens_per_s: Numbers, pue: Numbers = 1.0) -> Figures:
    """Joules a token, from the wall power of the whole machine in watts; PUE adds the building's share."""
    overhead = _positive(pue)
    return _positive(node_w) * np.where(overhead >= 1, overhead, np.nan) / _positive(tokens_per_s)


def energy_kwh_per_m_tokens(node_w: Numbers, tokens_per_s: Numbers, pue: Numbers = 1.0) -> Figures:
    """Kilowatt-hours a million tokens."""
    return energy_j_per_token(node_w, tokens_per_s, pue) / 3.6


def owned_hourly(
    purchase: Numbers,
    months_kept: Numbers,
    node_w: Numbers,
    price_per_kwh: Numbers,
    *,
    pue: Numbers = 1.0,
    colocation_per_month: Numbers = None,
) -> Figures:
    """Hourly price of a machine of one's own: purchase over its life, power, rack. Rented servers include their power."""
    write_off = _positive(purchase) / (_positive(months_kept) * HOURS_PER_MONTH)
    power = _not_negative(node_w) * _positive(pue) / 1000.0 * _not_negative(price_per_kwh)
    return write_off + power + _not_negative(colocation_per_month, missing=0.0) / HOURS_PER_MONTH
