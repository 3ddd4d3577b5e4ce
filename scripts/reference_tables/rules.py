"""Tables of plans, vocabularies, signals, points and commands, from the values that the program uses."""

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from firmograph.billing.paid_units import data_point_action
from firmograph.billing.types import Unit, UnitKind
from firmograph.bootstrap.packages import load_plans
from firmograph.cli.main import COMMANDS, load
from firmograph.directory.industries import MAIN_INDUSTRIES
from firmograph.directory.vocabulary import DEPARTMENT_IDS, REVENUE_BANDS, SENIORITIES, SIZE_BANDS
from firmograph.prospecting.indexing.completeness import COMPANY_POINTS, CONTACT_POINTS
from firmograph.rate_limits.windows import PATH_LIMITS
from firmograph.record_tables.columns.catalog import DEFAULTS, catalog
from firmograph.security.record_ids import Entity
from firmograph.signals.types import NEWS_EVENTS, TYPES
from reference_tables.calls import Table
from reference_tables.json_schema import Schema


def plans_table(document: Schema, arguments: str) -> Table:
    rows = [
        (f"`{plan.name}`", *(_limit(limit) for limit in (plan.second, plan.minute, plan.hour, plan.day)))
        for plan in load_plans()
    ]
    return ("Plan", "Requests a second", "a minute", "an hour", "a day"), rows


def _limit(limit: int | None) -> str:
    return "no limit" if limit is None else f"{limit:,}"


def prices_table(document: Schema, arguments: str) -> Table:
    prices = next(iter(load_plans())).prices
    names = arguments.split() or list(prices)
    return ("Price key", "Credits", "For each started"), [
        (f"`{name}`", str(prices[name].credits), str(prices[name].per_quantity)) for name in names
    ]


def features_table(document: Schema, arguments: str) -> Table:
    plans = list(load_plans())
    closed = {name: [plan.name for plan in plans if not plan.features[name]] for name in plans[0].features}
    rows = [(f"`{name}`", ", ".join(plans) or "none") for name, plans in closed.items()]
    return ("Feature", "Packaged plans without it"), rows


def windows_table(document: Schema, arguments: str) -> Table:
    return ("Paths", "Requests a minute"), [(f"`{name}`", str(limit)) for name, limit in PATH_LIMITS.items()]


def departments_table(document: Schema, arguments: str) -> Table:
    return ("Department", "Id in webhook payloads"), [(name, str(id)) for name, id in DEPARTMENT_IDS.items()]


def seniorities_table(document: Schema, arguments: str) -> Table:
    return ("Id", "Label in records"), [
        (str(id), SENIORITIES[id]) for id in sorted(SENIORITIES, reverse=True)
    ]


def bands_table(document: Schema, arguments: str) -> Table:
    bands = {"sizes": SIZE_BANDS, "revenues": REVENUE_BANDS}[arguments]
    return ("From", "To"), [(f"{low:,}", f"{high:,}" if high else "no upper bound") for low, high in bands]


def industries_table(document: Schema, arguments: str) -> Table:
    return ("Id", "Main industry", "Sub-industries with their ids"), [
        (str(main.id), main.name, "; ".join(f"{sub.name} ({sub.id})" for sub in main.subs))
        for main in MAIN_INDUSTRIES
    ]


def signals_table(document: Schema, arguments: str) -> Table:
    entity = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}[arguments]
    rows = [(f"`{name}`", ", ".join(NEWS_EVENTS.get(name, ()))) for name in TYPES[entity]]
    if entity is Entity.CONTACT:
        return ("Type",), [row[:1] for row in rows]
    return ("Type", "Events of news"), rows


def thresholds_table(document: Schema, arguments: str) -> Table:
    packaged = tomllib.loads(files("firmograph.signals").joinpath("thresholds.toml").read_text())
    return ("Threshold", "Value"), [
        (f"`{section}.{name}`", str(value))
        for section, values in packaged.items()
        for name, value in values.items()
    ]


def points_table(document: Schema, arguments: str) -> Table:
    points: Any = {"contacts": CONTACT_POINTS, "companies": COMPANY_POINTS}[arguments]
    return ("What a record holds", "Points"), [(point.data, str(point.points)) for point in points]


def catalog_table(document: Schema, arguments: str) -> Table:
    entity = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}[arguments]
    record = {Entity.CONTACT: UnitKind.CONTACT_DATA, Entity.COMPANY: UnitKind.COMPANY_DATA}[entity]
    defaults = [column.key for column in DEFAULTS[entity]]
    return ("Key", "Display name", "Category", "Type", "Price key"), [
        (
            f"`{column.key}`" + ", default" * (column.key in defaults),
            column.display_name,
            column.category,
            f"`{column.type}`",
            f"`{data_point_action(Unit(record, 0, column.unit))}`" if column.unit else "",
        )
        for column in catalog(entity)
    ]


def commands_table(document: Schema, arguments: str) -> Table:
    return ("Command", "Purpose"), [row for name in COMMANDS for row in _command_rows(name, load(name))]


def _command_rows(words: str, command: Any) -> Iterator[tuple[str, str]]:
    inner = getattr(command, "commands", None)
    if inner:
        for name, each in inner.items():
            yield from _command_rows(f"{words} {name}", each)
    else:
        arguments = "".join(
            f" {parameter.metavar or parameter.name.upper()}"
            for parameter in command.params
            if parameter.param_type_name == "argument"
        )
        purpose = command.help or COMMANDS[words.split()[0]][2]
        yield f"`firmograph {words}{arguments}`", _first_sentence(purpose)


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", paragraph)[0]
