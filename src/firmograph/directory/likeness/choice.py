"""Choice of the company that a name means among those with names alike.

A score from 0 to 1 is the share of the weight of both names' words that stands in words of both. A word weighs as much
as it is rare among the held names; words such as `of`, and the company's own country, weigh little.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rapidfuzz.distance import OSA

from firmograph.directory.likeness.name_index import HeldName, NameIndex
from firmograph.directory.likeness.spellings import NameForm, name_form
from firmograph.directory.normalise.locations import country_code

_SHORTEST_EDITED: Final = 7
"""Letters from which a word with one edit is taken for the other; shorter ones are mostly different names."""
_EDITED: Final = 0.9
_SMALL_WEIGHT: Final = 0.3
_COMMON: Final = 15
"""Names that have a word from which it is common."""
_NUMBERING: Final = re.compile(r"\d+(?:st|nd|rd|th)?|[ivx]+")
_FUNCTION_WORDS: Final = frozenset(
    "of the for and a an at in on de du des d la le les l el los las y et e und der die das fur fuer zu im am di da do"
    " dos del della pour".split()
)
_COUNTRY_WORDS: Final = {"us": "US", "uk": "GB", "uae": "AE"}


class ScoredName(NamedTuple):
    """A company by its name most like the one asked for."""

    name: HeldName
    score: float
    refusal: str
    """Why this company is not meant; empty for the answer."""


class LikeCompanies(NamedTuple):
    """Outcome of a search for names alike."""

    answer: int | None
    """Number of the company that is meant."""
    candidates: list[ScoredName]
    """Likeliest first."""


def find_alike(index: NameIndex, name: str, threshold: float, margin: float) -> LikeCompanies:
    """Return the company that a name means, if one is at the threshold and the margin above all others.

    A company known from other records alone is meant only if no other one is at the threshold. Nobody is meant where
    another company's name has all words asked for and at most one more.
    """
    form = name_form(name)
    best: dict[int, _Scored] = {}
    for held in index.nearest(form) if form.words else ():
        scored = _Scored(held, *score_names(index, form, held))
        if held.number not in best or scored.score > best[held.number].score:
            best[held.number] = scored
    ranked = sorted(best.values(), key=lambda each: (-each.score, each.name.number))
    reached = [each for each in ranked if each.score >= threshold]
    rivals = [each for each in reached if not each.name.is_stub] or reached
    if not rivals:
        return LikeCompanies(None, [_refused(each, _below(threshold)) for each in ranked])
    first, is_stub = rivals[0], rivals[0].name.is_stub
    others = [each for each in ranked if each is not first and (is_stub or not each.name.is_stub)]
    if others and first.score - others[0].score < margin:
        doubt = "another company's name is as much alike"
    elif any(_bears(each.name, form) for each in others):
        doubt = "another company's name has the same words and at most one more"
    else:
        doubt = ""
    candidates = []
    for each in ranked:
        if each is first:
            candidates.append(ScoredName(each.name, each.score, doubt))
        elif each.score < threshold:
            candidates.append(_refused(each, _below(threshold)))
        else:
            is_rival = each in rivals
            why = (doubt or "less alike than the answer") if is_rival else "known from other records alone"
            candidates.append(_refused(each, why))
    return LikeCompanies(None if doubt else first.name.number, candidates)


class _Scored(NamedTuple):
    name: HeldName
    score: float
    refusal: str


def _below(threshold: float) -> str:
    return f"below the threshold of {threshold:g}"


def _refused(each: _Scored, why: str) -> ScoredName:
    return ScoredName(each.name, each.score, each.refusal or why)


def _bears(held: HeldName, asked: NameForm) -> bool:
    """Return whether a name has all words of another one and at most one more."""
    return len(held.form.words) <= len(asked.words) + 1 and set(asked.words) <= set(held.form.words)


def score_names(index: NameIndex, asked: NameForm, held: HeldName) -> tuple[float, str]:
    """Return the score of a held name, and why it is refused if that is not for its score."""
    if asked.country and held.country and asked.country != held.country:
        return 0.0, f"the name asked for says {asked.country}, the company is in {held.country}"
    one, other = asked.words, held.form.words
    if "".join(one) == "".join(other):
        return 1.0, ""
    weights = {word: _weight(index, word, held.country) for word in {*one, *other}}
    remaining = list(other)
    common, matched, single = 0.0, [], []
    for word in one:
        like = _like_word(word, remaining)
        if like is None:
            single.append(word)
            continue
        remaining.remove(like)
        matched.append(word)
        common += (1.0 if like == word else _EDITED) * (weights[word] + weights[like])
    single += remaining
    score = common / (sum(weights[word] for word in one) + sum(weights[word] for word in other))
    if numbers := [word for word in single if _NUMBERING.fullmatch(word)]:
        return 0.0, f"only one of the names has {', '.join(numbers)}"
    if matched and min(map(index.bearers, matched)) >= _COMMON:
        return 0.0, "the names have only common words in common"
    return score, ""


def _weight(index: NameIndex, word: str, country: str) -> float:
    if word in _FUNCTION_WORDS or (country and _country_of(word) == country):
        return _SMALL_WEIGHT
    return index.rarity(word)


def _like_word(word: str, others: Sequence[str]) -> str | None:
    """Return the word itself if it is among the others, else one that an edit makes of it."""
    if word in others:
        return word
    if len(word) < _SHORTEST_EDITED:
        return None
    near = (
        each
        for each in others
        if len(each) >= _SHORTEST_EDITED and OSA.distance(word, each, score_cutoff=1) <= 1
    )
    return next(near, None)


@lru_cache(maxsize=16_384)
def _country_of(word: str) -> str | None:
    return _COUNTRY_WORDS.get(word) or (country_code(word) if len(word) > 3 else None)
