"""Saved searches: save and delete; the page of search lists and opens them."""

from typing import Final
from urllib.parse import urlencode

from firmograph.database.connection import account_scope
from firmograph.kit.errors import BadRequest
from firmograph.saved_searches.service import delete_search, save_search
from firmograph.workspace.answers import Answer, Redirect
from firmograph.workspace.filter_form import pairs_of, read_body
from firmograph.workspace.record_kinds import decode, pages_of
from firmograph.workspace.visit import Visit

_OWN_FIELDS: Final = ("form_token", "saved_name", "shared")


def save(visit: Visit) -> Answer:
    """Save a search under a name, and show it again."""
    kind = pages_of(visit)
    typed = read_body(kind.form, {n: values for n, values in visit.form.items() if n not in _OWN_FIELDS})
    if not typed.get("filters"):
        raise BadRequest("There is no filter to save; search first")
    decode(visit, kind.search, typed)
    query, user = urlencode(list(pairs_of(typed))), visit.membership
    is_shared = bool(visit.typed("shared"))
    with visit.installation.database.write(account_scope(user.account_id)) as session:
        name = visit.typed("saved_name")
        own = visit.own(session)
        save_search(own, user.user_id, kind.entity, name, query, visit.at, is_shared=is_shared)
        visit.activity.record(session, visit.at, "search save")
    return Redirect(f"{kind.search_path}?{query}")


def delete(visit: Visit) -> Answer:
    """Delete a search of the user."""
    kind, user = pages_of(visit), visit.membership
    with visit.installation.database.write(account_scope(user.account_id)) as session:
        delete_search(visit.own(session), user.user_id, int(visit.parameters["number"]))
        visit.activity.record(session, visit.at, "search delete")
    return Redirect(kind.search_path)
