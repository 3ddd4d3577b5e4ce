"""Packaged table of rules; `rules.toml` describes its own format."""

import re
import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from firmograph.directory.names_in_text.spans import PlainWords
from firmograph.directory.names_in_text.table import load_name_words


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
    business: frozenset[str]
    """Words of which an article must have one for some events."""
    small: list[str]
    words: dict[str, str]
    never: dict[str, str]
    rules: list[Rule]


@cache
def load_rules() -> Table:
    raw = tomllib.loads(files(__package__).joinpath("rules.toml").read_text("utf-8"))
    return msgspec.convert(
        raw
        | {
            "business": raw["business"].split(),
            "small": raw["words"].pop("small").split(),
        },
        Table,
    )


@cache
def summaries() -> dict[str, str]:
    """Return the `summary` of each event."""
    return {rule.event: rule.summary for rule in load_rules().rules}


@cache
def plain_words() -> PlainWords:
    """Return the words of the rules; in a headline in title case they are no names."""
    rules = load_rules()
    texts = [rule.patterns for rule in rules.rules]
    texts += rules.words.values()
    words = frozenset(word for text in texts for word in re.findall(r"[a-z]{2,}", text))
    return PlainWords(words | load_name_words().names["first"], frozenset(rules.small))
