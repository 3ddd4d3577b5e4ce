"""The table of rules, as it is packaged: `rules.toml`, which says how it is read."""

import tomllib
from functools import cache
from importlib.resources import files

import msgspec


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    event: str
    """One of `types.NEWS_EVENT_TYPES`."""
    summary: str
    """The event in a sentence of our own (`summary.summary`)."""
    patterns: str
    """One a line; a line that begins with a blank goes on with the one before."""
    business: bool = False
    """Whether the article must speak of business at all."""
    unless: str = ""
    """What must not stand in the sentence."""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lead_sentences: int
    lead_characters: int
    least_tokens: int
    abbreviations: frozenset[str]
    small: list[str]
    words: dict[str, str]
    context: dict[str, frozenset[str]]
    names: dict[str, frozenset[str]]
    never: dict[str, str]
    rules: list[Rule]


@cache
def packaged() -> Table:
    raw = tomllib.loads(files(__package__).joinpath("rules.toml").read_text("utf-8"))
    return msgspec.convert(
        raw
        | {
            "abbreviations": raw["words"].pop("abbreviations").split(),
            "small": raw["words"].pop("small").split(),
            "context": {name: text.split() for name, text in raw["context"].items()},
            "names": {name: text.split() for name, text in raw["names"].items()},
        },
        Table,
    )


@cache
def summaries() -> dict[str, str]:
    """The `summary` of each event."""
    return {rule.event: rule.summary for rule in packaged().rules}


@cache
def common_words() -> frozenset[str]:
    """Words that name a company only where something beside them says so."""
    text = files(__package__).joinpath("common_words.txt").read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
