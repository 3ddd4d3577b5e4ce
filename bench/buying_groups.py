"""Buying groups over HTTP: the first page of many companies with many contacts, and of one with very many."""

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import Any

import msgspec

from bench.buying_groups_report import BuyingGroupsReport, GroupCalls
from bench.buying_groups_rows import LARGE_SHARE, SHARE, ContactFile
from bench.client import ask, request
from bench.draws import Brand
from bench.lookalikes_calls import make_key, serve, waits
from bench.servers import cores, on_core
from bench.workspace import ROOT, Workspace

PATH = "/v3/contacts/buying-group"
PAGE = 100
CALLS, QUICK_CALLS = 300, 60
_PERSONAS = (None, ["decision_maker"], ["decision_maker", "potential_champion"])
"""Requested roles, in turn; None for all."""

Notify = Callable[[str], object]


def measure(contacts: int, quick: bool, notify: Notify) -> BuyingGroupsReport:
    space = Workspace(contacts, ROOT / ".bench" / "buying-groups")
    file = ContactFile(space.folder, contacts)
    if not all(path.exists() for path in file.paths.values()):
        notify(f"generating {contacts:,} contacts")
        space.clear_database()
    employers = file.generate()
    if not space.holds_rows():
        _load(space, file, notify)
    key, count = make_key(space), QUICK_CALLS if quick else CALLS
    # the index of lookalikes would take memory and processor time that no buying group needs
    with on_core(cores()[1]), serve(space, ("search",), lookalikes="false") as server:
        notify("calls")
        measured = [
            _measure(
                server, key, f"{len(companies)} of {round(contacts * share):,} contacts", companies, count
            )
            for companies, share in ((employers.many, SHARE), ([employers.large], LARGE_SHARE))
        ]
    return BuyingGroupsReport(contacts, file.companies, measured)


def _load(space: Workspace, file: ContactFile, notify: Notify) -> None:
    space.clear_database()
    for entity, path in file.paths.items():
        notify(f"import of {entity}")
        space.run("import", entity, str(path))
    notify("building the search index")
    space.run("index")
    space.record_rows()


def _measure(server: Any, key: str, title: str, companies: Sequence[Brand], count: int) -> GroupCalls:
    bodies = [_body(companies, personas) for personas in _PERSONAS]
    totals = [
        msgspec.json.decode(answer)["pagination"]["total"]
        for answer in ask(server.port, [request(PATH, body, key) for body in bodies])
    ]

    def check(answer: bytes) -> None:
        results = msgspec.json.decode(answer)["results"]
        if sum(len(group["contacts"]) for group in results) != min(PAGE, max(totals)):
            raise RuntimeError(f"{title}: a page has too few contacts")

    requests = [request(PATH, body, key) for body in islice(cycle(bodies), count)]
    return GroupCalls(waits(title, server, requests, check), min(totals), max(totals))


def _body(companies: Sequence[Brand], personas: Sequence[str] | None) -> bytes:
    body: dict[str, Any] = {
        "companies": [{"domain": brand.domain} for brand in companies],
        "contactsLimit": 1_000,
        "pagination": {"page": 0, "size": PAGE},
    }
    return msgspec.json.encode(body | ({"personas": personas} if personas else {}))
