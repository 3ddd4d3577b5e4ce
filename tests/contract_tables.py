"""Tables in contract tests: an account with a user and tables of both kinds, and hooks that name them in requests.

Requests that fit the document are adjusted to what it cannot express: who acts is a user of the account, a table is
one of its tables, and some properties exclude or need each other.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple
from zlib import crc32

import httpx

from contract_fixtures import new_account

OWNER = "owner@acme.example.com"
"""User of every account that calls table endpoints."""

TABLE_OPERATIONS = """
    create_{kind}_table
    list_{kind}_tables
    get_{kind}_table
    update_{kind}_table
    delete_{kind}_table
    get_{kind}_column_catalog
    get_{kind}_table_columns
    add_{kind}_table_columns
    remove_{kind}_table_column
    run_{kind}_table_column
    get_{kind}_table_rows
    add_{kind}_table_rows
    remove_{kind}_table_rows
""".split()
OPERATIONS = [name.format(kind=kind) for kind in ("contact", "company") for name in TABLE_OPERATIONS]
PATHS = "^/v3/(contacts|companies)/tables"

WRITING_OPERATIONS = """
    enrich_contacts
    enrich_companies
    prospect_contacts
    prospect_companies
    get_contact_signals
    get_company_signals
    find_lookalike_contacts
    find_lookalike_companies
""".split()
"""Those that add their results to a table."""
_WRITING = re.compile("/v3/(?P<kind>contacts|companies)/(enrich|prospecting|signals|lookalike)")

CHARGED = {
    "create_company_table": "revealCompany",
    "add_company_table_rows": "revealCompany",
    "get_contact_table_rows": "tableRead",
    "get_company_table_rows": "tableRead",
}
"""What must have been charged for after a test of an operation."""

_TABLES = 6
"""Tables of each kind; as many can be deleted in a test."""
FIRST_ROWS = _TABLES
"""Rows of the tables of a kind before a test."""
_FOUND = {"contacts": "Ann", "companies": "Acme Instruments"}
"""Names that searches find records by."""
_TABLE_ID = re.compile(r"[0-9]{8,16}")


class StoredTable(NamedTuple):
    table_id: str
    column_id: str
    """Column that can be removed."""


STORED: dict[str, list[StoredTable]] = {}
"""Tables of the calling account by kind; set before requests are generated."""


def table_account(paths: Iterable[str], served) -> tuple[str, str]:
    """Return name and key of a new account with a user, and with tables of the kinds that these paths are about.

    The tables become those of `STORED`, and calls that can write to them are counted again from the first.
    """
    global _calls
    _calls = count()
    name, key = new_account(served)
    served.accounts.add_user(name, OWNER)
    owner = {"email": OWNER}
    with httpx.Client(base_url=f"{served.url}/v3", headers={"api_key": key}, timeout=60) as client:
        for kind, ids in (("contacts", "contactIds"), ("companies", "companyIds")):
            STORED[kind] = []
            if not any(path.startswith(f"/v3/{kind}/") for path in paths):
                continue
            for number in range(_TABLES):
                # the last company is known by name and domain only, so that tests pay for the others
                body = {"name": f"Table {number}", "owner": owner, "ids": served.identifiers[ids][-1:]}
                created = client.post(f"/{kind}/tables", json=body).raise_for_status().json()
                table_id = created["data"]["tableId"]
                column = {"columnKey": "city", "owner": owner}
                added = client.post(f"/{kind}/tables/{table_id}/columns", json=column).raise_for_status()
                STORED[kind].append(StoredTable(table_id, added.json()["data"][0]["columnId"]))
    return name, key


def count_rows(served, name: str) -> int:
    """Return the number of rows in all tables of an account."""
    headers = {"api_key": served.accounts.create_key(name).api_key}
    with httpx.Client(base_url=f"{served.url}/v3", headers=headers, timeout=60) as client:
        lists = [
            client.post(f"/{kind}/tables/list", json={"owner": {"email": OWNER}})
            for kind, tables in STORED.items()
            if tables
        ]
    return sum(table["entityCount"] for listed in lists for table in listed.json()["data"])


_calls = count()
"""Numbers calls that can write to tables."""


def name_table(case: Any) -> None:
    """Give every other call that can write to tables a stored one, and records to be found; the rest write nothing.

    The first of all finds records whatever was drawn: nothing else limits its search.
    """
    path = _WRITING.fullmatch(case.path)
    if path is None or not STORED.get(path["kind"]) or not isinstance(case.body, dict):
        return
    case.body = {name: value for name, value in case.body.items() if name != "tableId"}
    number = next(_calls)
    if number % 2 == 0:
        chosen = crc32(repr(case.body).encode("utf-8", "surrogatepass"))
        if case.path.endswith("/prospecting"):
            case.body = {} if number == 0 else case.body
            case.body["filters"] = {path["kind"]: {"include": {"names": [_FOUND[path["kind"]]]}}}
        case.body["tableId"] = STORED[path["kind"]][chosen % _TABLES].table_id


def adjust(case: Any, stored: Mapping[str, list[Any]]) -> None:
    """Make a request that fits the document one that is accepted, with stored records; ids of stored tables stay."""
    _, _, kind, *_ = case.path.split("/")
    if isinstance(case.body, dict):
        _name_records(case, stored["companyIds" if kind == "companies" else "contactIds"])
        case.body = {**case.body, "owner": {"email": OWNER}}
        if case.path.endswith("/columns"):
            _choose_form(case.body)
        elif case.path.endswith("/run"):
            _fit_scope(case.body)
        elif "companyIds" in case.body:
            case.body["companyIds"] = case.body["entityIds"]
    if case.query and "email" in case.query:
        case.query["email"] = OWNER
    path = case.path_parameters or {}
    given = path.get("table_id", "")
    if "table_id" in path and not _TABLE_ID.fullmatch(given):
        table = STORED[kind][crc32(given.encode("utf-8", "surrogatepass")) % _TABLES]
        path["table_id"] = table.table_id
        if "column_id" in path:
            path["column_id"] = table.column_id


def _name_records(case: Any, ids: Sequence[str]) -> None:
    """Let calls that make tables or add rows name stored records first."""
    name = "ids" if case.path.endswith("/tables") else "entityIds"
    if case.method == "POST" and case.path.endswith(("/tables", "/entities")):
        case.body[name] = [*ids, *(case.body.get(name) or ())][:100]


def _choose_form(body: dict[str, Any]) -> None:
    """Leave exactly one of the two forms of added columns."""
    if body.get("columns") is not None:
        body.pop("columnKey", None)
    elif body.get("columnKey") is None:
        body["columnKey"] = "city"


def _fit_scope(body: dict[str, Any]) -> None:
    """Give ids to scope `specific`, and to no other."""
    if body.get("runScope") != "specific":
        body.pop("entityIds", None)
    elif body.get("entityIds") is None:
        body["entityIds"] = ["1"]
