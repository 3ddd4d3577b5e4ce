"""Compiler of the patterns of `rules.toml` to regular expressions over marked sentences.

A marked sentence (`mentions.MarkedSentence`) is its tokens in lower case, each followed by a space; a mention is one
token: a capital letter for its kind, and its number. Gaps are bounded and few and sentences are short, so that no text
can make matching slow.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from firmograph.signals.news.table import load_rules

MOST_GAPS: Final = 4
STEM: Final = 3
"""Length of word beginnings by which sentences that cannot match are skipped."""

_PART: Final = re.compile(r"[()\[\]|]|\{\w+\}|<\w+>|[^\s()\[\]|]+")
_LIST: Final = r"{0}\d+ (?:(?:, and |, |and |& ){0}\d+ ){{0,4}}"
_APPOSITION: Final = r"(?:, (?:[^, ]+ ){1,12}, )?(?:\( (?:[^ ()]+ ){1,8}\) )?"
_COMPANIES: Final = {"{company}": "[CF]", "{firm}": "F"}
_UNITS: Final = (
    "million|billion|trillion|m|bn|mn|crore|lakh|dollars|euros|pounds|yen|yuan|rupees|francs|kroner|kronor|krona|zloty|rand|reais|pesos|"
    "won|usd|eur|gbp|chf|sek|nok|dkk|czk|pln|inr|jpy|cny|aud|cad"
)
_NUMBERS: Final = "|".join(
    "two three four five six seven eight nine ten twenty fifty hundred hundreds thousand thousands dozens "
    "several many".split()
)
_FIXED: Final = {
    "{name}": "(?:" + _LIST.format("[A-Z]") + ")" + _APPOSITION,
    "{body}": "(?:" + _LIST.format("[ACEFN]") + ")" + _APPOSITION,
    "{event}": r"E\d+ ",
    "{award}": r"A\d+ ",
    "{money}": (
        rf"(?:(?:us|c|a|hk|nz)?[$€£¥₹][^ ]+ (?:(?:{_UNITS}) )?|(?:{_UNITS}) \d[^ ]*(?:m|bn|mn) "
        rf"|(?:(?:{_UNITS}) )?(?:\d[^ ]* |half a |a )(?:{_UNITS}) (?:(?:{_UNITS}|us|of) ){{0,3}})"
    ),
    "{number}": rf"(?:\d[\d,.]*[%k]? |(?:{_NUMBERS}) )(?:of )?",
    "..": r"(?:[^;: ][^ ]* ){0,2}?",
    "...": r"(?:[^;: ][^ ]* ){0,6}?",
}


class Pattern(NamedTuple):
    expression: re.Pattern[str]
    """Its groups are lists of the companies of the event."""
    stems: frozenset[str]
    """Word beginnings of which a sentence must have one; empty for any sentence."""


class _Compiled(NamedTuple):
    expression: str
    stems: frozenset[str] | None
    gaps: int


_NOTHING: Final = _Compiled("", None, 0)


def split_patterns(text: str) -> Iterator[str]:
    """Yield the patterns of a text, one a line; a line that begins with a space continues the line before."""
    for one in re.split(r"\n(?! )", text.strip()):
        if joined := " ".join(one.split()):
            yield joined


def compile_pattern(pattern: str) -> Pattern:
    """Compile a pattern. Raises ValueError for a syntax error and for too many gaps, which would be slow."""
    parts = _PART.findall(pattern)
    whole, rest = _sequence(parts, 0, frozenset())
    if rest != len(parts):
        raise ValueError(f"a bracket too many in {pattern!r}")
    if whole.gaps > MOST_GAPS:
        raise ValueError(f"more than {MOST_GAPS} gaps in {pattern!r}")
    expression = r"(?<![^ ])" + whole.expression
    if parts[-1] in _COMPANIES:
        expression = expression.removesuffix(_APPOSITION) + "(?!'s )"
    return Pattern(re.compile(expression), whole.stems or frozenset())


def _sequence(parts: list[str], at: int, ends: frozenset[str]) -> tuple[_Compiled, int]:
    expressions: list[str] = []
    stems: frozenset[str] | None = None
    gaps = 0
    while at < len(parts) and parts[at] not in ends:
        one, at = _element(parts, at)
        expressions.append(one.expression)
        gaps += one.gaps
        if one.stems is not None and (stems is None or len(one.stems) < len(stems)):
            stems = one.stems
    return _Compiled("".join(expressions), stems, gaps), at


def _element(parts: list[str], at: int) -> tuple[_Compiled, int]:
    part = parts[at]
    if part in ("(", "["):
        closing = ")" if part == "(" else "]"
        options: list[_Compiled] = []
        while parts[at] != closing:
            one, at = _sequence(parts, at + 1, frozenset((closing, "|")))
            if at == len(parts):
                raise ValueError("a bracket is not closed")
            options.append(one)
        return _choice(options, optional=part == "["), at + 1
    if part in (")", "]", "|"):
        raise ValueError(f"{part!r} stands alone")
    return _atom(part), at + 1


def _choice(options: list[_Compiled], optional: bool) -> _Compiled:
    expression = "(?:" + "|".join(one.expression for one in options) + ")" + ("?" if optional else "")
    known = [one.stems for one in options if one.stems is not None]
    complete = not optional and len(known) == len(options)
    return _Compiled(
        expression, frozenset().union(*known) if complete else None, max(one.gaps for one in options)
    )


def _atom(part: str) -> _Compiled:
    if part in _COMPANIES:
        return _Compiled("(" + _LIST.format(_COMPANIES[part]) + ")" + _APPOSITION, None, 0)
    if part in _FIXED:
        return _Compiled(_FIXED[part], None, int(part.startswith("..")))
    if part == "~":
        return _Compiled(_small(), None, 0)
    if part[0] == "<":
        return _set(part[1:-1])
    if part[0] == "{":
        raise ValueError(f"{part} is not known")
    word = part.removesuffix("*")
    rest = "[^ ]* " if word != part else " "
    return _Compiled(re.escape(word) + rest, frozenset((word[:STEM],)), 0)


@cache
def _small() -> str:
    words = "|".join(map(re.escape, load_rules().small))
    return rf"(?:(?:{words}|\d\d?) ){{0,7}}"


@cache
def _set(name: str) -> _Compiled:
    return _element(["(", *_PART.findall(load_rules().words[name]), ")"], 0)[0]
