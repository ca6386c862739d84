"""Rates of many sockets at once are those of one after the other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from models import catalog
from models.cpu_measured import by_instance
from models.cpu_rates import cpu_rates
from models.cpu_socket import Socket, rates_of
from models.table import RATES, ServerTable, socket_of
from pricing.market import Market


@pytest.mark.parametrize("engine", ["llama.cpp", "ik_llama.cpp", "vllm-cpu", "sglang-cpu"])
def test_many_are_as_each(engine: str) -> None:
    """All CPUs of the catalog and both unknown classes, cut and stated in every way."""
    parts = [(cpu, "x86") for cpu in catalog.cpus()] + [(None, "x86"), (None, "arm")]
    ways = list(itertools.product((1.0, 20.0), (False, True), (False, True), (None, 40.0), (None, 25.0)))
    sockets = [
        Socket(cpu, arch, cores + at % 7, packed, shared, stated, read)
        for at, (cpu, arch) in enumerate(parts)
        for cores, packed, shared, stated, read in ways[at % 3 :: 3]
    ]
    found = rates_of(sockets, engine)
    unknown = 0
    for at, socket in enumerate(sockets):
        one = cpu_rates(**socket._asdict(), engine=engine)
        if one is None:
            unknown += 1
            assert found.families[at] is None
            assert all(np.isnan(found.columns[name][at]) for name in RATES)
        else:
            assert found.families[at] == (one.family, one.measured_family)
            for name in RATES:
                assert found.columns[name][at] == pytest.approx(getattr(one, name), rel=1e-12), (socket, name)
    assert 0 < unknown < len(sockets) / 2


def test_nothing_asked_is_nothing_found() -> None:
    """A market of GPU servers only, or of sockets nobody knows."""
    assert len(rates_of([], "llama.cpp").columns["stream"]) == 0
    hidden = next(cpu for cpu in catalog.cpus() if cpu_rates(cpu, cores=8) is None)
    found = rates_of([Socket(hidden, "x86", 8.0, False, False, None, None)], "llama.cpp")
    assert found.families == [None]
    assert np.isnan(found.columns["stream"]).all()


def test_the_table_has_what_each_server_has_alone() -> None:
    """Of the bundled offers' servers, with what was measured on the instance types among them."""
    table = ServerTable.build(Market.load().servers)
    rates = table.cpu_rates("llama.cpp")
    met = 0
    for server, rate in zip(table.servers, rates, strict=True):
        socket = socket_of(server)
        alone = None if socket is None else cpu_rates(**socket._asdict())
        record = by_instance(server.instance) if server.instance else None
        if alone is not None and record is not None:
            alone, met = record.rates(alone), met + 1
        assert (rate is None) == (alone is None)
        if rate is not None and alone is not None:
            assert (rate.family, rate.measured_family) == (alone.family, alone.measured_family)
            assert [getattr(rate, name) for name in RATES] == pytest.approx(
                [getattr(alone, name) for name in RATES], rel=1e-12
            )
    assert met > 500
