"""Tables in contract tests: an account with a user and tables of both kinds, and hooks that name them in requests.

Requests that fit the document are adjusted to what it cannot express: who acts is a user of the account, a table is
one of its tables, and some properties exclude or need each other.
"""

import re
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
WRITING_OPERATIONS = """
    prospect_contacts
    enrich_contacts
    get_contact_signals
    find_lookalike_contacts
    prospect_companies
    enrich_companies
    get_company_signals
    find_lookalike_companies
""".split()
"""Those that take a `tableId`."""
PATHS = "^/v3/(contacts|companies)/tables"

CHARGED = {
    "create_company_table": "revealCompany",
    "add_company_table_rows": "revealCompany",
    "get_contact_table_rows": "tableRead",
    "get_company_table_rows": "tableRead",
}
"""What must have been charged for after a test of an operation."""

_TABLES = 6
"""Tables of each kind; as many can be deleted in a test."""
_TABLE_ID = re.compile(r"[0-9]{8,16}")


class StoredTable(NamedTuple):
    table_id: str
    column_id: str
    """Column that can be removed."""


STORED: dict[str, list[StoredTable]] = {}
"""Tables of the calling account by kind; set before requests are generated."""


def table_account(served) -> tuple[str, str]:
    """Return name and key of a new account with a user and with tables, which become those of `STORED`."""
    name, key = new_account(served)
    served.accounts.add_user(name, OWNER)
    owner = {"email": OWNER}
    with httpx.Client(base_url=f"{served.url}/v3", headers={"api_key": key}, timeout=60) as client:
        for kind, ids in (("contacts", "contactIds"), ("companies", "companyIds")):
            STORED[kind] = []
            for number in range(_TABLES):
                # the last company is known by name and domain only, so that tests pay for the others
                body = {"name": f"Table {number}", "owner": owner, "ids": served.identifiers[ids][-1:]}
                created = client.post(f"/{kind}/tables", json=body).raise_for_status().json()
                table_id = created["data"]["tableId"]
                column = {"columnKey": "city", "owner": owner}
                added = client.post(f"/{kind}/tables/{table_id}/columns", json=column).raise_for_status()
                STORED[kind].append(StoredTable(table_id, added.json()["data"][0]["columnId"]))
    return name, key


def with_stored_table(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return a request that names a stored table wherever it names one."""
    if not STORED or body.get("tableId") is None:
        return body
    _, _, kind, *_ = path.split("/")
    return {**body, "tableId": STORED[kind][0].table_id}


def adjust(case: Any) -> None:
    """Make a request that fits the document one that is accepted; ids of stored tables stay."""
    _, _, kind, *_ = case.path.split("/")
    if isinstance(case.body, dict):
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
        stored = STORED[kind][crc32(given.encode("utf-8", "surrogatepass")) % _TABLES]
        path["table_id"] = stored.table_id
        if "column_id" in path:
            path["column_id"] = stored.column_id


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
