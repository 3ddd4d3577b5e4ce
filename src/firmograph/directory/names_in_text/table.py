"""Packaged words by which names are found; `words.toml` describes them."""

import tomllib
from functools import cache
from importlib.resources import files

import msgspec


class NameWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lead_sentences: int
    lead_characters: int
    least_tokens: int
    abbreviations: frozenset[str]
    context: dict[str, frozenset[str]]
    names: dict[str, frozenset[str]]


@cache
def load_name_words() -> NameWords:
    raw = tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
    return msgspec.convert(
        raw
        | {
            "abbreviations": raw["abbreviations"].split(),
            "context": {name: text.split() for name, text in raw["context"].items()},
            "names": {name: text.split() for name, text in raw["names"].items()},
        },
        NameWords,
    )


@cache
def common_words() -> frozenset[str]:
    """Return words that name a company only if the context confirms it."""
    text = files(__package__).joinpath("common_words.txt").read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
