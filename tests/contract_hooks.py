"""What Schemathesis is told of this API beyond its document: values of its own formats, and records that are held.

Held values come from the environment, so that generated requests find, reveal and pay for something.
"""

import json
import os
import re
import sys
from datetime import date
from itertools import chain, repeat
from pathlib import Path

import schemathesis
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from contract_prospecting import plain, sensible
from firmograph.kit.gc_tuning import collect_seldom

collect_seldom()

HELD = json.loads(os.environ.get("CONTRACT_HELD", "{}"))
_ID = re.compile(r"(v[1-9][0-9]{0,5}\.[A-Za-z0-9_-]+|[0-9]+)\Z")

labels = st.from_regex(r"[a-z][a-z0-9]{0,20}", fullmatch=True)
domains = st.builds("{}.{}".format, labels, st.sampled_from(["com", "test", "co.uk", "de"]))


def held(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from(HELD[name]) if HELD.get(name) else st.nothing()


schemathesis.openapi.format(
    "domain", domains | domains.map("https://www.{}/about?x=1".format) | held("domains")
)
schemathesis.openapi.format("email", st.builds("{}@{}".format, labels, domains) | held("emails"))
schemathesis.openapi.format(
    "linkedin-url", labels.map("https://www.linkedin.com/in/{}".format) | held("linkedinUrls")
)
schemathesis.openapi.format("linkedin-company-url", labels.map("https://www.linkedin.com/company/{}".format))
# signals are not asked for from a day that is still to come
schemathesis.openapi.format("date", st.dates(date(1970, 1, 1), date(2025, 12, 31)).map(date.isoformat))
schemathesis.openapi.format("full-name", st.builds("{} {}".format, labels, labels))


schemathesis.openapi.format(
    # of no network: tests of subscriptions send to it
    "webhook-url",
    st.builds("https://{}.test/{}".format, labels, st.from_regex("[a-z0-9/]{0,20}", fullmatch=True)),
)
_SUBSCRIPTION = re.compile(r"[0-9a-fA-F]{24}\Z")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Requests that fit the document have whole numbers as clients write them; prospecting ones also fit together."""
    mode = case.meta and case.meta.generation.mode
    if mode and mode.is_positive and isinstance(case.body, dict):
        case.body = plain(case.body)
        if case.path.endswith("/prospecting"):
            case.body = sensible(case.path, case.body)
        if case.path.startswith("/api/subscriptions"):
            case.body = _subscribed(case.body)


if HELD.get("webhook keys"):

    @schemathesis.auth(refresh_interval=None)
    class Rotating:
        """One account after the other, as each may call a hundred times a minute, mostly for its own subscription."""

        _callers = chain.from_iterable(repeat(one, 90) for one in HELD["webhook keys"])

        def get(self, case, context):
            return next(self._callers)

        def set(self, case, data, context):
            key, subscription = data
            case.headers = {**(case.headers or {}), "api_key": key}
            given = (case.path_parameters or {}).get("id", "")
            if _SUBSCRIPTION.match(given) and (given[0] in "0123456789ab" or case.method == "PATCH"):
                case.path_parameters["id"] = subscription


@schemathesis.hook
def map_body(context, body):
    """Every other well-formed id becomes the id of a held record; what is malformed stays so."""
    if not isinstance(body, dict):
        return body
    path = context.operation.path
    kind = "companyIds" if "companies" in path else "contactIds"
    if isinstance(body.get("ids"), list):
        body = {**body, "ids": [_known(kind, place, text) for place, text in enumerate(body["ids"])]}
    if path.startswith("/api/signals/"):
        body = _legacy_signals(body, kind)
    return body


def _subscribed(body: dict[str, object]) -> dict[str, object]:
    """Every other item is of a company that is held; what is changed are companies' subscriptions."""
    ids = HELD["companyIds"]
    for item in body.get("subscriptions", ())[::2]:
        id = ids[len(item["entityId"]) % len(ids)]
        item.update(entityType="company", signalTypes=["allSignals"], entityId=id)
    return body | ({"signalTypes": ["allSignals"]} if body.get("signalTypes") else {})


def _known(kind: str, place: int, text: object) -> object:
    if HELD.get(kind) and place % 2 == 0 and isinstance(text, str) and _ID.match(text):
        return HELD[kind][len(text) % len(HELD[kind])]
    return text


def _legacy_signals(body: dict[str, object], kind: str) -> dict[str, object]:
    """Legacy numbers of held records, and no key of the caller's for two items; what is malformed stays so."""
    if isinstance(ids := body.get(kind), list) and HELD.get(f"legacy {kind}"):
        held = HELD[f"legacy {kind}"]
        known = [held[id % len(held)] if type(id) is int and 0 <= id < 2**53 else id for id in ids]
        return {**body, kind: known}
    items = body.get("companies" if kind == "companyIds" else "contacts")
    seen: set[str] = set()
    for place, item in enumerate(items if isinstance(items, list) else ()):
        key = item.get("id") if isinstance(item, dict) else None
        if isinstance(key, str) and 0 < len(key) <= 256:
            item["id"] = f"{place}" if key in seen else key
            seen.add(key)
    return body
