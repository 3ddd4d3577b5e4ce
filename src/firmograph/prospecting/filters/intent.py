"""The filters by intent topics: one filter of several properties on the wire."""

from msgspec import UNSET

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import NO_RECORD, Criterion, Term, any_of
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import At, Side, known_one, or_default
from firmograph.prospecting.filters.shapes import CompanyCriteria
from firmograph.prospecting.filters.text import is_entry, term_each
from firmograph.prospecting.filters.value import condition, joined, ranges
from firmograph.prospecting.indexing.analysis import text_keys

_OPERATORS = vocabularies.index_by_casefold(vocabularies.INTENT_OPERATORS)
_ALL = ("and", "all")
_LEAST, _MOST = 1, 100
_MOST_PAIRS = 100_000
"""Of a topic and a score, which each are one value to look for."""


def intent(side: Side, criteria: CompanyCriteria, at: At) -> None:
    """Bounds of the score bind with the topics: a topic that is asked for has such a score, else any topic has."""
    every = _every_topic(criteria, at)
    low = or_default(criteria.intent_min_score, _LEAST)
    high = or_default(criteria.intent_max_score, _MOST)
    if low > high:
        at.at("intentMinScore").refuse("must not be above intentMaxScore")
    bounded = criteria.intent_min_score is not UNSET or criteria.intent_max_score is not UNSET
    scores = range(low, high + 1)

    def topics(values: list[str], place: At) -> Criterion:
        if not bounded:
            return joined([any_of(is_entry(fields.INTENT_TOPIC, value)) for value in values], every)
        if len(values) * len(scores) > _MOST_PAIRS:
            place.refuse(
                f"must have at most {_MOST_PAIRS // len(scores)} elements beside bounds of the score"
            )
            return NO_RECORD
        return joined([_scored(value, scores) for value in values], every)

    side.read("intentTopics", criteria.intent_topics, topics)
    if bounded and "intentTopics" not in side.given:
        name = "intentMaxScore" if criteria.intent_min_score is UNSET else "intentMinScore"
        side.take(at.at(name), name, term_each(fields.INTENT_SCORE, [f"|{score}" for score in scores]))
    side.read("topicCountThreshold", criteria.topic_count_threshold, ranges(fields.TOPIC_COUNT))


def _every_topic(criteria: CompanyCriteria, at: At) -> bool:
    """`intentTopicsCondition` and `intentTopicsOperator` say the same; they must not disagree."""
    every = condition(criteria.intent_topics_condition, at, "intentTopicsCondition")
    if criteria.intent_topics_operator is UNSET:
        return every
    place = at.at("intentTopicsOperator")
    operator = known_one(criteria.intent_topics_operator, _OPERATORS, place)
    if criteria.intent_topics_condition is not UNSET and operator and (operator in _ALL) != every:
        place.refuse("must not disagree with intentTopicsCondition")
    return operator in _ALL


def _scored(value: str, scores: range) -> Criterion:
    """That the topic was seen, with one of these scores."""
    keys = text_keys(fields.INTENT_TOPIC, value)
    return any_of([Term(fields.INTENT_SCORE, f"{key}|{score}") for key in keys if key for score in scores])
