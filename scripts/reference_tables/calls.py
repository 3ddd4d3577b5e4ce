"""Tables of calls, their requests, answers, refusals and statuses, from the OpenAPI document."""

import re
from collections.abc import Iterable
from typing import Any

from firmograph.directory.result_slots import item_message
from firmograph.security.record_ids import Entity
from reference_tables.json_schema import Properties, Schema

_EVERYWHERE = {"200", "201", "400", "401", "403", "413", "415", "429", "499", "500", "503"}
"""Statuses that a table of calls leaves out."""

Rows = Iterable[tuple[str, ...]]
Table = tuple[tuple[str, ...], Rows]
"""Header and rows."""

_AT = re.compile(r"(?P<call>[A-Z]+ \S+)(?: at (?P<at>\S+))?(?: levels (?P<levels>\d+))?$")


def calls_table(document: Schema, arguments: str) -> Table:
    rows = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if not set(operation.get("tags", ())) & set(arguments.split(", ")):
                continue
            own = sorted(set(operation["responses"]) - _EVERYWHERE)
            rows.append((f"`{method.upper()} {path}`", operation["summary"], ", ".join(own)))
    if not rows:
        raise KeyError(arguments)
    return ("Call", "Purpose", "Statuses of its own"), rows


def request_table(document: Schema, arguments: str) -> Table:
    operation, at, levels = _operation(document, arguments)
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    fields = Properties(document, nullable=False)
    return ("Field", "Value", "Meaning"), list(fields.rows(fields.inside(body, at), levels))


def answer_table(document: Schema, arguments: str) -> Table:
    operation, at, levels = _operation(document, arguments)
    status = "201" if "201" in operation["responses"] else "200"
    body = operation["responses"][status]["content"]["application/json"]["schema"]
    fields = Properties(document, nullable=True)
    return ("Field", "Value", "Meaning"), list(fields.rows(fields.inside(body, at), levels))


def refusal_table(document: Schema, arguments: str) -> Table:
    operation, _, levels = _operation(document, arguments)
    name = operation["responses"]["400"]["$ref"].rpartition("/")[2]
    body = document["components"]["responses"][name]["content"]["application/json"]["schema"]
    return ("Field", "Value", "Meaning"), list(Properties(document, nullable=True).rows(body, levels))


def query_table(document: Schema, arguments: str) -> Table:
    operation, _, _ = _operation(document, arguments)
    fields = Properties(document, nullable=False)
    rows = []
    for parameter in operation["parameters"]:
        if parameter.get("in") == "query":
            schema = parameter["schema"]
            value = fields.value(schema, required=parameter.get("required", False))
            rows.append(
                (f"`{parameter['name']}`", value, parameter.get("description", schema.get("description", "")))
            )
    return ("Parameter", "Value", "Meaning"), rows


def _operation(document: Schema, arguments: str) -> tuple[Schema, str, int]:
    match = _AT.match(arguments)
    if match is None:
        raise KeyError(arguments)
    method, path = match["call"].split(" ")
    return document["paths"][path][method.lower()], match["at"] or "", int(match["levels"] or 20)


def statuses_table(document: Schema, arguments: str) -> Table:
    meanings: dict[str, str] = {}
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if "$ref" in answer:
                    answer = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
                meanings.setdefault(status, answer["description"])
    return ("Status", "Meaning"), sorted(
        (status, meaning) for status, meaning in meanings.items() if status > "299"
    )


def item_errors_table(document: Schema, arguments: str) -> Table:
    codes = document["components"]["schemas"]["ErrorDetail"]["properties"]["code"]["enum"]
    return ("Code", "Message for a contact", "for a company"), [
        (f"`{code}`", _item_message(Entity.CONTACT, code), _item_message(Entity.COMPANY, code))
        for code in codes
    ]


def _item_message(entity: Entity, code: Any) -> str:
    try:
        return item_message(entity, code)
    except KeyError:
        return ""
