"""Search for contacts and companies: the filters as a form, the total, and a page of results with their prices."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec

from firmograph.billing.charged_call import Charged
from firmograph.kit.errors import BadRequest, FirmographError
from firmograph.prospecting.current_search import CurrentSearch
from firmograph.prospecting.service import PRICE_KEYS, FoundPage
from firmograph.saved_searches.service import LONGEST_NAME, list_searches
from firmograph.security.record_ids import Entity
from firmograph.workspace.answers import Answer, HtmlPage, Redirect
from firmograph.workspace.charging_forms import new_key, read_key
from firmograph.workspace.filter_form import Query, fill, pairs_of, read_body
from firmograph.workspace.pages.suggestions import ALL, SUGGESTIONS
from firmograph.workspace.record_kinds import RecordPages, curl, decode, pages_of
from firmograph.workspace.record_rows import COLUMNS, RecordRow, read_row
from firmograph.workspace.visit import Visit

_LONGEST_QUERY: Final = 7_000
"""Bytes of a query that proxies still pass on."""
_OWN_FIELDS: Final = ("form_token", "idempotency_key")


class SearchOutcome(NamedTuple):
    """Results of a page, or only their number where showing them costs credits."""

    total: int
    charged: Charged[FoundPage] | None = None


def show_search(visit: Visit) -> Answer:
    """Show the form, and the results of its filters if there are any; those that cost credits on a button."""
    kind = pages_of(visit)
    typed = read_body(kind.form, visit.query_lists)
    return _search_page(visit, kind, typed, lambda body: _find_free(visit, body))


def submit_search(visit: Visit) -> Answer:
    """Go to the address of a search, which has no field that was left empty."""
    kind = pages_of(visit)
    typed = read_body(kind.form, _typed_fields(visit))
    query = urlencode(list(pairs_of(typed)))
    if len(query) > _LONGEST_QUERY:
        problem = (
            f"The search does not fit into an address, which has {_LONGEST_QUERY:,} characters and this one"
            f" {len(query):,}. Shorten a list, or send the search over the API"
        )
        return _search_page(visit, kind, typed, lambda body: None, [problem])
    return Redirect(f"{kind.search_path}?{query}" if query else kind.search_path)


def show_total(visit: Visit) -> Answer:
    """Answer the number of matches alone, as the form changes."""
    kind = pages_of(visit)
    typed = read_body(kind.form, _typed_fields(visit))
    values: dict[str, Any] = {"total": None, "problem": ""}
    if typed.get("filters"):
        try:
            body = decode(visit, kind.search, typed)
            values["total"] = visit.installation.get(CurrentSearch).total(visit.request(), body)
        except FirmographError as error:
            values["problem"] = error.message
    return HtmlPage("search_total.html", values)


def buy_results(visit: Visit) -> Answer:
    """Show a page of results that costs credits."""
    kind = pages_of(visit)
    typed = read_body(kind.form, _typed_fields(visit))

    def find(body: Any) -> SearchOutcome:
        target = f"{kind.search_path}/results"
        request = visit.request(read_key(visit, target, msgspec.json.encode(typed)))
        charged = visit.installation.get(CurrentSearch).find(request, body).charge()
        return SearchOutcome(charged.content.page.result.total, charged)

    return _search_page(visit, kind, typed, find)


def _find_free(visit: Visit, body: Any) -> SearchOutcome:
    search, request = visit.installation.get(CurrentSearch), visit.request()
    call = search.find(request, body)
    charged = call.read()
    if charged is None:
        return SearchOutcome(search.total(request, body))
    return SearchOutcome(charged.content.page.result.total, charged)


def _typed_fields(visit: Visit) -> Query:
    return {name: values for name, values in visit.form.items() if name not in _OWN_FIELDS}


def _search_page(
    visit: Visit,
    kind: RecordPages,
    typed: Mapping[str, Any],
    find: Callable[[Any], SearchOutcome | None],
    problems: Sequence[str] = (),
) -> HtmlPage:
    found = None
    try:
        if typed and not problems:
            found = find(decode(visit, kind.search, typed))
    except BadRequest as error:
        problems = error.errors or (error.message,)
    form, unplaced = fill(kind.form, typed, problems)
    filters, pagination = form.find("filters"), form.find("pagination")
    with visit.installation.database.read() as session:
        saved = list_searches(visit.own(session), visit.membership.user_id, kind.entity)
    plan = visit.request().caller.plan
    price = plan.price(PRICE_KEYS[kind.entity])
    values: dict[str, Any] = {
        "kind": kind,
        "form": form,
        "sides": [(side, part) for side in filters.fields for part in side.fields],
        "problems": [
            *unplaced,
            *filters.problems,
            *(one for side in filters.fields for one in side.problems),
            *form.find("options").problems,
            *pagination.problems,
            *pagination.find("page").problems,
        ],
        "has_problems": bool(problems),
        "is_asked": bool(typed),
        "found": found,
        "saved": saved,
        "user_id": visit.membership.user_id,
        "longest_name": LONGEST_NAME,
        "suggestions": SUGGESTIONS,
        "suggested": ALL,
        "columns": COLUMNS[kind.entity],
        "rows": _rows(kind, found),
        "credits_of_results": found.charged.credits if found and found.charged else 0,
        "pages": _pages(found, typed, kind) if found else None,
        "query": list(pairs_of(typed)),
        "price": price,
        "company_credits": plan.price("revealCompany").credits if kind.entity is Entity.COMPANY else None,
        "key": new_key(),
        "call": curl(visit, f"/v3/{kind.name}/prospecting", typed) if found else "",
    }
    return HtmlPage("search.html", values, 400 if problems else 200)


def _rows(kind: RecordPages, found: SearchOutcome | None) -> list[RecordRow]:
    if found is None or found.charged is None:
        return []
    return [read_row(kind.entity, one) for one in found.charged.content.results.values()]


class Pages(NamedTuple):
    """Pages of results around the one shown; None where there is none."""

    number: int
    size: int
    previous: str | None
    next: str | None


def _pages(found: SearchOutcome, typed: Mapping[str, Any], kind: RecordPages) -> Pages:
    asked = typed.get("pagination", {})
    number, size = asked.get("page", 0), asked.get("size", 25)

    def page(other: int) -> str:
        body = {**typed, "pagination": {**asked, "page": other}}
        return f"{kind.search_path}?{urlencode(list(pairs_of(body)))}"

    has_next = (number + 1) * size < found.total
    return Pages(number, size, page(number - 1) if number else None, page(number + 1) if has_next else None)
