"""Write the generated tables of docs/reference: `build_reference.py [FOLDER]`.

A page marks a table with `<!-- table: KIND ARGUMENTS -->` and `<!-- end of table -->`. What stands between the two
comes from the OpenAPI document, the plans and the vocabularies of the program; the rest of a page is prose. The kinds
are the functions in `KINDS`.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from reference_tables import calls, rules
from reference_tables.json_schema import Schema

from firmograph.admin.routes import DOCUMENT, routes
from firmograph.admin.service import AccountAdministration
from firmograph.api.openapi import build_openapi
from firmograph.bootstrap.application import create_app
from firmograph.bootstrap.assembly import make_installation
from firmograph.database.connection import Database
from firmograph.security.keyring import Keyring
from firmograph.settings import Settings

FOLDER = Path(__file__).parents[1] / "docs" / "reference"

_MARKED = re.compile(r"(<!-- table: (\w+)(?: ([^>]*?))? -->\n).*?(<!-- end of table -->)", re.DOTALL)


_OF_ADMIN = "admin.md"
"""Page whose tables come from the document of `/admin`."""


def openapi() -> tuple[Schema, Schema]:
    """Return the OpenAPI documents of the whole application and of `/admin`. No database is opened."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/unused.db")
        keyring = Keyring(hash="00" * 32, tokens={1: "00" * 32})
        installation = make_installation(Settings(), database, keyring)
        endpoints = routes(installation.get(AccountAdministration), max_body_bytes=1)
        admin = build_openapi(endpoints, version="", max_body_bytes=1, document=DOCUMENT)
        return asyncio.run(_get_openapi(create_app(installation))), admin


async def _get_openapi(app: Any) -> Schema:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        answer = await client.get("/openapi.json")
    return dict(json.loads(answer.content))


def filled(text: str, document: Schema) -> str:
    """Return a page with its tables from the program. Raises KeyError for an unknown kind, call or field."""

    def table(match: re.Match[str]) -> str:
        begin, kind, arguments, end = match.groups()
        header, rows = KINDS[kind](document, arguments or "")
        return f"{begin}\n{_rendered(header, rows)}\n{end}"

    return _MARKED.sub(table, text)


def _rendered(header: tuple[str, ...], rows: calls.Rows) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", r"\|").split())


KINDS: dict[str, Callable[[Schema, str], calls.Table]] = {
    "calls": calls.calls_table,
    "request": calls.request_table,
    "answer": calls.answer_table,
    "refusal": calls.refusal_table,
    "query": calls.query_table,
    "plans": rules.plans_table,
    "prices": rules.prices_table,
    "features": rules.features_table,
    "windows": rules.windows_table,
    "statuses": calls.statuses_table,
    "item_errors": calls.item_errors_table,
    "departments": rules.departments_table,
    "seniorities": rules.seniorities_table,
    "bands": rules.bands_table,
    "industries": rules.industries_table,
    "signals": rules.signals_table,
    "thresholds": rules.thresholds_table,
    "points": rules.points_table,
    "catalog": rules.catalog_table,
    "commands": rules.commands_table,
}


def main(folder: Path) -> None:
    public, admin = openapi()
    for page in sorted(FOLDER.glob("*.md")):
        document = admin if page.name == _OF_ADMIN else public
        (folder / page.name).write_text(filled(page.read_text("utf-8"), document), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
