"""Extractive summary: the sentences with most of what the conversation is about, without repeating it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from firmograph.conversations.analysis.rules import load_rules
from firmograph.conversations.analysis.sentences import SpokenSentence, count_words, quote


def summarise(sentences: Sequence[SpokenSentence], most_words: int) -> str | None:
    """Return the chosen sentences in the order of the conversation; None if nothing was said."""
    chosen = _choose(sentences, most_words)
    return " ".join(_closed(quote(sentences[number].text, most_words)) for number in chosen) or None


def _choose(sentences: Sequence[SpokenSentence], most_words: int) -> list[int]:
    """Return the numbers of the chosen sentences, in order.

    A word weighs as often as it is said; every sentence that has it makes it weigh less in the next choice.
    """
    rules = load_rules().summary
    weights = _weights(sentences)
    first = {
        sentence.lower: number for number, sentence in reversed(list(enumerate(sentences))) if sentence.words
    }
    terms = {
        number: frozenset(sentences[number].terms)
        for number in sorted(first.values())
        if rules.least_words <= sentences[number].words <= rules.most_words
        and not sentences[number].is_question
    } or {number: frozenset(sentences[number].terms) for number in sorted(first.values())}
    lengths = {number: sentences[number].words ** rules.length_power for number in terms}
    chosen: list[int] = []
    left = most_words
    while terms:
        best = max(
            terms,
            key=lambda number: (sum(map(weights.__getitem__, terms[number])) / lengths[number], -number),
        )
        chosen.append(best)
        left -= count_words(quote(sentences[best].text, most_words))
        for term in terms[best]:
            weights[term] *= rules.repeat
        terms = {
            number: kept
            for number, kept in terms.items()
            if number != best and sentences[number].words <= left
        }
    return sorted(chosen)


def _weights(sentences: Sequence[SpokenSentence]) -> dict[str, float]:
    counts: Mapping[str, int] = Counter(term for sentence in sentences for term in sentence.terms)
    return {term: float(count) for term, count in counts.items()}


def _closed(text: str) -> str:
    return text if text.endswith((".", "?", "!", "…", "。", "！", "？")) else text.rstrip(",;:- ") + "."
