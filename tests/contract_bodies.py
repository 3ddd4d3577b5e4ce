"""Bodies that fit the OpenAPI document, with a few properties of each object.

A search has hundreds of optional properties on four sides. Schemathesis draws all of them for each body, which takes
longer than answering it, and few searches have more than some.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from firmograph.api.descriptions import BLANK

Json = dict[str, Any]
Strategy = st.SearchStrategy[Any]

_MOST_PROPERTIES = 3
_MOST_ITEMS = 3
_LONGEST_TEXT = 12


def _is_absent(schema: Json) -> bool:
    """Return whether a schema is that of null or of a blank text, which count as absent."""
    return schema.get("type") == "null" or schema.get("pattern") == BLANK


class Bodies:
    """Strategies for the schemas of a document; texts with a format are those of the format."""

    def __init__(self, document: Json, formats: Mapping[str, Strategy]) -> None:
        self._schemas: Json = document["components"]["schemas"]
        self._formats = formats

    def of(self, schema: Json) -> Strategy:
        """Return a strategy for values of a schema. Raises KeyError for a type that no body has."""
        if "$ref" in schema:
            return self.of(self._schemas[schema["$ref"].rpartition("/")[2]])
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        if "anyOf" in schema:
            return st.one_of([self.of(each) for each in schema["anyOf"] if not _is_absent(each)])
        strategies: dict[str, Callable[[Json], Strategy]] = {
            "object": self._objects,
            "array": self._arrays,
            "string": self._texts,
            "integer": lambda bounds: st.integers(bounds.get("minimum", 0), bounds.get("maximum", 2**31)),
            "number": lambda bounds: st.integers(bounds.get("minimum", 0), bounds.get("maximum", 2**31)),
            "boolean": lambda _: st.booleans(),
        }
        return strategies[schema["type"]](schema)

    def _objects(self, schema: Json) -> Strategy:
        properties = {
            name: st.deferred(lambda each=each: self.of(each)) for name, each in schema["properties"].items()
        }
        required = schema.get("required", [])
        names = st.lists(st.sampled_from(sorted(properties)), max_size=_MOST_PROPERTIES, unique=True)
        return names.flatmap(
            lambda chosen: st.fixed_dictionaries({name: properties[name] for name in {*required, *chosen}})
        )

    def _arrays(self, schema: Json) -> Strategy:
        fewest = max(schema.get("minItems", 0), 1)
        return st.lists(self.of(schema["items"]), min_size=fewest, max_size=max(fewest, _MOST_ITEMS))

    def _texts(self, schema: Json) -> Strategy:
        if "format" in schema:
            return self._formats[schema["format"]]
        if "pattern" in schema:
            return st.from_regex(schema["pattern"], fullmatch=True)
        longest = min(schema.get("maxLength", _LONGEST_TEXT), _LONGEST_TEXT)
        letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
        return st.text(letters, min_size=schema.get("minLength", 0), max_size=longest)
