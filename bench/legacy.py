"""Speed of the older generation's calls, in parts of that of the current calls with the same content.

One server answers both in turn, on things that are paid already.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench import mixes
from bench.client import CONNECTIONS, ask, request
from bench.latencies import Compared, Contestant, Pool, compare
from bench.legacy_calls import Call, Numbers, Pair, common_titles, pairs
from bench.legacy_report import LegacyCall, LegacyReport, Speed
from bench.lookalikes_calls import make_key, serve
from bench.servers import Server, cores, on_core
from bench.serving import Effort
from bench.workspace import Workspace

_WAIT_SHARE = 1 / 3
"""Time of a round of a single caller, in parts of one of all callers."""
_CURRENT, _LEGACY = 0, 1
"""Places of the contestants: figures are in parts of the first one's."""

Notify = Callable[[str], object]


def measure(workspace: Workspace, effort: Effort, notify: Notify) -> LegacyReport:
    """Measure all pairs of calls on generated rows, which are loaded unless they are there."""
    if not workspace.holds_rows():
        notify("import")
        workspace.load()
    if not Path(f"{workspace.database}.search").exists():
        notify("building the search index")
        workspace.run("index")
    key = make_key(workspace)
    rows = mixes.sample(workspace.rows("contacts"), workspace.contacts, effort.sample)
    # the index of lookalikes would take memory and processor time that no call here needs
    with on_core(cores()[1]), serve(workspace, ("search",), lookalikes="false") as server:
        notify("pools of requests")
        persons = mixes.people(rows, partial(_post, server, key))
        titles = common_titles(server, persons, key)
        asked = pairs(persons, titles, Numbers(effort.singles, effort.batches), key)
        calls = []
        for pair in asked:
            notify(pair.legacy.name)
            pair.pay(server)
            pair.compare_answers(server)
            calls.append(_measure(server, pair, effort))
    return LegacyReport(workspace.contacts, workspace.companies, calls)


def _post(server: Server, key: str, path: str, bodies: list[bytes]) -> list[bytes]:
    return ask(server.port, [request(path, body, key) for body in bodies])


def _measure(server: Server, pair: Pair, effort: Effort) -> LegacyCall:
    loaded = _compare(server, pair, effort.rounds, effort.seconds, CONNECTIONS)
    alone = _compare(server, pair, effort.rounds, effort.seconds * _WAIT_SHARE, 1)
    legacy, current = (
        Speed(
            loaded.median(place, "per_second"),
            loaded.median(place, "cpu"),
            alone.median(place, "p50") / 1e3,
        )
        for place in (_LEGACY, _CURRENT)
    )
    return LegacyCall(
        pair.legacy.name, pair.current.name, pair.aim, legacy, current, loaded.ratio("per_second")
    )


def _compare(server: Server, pair: Pair, rounds: int, seconds: float, callers: int) -> Compared:
    def contestant(call: Call) -> Contestant:
        return Contestant(call.name, [server], Pool(call.requests, call.check), callers=callers)

    return compare(pair.legacy.name, [contestant(pair.current), contestant(pair.legacy)], rounds, seconds)
