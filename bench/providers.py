"""Asks of providers of the waterfall by HTTP: as many as the client sustains, and waits while a tenth never answers.

The client of the providers file asks receivers in a process of their own; no account, money or database takes part.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
import uvloop

from bench.receivers import receiving
from bench.tables import Table, verdict
from firmograph.kit.clock import SystemClock
from firmograph.settings import Settings
from firmograph.waterfall.providers.loading import LoadedProviders, load_providers
from firmograph.waterfall.providers.types import Found, Person

ASKS_AIM: Final = 500.0
"""Asks a second."""
WAIT_AIM: Final = 2.0
"""Of the p99 with silent providers to that without."""
_PROVIDERS: Final = 10
_IN_FLIGHT: Final = 400
"""Concurrent asks, as many as of a worker."""
_DELAY: Final = 0.05
"""Seconds before an answer."""
_SECONDS, _QUICK_SECONDS = 15.0, 3.0
_PACE: Final = ASKS_AIM
_PERSON: Final = Person(email="jane.doe@acme.example")
_PROVIDER: Final = """
[providers.p{number}]
kind = "http"
url = "{url}"
insecure = true
[providers.p{number}.request]
body = '{{"id":"0b5f5a3e-7a54-4b5e-9c6a-0f6f3a1d2c3b","email":"{{email}}"}}'
[providers.p{number}.response]
phones = "webhookId"
"""


Ask = Callable[[int], Coroutine[Any, Any, None]]
"""Ask with a number."""


class Asked(msgspec.Struct):
    """Figures of one behaviour of the providers; waits in milliseconds, of those that answered."""

    title: str
    per_second: float
    cpu: float
    """Processor time of the client for each ask, in microseconds."""
    p50: float
    p99: float


class ProvidersReport(msgspec.Struct):
    seconds: float
    sustained: list[Asked]
    paced: list[Asked]

    @property
    def size(self) -> str:
        return f"{_PROVIDERS} providers on loopback, {self.seconds:g} s each"


def measure(quick: bool, notify: Callable[[str], object]) -> ProvidersReport:
    """Ask providers as fast as they answer, then at an even rate with and without silent ones."""
    seconds = _QUICK_SECONDS if quick else _SECONDS
    with receiving(_PROVIDERS) as receivers, TemporaryDirectory(prefix="firmograph-providers-") as folder:
        file = Path(folder) / "providers.toml"
        tables = (_PROVIDER.format(number=at, url=url) for at, url in enumerate(receivers.urls))
        file.write_text("".join(tables))

        def run(title: str, *, paced: bool, silent: int = 0, delay: float = _DELAY) -> Asked:
            notify(title)
            receivers.behave(silent=silent, delay=delay)
            providers = load_providers(Settings(providers_file=str(file)), SystemClock())
            asked = uvloop.run(_ask(title, providers, seconds, paced=paced))
            receivers.take_arrivals()
            return asked

        return ProvidersReport(
            seconds,
            [
                run("answer at once", paced=False, delay=0.0),
                run(f"answer after {_DELAY * 1000:g} ms", paced=False),
            ],
            [run("all answer", paced=True), run("a tenth never answers", paced=True, silent=_PROVIDERS)],
        )


async def _ask(title: str, providers: LoadedProviders, seconds: float, *, paced: bool) -> Asked:
    waits: list[float] = []
    names = providers.names()

    async def ask(number: int) -> None:
        provider = providers.get(names[number % len(names)])
        assert provider is not None
        began = time.perf_counter()
        if isinstance(await provider.ask(_PERSON, "phones", str(number)), Found):
            waits.append(time.perf_counter() - began)

    began, used = time.perf_counter(), time.process_time()
    await (_at_pace(ask, seconds) if paced else _at_full_speed(ask, seconds))
    spent, used = time.perf_counter() - began, time.process_time() - used
    await providers.close()
    per_second = len(waits) / (seconds if paced else spent)
    p50, p99 = _percentiles(waits)
    return Asked(title, per_second, used / max(len(waits), 1) * 1e6, p50, p99)


async def _at_full_speed(ask: Ask, seconds: float) -> None:
    until = time.perf_counter() + seconds

    async def one_after_another(first: int) -> None:
        number = first
        while time.perf_counter() < until:
            await ask(number)
            number += _IN_FLIGHT

    await asyncio.gather(*map(one_after_another, range(_IN_FLIGHT)))


async def _at_pace(ask: Ask, seconds: float) -> None:
    began = time.perf_counter()
    async with asyncio.TaskGroup() as asks:
        for number in range(round(seconds * _PACE)):
            await asyncio.sleep(max(0.0, began + number / _PACE - time.perf_counter()))
            asks.create_task(ask(number))


def _percentiles(waits: Sequence[float]) -> tuple[float, float]:
    hundredths = quantiles(waits, n=100)
    return hundredths[49] * 1000, hundredths[98] * 1000


def providers_tables(report: ProvidersReport) -> list[Table]:
    """Return the tables of the figures."""
    first, second = report.paced
    return [
        Table(
            "Asks of providers",
            ("providers", "asks a second", "processor time", "p50", "p99", f"aim: {ASKS_AIM:g} a second"),
            [(*_row(one), verdict((-one.per_second, -ASKS_AIM))) for one in report.sustained],
        ),
        Table(
            "Asks of providers of which some hang",
            (
                "providers",
                "asks a second",
                "processor time",
                "p50",
                "p99",
                f"aim: p99 at most {WAIT_AIM:g} times",
            ),
            [(*_row(first), ""), (*_row(second), verdict((second.p99 / first.p99, WAIT_AIM)))],
        ),
    ]


def _row(one: Asked) -> tuple[str, ...]:
    return (
        one.title,
        f"{one.per_second:,.0f}",
        f"{one.cpu:,.0f} µs",
        f"{one.p50:,.0f} ms",
        f"{one.p99:,.0f} ms",
    )
