"""Packaged table of rules; `rules.toml` describes its own format."""

import tomllib
from functools import cache
from importlib.resources import files

import msgspec


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    event: str
    """One of `types.NEWS_EVENT_TYPES`."""
    summary: str
    """Template of the generated summary (`summary.summarise`)."""
    patterns: str
    """One a line; a line that begins with a space continues the line before."""
    business: bool = False
    """Whether the article must contain a word of business."""
    unless: str = ""
    """Patterns that a sentence must not match."""


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
def load_rules() -> Table:
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
    """Return the `summary` of each event."""
    return {rule.event: rule.summary for rule in load_rules().rules}


@cache
def common_words() -> frozenset[str]:
    """Return words that name a company only if the context confirms it."""
    text = files(__package__).joinpath("common_words.txt").read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
