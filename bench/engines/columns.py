"""The rows as columns of small numbers in the order of results, for engines that load tables."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bench.extract import order_key, read_extract
from bench.shapes import Shape
from firmograph.directory.vocabulary import SENIORITIES

Codes = dict[tuple[str, str], int]
"""Numbers of (field, value) in the columns."""


class Columns(NamedTuple):
    codes: Codes
    contacts: dict[str, Any]
    """Contact rows: key, country, city, seniority, size, industry, phone, email; absent is -1, or 0 for ids."""
    by_department: dict[str, Any]
    """A row for each department of a contact: department, country, seniority, key, in that order."""
    by_technology: dict[str, Any]
    """A row for each technology and department of a contact: technology, department, key."""
    by_word: dict[str, Any]
    """A row for each word of a title: word, country, key."""


def columns(extract: Path) -> Columns:
    table = read_extract(extract)
    table = table.append_column("key", pa.array(order_key(table))).sort_by("key")
    codes: Codes = {}

    def coded(field: str, column: pa.ChunkedArray) -> Any:
        encoded = column.combine_chunks().dictionary_encode()
        codes.update(((field, value), code) for code, value in enumerate(encoded.dictionary.to_pylist()))
        return encoded.indices.fill_null(-1).to_numpy()

    key, seniority = table["key"].to_numpy(), table["seniority"].to_numpy()
    country, city = coded("country", table["country"]), coded("city", table["city"])
    departments, of_department = _unnested(table["departments"])
    technologies, of_technology = _unnested(table["technologies"])
    words, of_word = _unnested(table["words"])
    department, technology, word = (
        coded(field, values)
        for field, values in (("department", departments), ("technology", technologies), ("word", words))
    )
    pair_technology, pair_department, of_pair = _pairs(
        technology, of_technology, department, of_department, table.num_rows
    )
    return Columns(
        codes,
        {
            "key": key,
            "country": country,
            "city": city,
            "seniority": seniority,
            "size": table["size"].to_numpy(),
            "industry": table["industry"].to_numpy(),
            "phone": table["has_phone"].to_numpy().astype(np.int8),
            "email": table["has_work_email"].to_numpy().astype(np.int8),
        },
        _sorted(
            department=department,
            country=country[of_department],
            seniority=seniority[of_department],
            key=key[of_department],
        ),
        _sorted(technology=pair_technology, department=pair_department, key=key[of_pair]),
        _sorted(word=word, country=country[of_word], key=key[of_word]),
    )


def ranges(shape: Shape, codes: Codes) -> Iterator[str]:
    """Return the SQL after FROM for each combination of requested values, each one range of an index in order.

    Shapes of technologies or words, which intersect several ranges, are not supported.
    """
    table, conditions = _conditions(shape, codes)
    for one in product(*conditions.values()):
        equal = (f"a.{name} = {value}" for name, value in zip(conditions, one, strict=True))
        yield f"{table} a WHERE {' AND '.join(equal)}"


def merged(shape: Shape, codes: Codes) -> str:
    """Return the same as one condition with alternatives."""
    table, conditions = _conditions(shape, codes)
    among = (f"a.{name} IN ({', '.join(map(str, values))})" for name, values in conditions.items())
    return f"{table} a WHERE {' AND '.join(among)}"


def _conditions(shape: Shape, codes: Codes) -> tuple[str, dict[str, Sequence[int]]]:
    """Return the table, and the values that each of its columns may have."""
    country = [codes["country", one] for one in shape.country]
    if shape.department:
        department = [codes["department", shape.department]]
        return "by_department", {"department": department, "country": country, "seniority": shape.seniority}
    if shape.city:
        return "contacts", {"city": [codes["city", shape.city]], "industry": shape.industry}
    if shape.phone:
        seniorities = [number for number in (0, *sorted(SENIORITIES)) if number != shape.not_seniority]
        return "contacts", {"phone": [1], "country": country, "seniority": seniorities}
    if shape.work_email:
        return "contacts", {"email": [1], "country": country}
    values = {"seniority": shape.seniority, "country": country, "industry": shape.industry}
    return "contacts", values | {"size": shape.size}


class Meeting(NamedTuple):
    """Several values of one field that a row must all have, each stored next to a value of another field."""

    field: str
    values: list[int]
    paired_field: str
    paired_value: int


def meeting(shape: Shape, codes: Codes) -> Meeting | None:
    """Return the conditions of a shape of technologies or words; None for other shapes."""
    kinds = (
        ("technology", shape.technologies, "department", (shape.department,)),
        ("word", shape.words, "country", shape.country),
    )
    for field, values, paired_field, values_of_shape in kinds:
        if values:
            numbers = [codes[field, value] for value in values]
            return Meeting(field, numbers, paired_field, codes[paired_field, values_of_shape[0]])
    return None


def _unnested(lists: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Any]:
    """Return the values of all lists, and the row of each."""
    whole = lists.combine_chunks()
    return pa.chunked_array([pc.list_flatten(whole)]), pc.list_parent_indices(whole).to_numpy()


def _pairs(first: Any, of_first: Any, second: Any, of_second: Any, rows: int) -> tuple[Any, Any, Any]:
    """Return every pair of values of a row, and the row; both sides are ordered by row."""
    each = np.bincount(of_second, minlength=rows)
    start = np.concatenate([[0], np.cumsum(each)])[:-1]
    times = each[of_first]
    repeated = np.repeat(np.arange(len(first)), times)
    within = np.arange(len(repeated)) - np.repeat(np.cumsum(times) - times, times)
    place = start[of_first[repeated]] + within
    return first[repeated], second[place], of_first[repeated]


def _sorted(**arrays: Any) -> dict[str, Any]:
    """Return the columns ordered by all of them; rows are ordered by the last, the key, already."""
    order = np.lexsort(list(arrays.values())[-2::-1])
    return {name: column[order] for name, column in arrays.items()}
