"""Lookalikes among generated companies: recall, speed, memory, building and changes.

The index alone is measured in processes of its own (`bench.lookalikes_index`). The loaded database is kept for later
runs.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from bench.lookalikes_calls import Calls, Records, during_build, make_key, serve
from bench.lookalikes_calls import waits as measure_waits
from bench.lookalikes_report import Building, Busy, Latency, LookalikesReport, Recall, Restart, Waits
from bench.lookalikes_rows import CompanyFile
from bench.servers import Server, cores, on_core
from bench.workspace import ROOT, Workspace, environment
from firmograph.database.connection import Database
from firmograph.indexing.local_index import Tuning
from firmograph.kit.clock import SystemClock
from firmograph.lookalikes.model.store import newest_size
from firmograph.lookalikes.model.training import LearntModel, newest_model, put_in_force

LISTS, QUICK_LISTS = 100, 20
"""Lists of companies of one kind."""
_LIST = 350
"""Companies of a list, of which a call takes seeds and exclusions."""
_CHANGED, _QUICK_CHANGED = 10, 5
_CALLS = 200
"""Calls of one session."""

Notify = Callable[[str], object]


def measure(companies: int, quick: bool, notify: Notify) -> LookalikesReport:
    space = Workspace(companies, ROOT / ".bench" / "lookalikes")
    file = CompanyFile(space.folder, companies)
    _load(space, file, notify)
    groups = file.groups(_LIST, QUICK_LISTS if quick else LISTS)
    records, seeds = Records(space), space.folder / "seeds.json"
    seeds.write_bytes(msgspec.json.encode([records.numbers(group) for group in groups]))
    notify("learning a model")
    learning = _task(space, "learn", Building)
    notify("building the index")
    building = _task(space, "build", Building)
    notify("restart")
    restart = _task(space, "restart", Restart, seeds)
    notify("recall")
    recall = _task(space, "recall", list[Recall], seeds)
    notify("latency of the index")
    latency = _task(space, "latency", list[Latency], seeds)
    calls = Calls(records, groups, make_key(space))
    with on_core(cores()[1]), serve(space, ("search", "similarity")) as server:
        notify("calls over HTTP")
        over_http = _over_http(calls, server, groups[0], 1 if quick else 3)
        notify("changed companies")
        fresh = calls.seconds_to_find(space, server, _QUICK_CHANGED if quick else _CHANGED)
    busy = _calls_during_build(space, records, calls, notify) if companies > Tuning().small_index else None
    records.database.close()
    return LookalikesReport(companies, recall, latency, over_http, learning, building, restart, fresh, busy)


def _load(space: Workspace, file: CompanyFile, notify: Notify) -> None:
    if not file.path.exists():
        notify(f"generating {file.count:,} companies")
        file.generate()
        space.clear_database()
    if not space.holds_rows():
        notify(f"import of {file.count:,} companies")
        space.clear_database()
        space.run("import", "companies", str(file.path))
        notify("building the search index")
        space.run("index")
        space.record_rows()


def _over_http(calls: Calls, server: Server, group: list[dict[str, Any]], repeats: int) -> list[Waits]:
    made = []
    for limit in (25, 100):

        def check(answer: bytes, limit: int = limit) -> None:
            if len(msgspec.json.decode(answer)["results"]) != limit:
                raise RuntimeError("A call found too few companies")

        title = f"100 mixed seeds, 500 exclusions, limit {limit}"
        made.append(measure_waits(title, server, calls.mixed(limit, repeats), check))
    made.append(calls.in_session(server, group, _CALLS))
    return made


def _calls_during_build(space: Workspace, records: Records, calls: Calls, notify: Notify) -> Busy:
    with serve(space, ("search", "similarity"), set(cores())) as server:
        notify("calls during a build")
        return during_build(server, calls.mixed(25, 1), lambda: _renumber_model(records.database))


def _renumber_model(database: Database) -> None:
    """Put the model in force again under the next number, so that servers build their index for it."""
    model, size = newest_model(database), newest_size(database.session())
    if model is None or size is None:
        raise RuntimeError("There is no model")
    again = model.with_number(model.number + 1)
    put_in_force(
        database, SystemClock(), LearntModel(again.number, size.companies, size.contacts, again.to_bytes())
    )


def _task(space: Workspace, task: str, type: Any, *arguments: Path) -> Any:
    """Run a task of `bench.lookalikes_index` in a process of its own."""
    command = Workspace.python("bench.lookalikes_index", task, str(space.database), *map(str, arguments))
    done = subprocess.run(command, env=environment(), check=False, text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{task} failed: {done.stderr[-2000:]}")
    return msgspec.json.decode(done.stdout, type=type)
