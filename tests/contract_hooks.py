"""What Schemathesis is told of this API beyond its document: values of its own formats, and records that are held.

Held values come from the environment, so that generated requests find, reveal and pay for something.
"""

import json
import os
import re
import sys
from datetime import date
from pathlib import Path

import schemathesis
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from contract_prospecting import sensible

HELD = json.loads(os.environ.get("CONTRACT_HELD", "{}"))
_ID = re.compile(r"(v[1-9][0-9]{0,5}\.[A-Za-z0-9_-]+|[0-9]{1,16})\Z")

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
schemathesis.openapi.format("date", st.dates(date(1970, 1, 1), date(2100, 1, 1)).map(date.isoformat))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Prospecting requests that fit the document also fit together."""
    mode = case.meta and case.meta.generation.mode
    if mode and mode.is_positive and isinstance(case.body, dict) and case.path.endswith("/prospecting"):
        case.body = sensible(case.path, case.body)


@schemathesis.hook
def map_body(context, body):
    """Every other well-formed id becomes the id of a held record; what is malformed stays so."""
    if isinstance(body, dict) and isinstance(body.get("ids"), list):
        kind = "companyIds" if "companies" in context.operation.path else "contactIds"
        body = {**body, "ids": [_known(kind, place, text) for place, text in enumerate(body["ids"])]}
    return body


def _known(kind: str, place: int, text: object) -> object:
    if HELD.get(kind) and place % 2 == 0 and isinstance(text, str) and _ID.match(text):
        return HELD[kind][len(text) % len(HELD[kind])]
    return text
