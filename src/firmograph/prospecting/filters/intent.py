"""Intent topic filters: several properties of the request form one filter."""

from msgspec import UNSET

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import NO_RECORD, Criterion, Term, any_of
from firmograph.prospecting.filters import vocabularies
from firmograph.prospecting.filters.filter_reader import FilterSet, RequestPath, known_value, or_default
from firmograph.prospecting.filters.shapes import CompanyCriteria
from firmograph.prospecting.filters.text import any_term, equals_text
from firmograph.prospecting.filters.value import combine, ranges, requires_all
from firmograph.prospecting.indexing.analysis import text_keys

_OPERATORS = vocabularies.index_by_casefold(vocabularies.INTENT_OPERATORS)
_ALL = ("and", "all")
_MIN_SCORE, _MAX_SCORE = 1, 100
_MAX_PAIRS = 100_000
"""Maximum number of (topic, score) pairs; each is looked up as one value."""


def intent(filters: FilterSet, criteria: CompanyCriteria, path: RequestPath) -> None:
    """Add the intent filters.

    Score bounds apply to the requested topics; without topics, any topic may have such a score.
    """
    every = _requires_every_topic(criteria, path)
    low = or_default(criteria.intent_min_score, _MIN_SCORE)
    high = or_default(criteria.intent_max_score, _MAX_SCORE)
    if low > high:
        path.child("intentMinScore").refuse("must not be above intentMaxScore")
    bounded = criteria.intent_min_score is not UNSET or criteria.intent_max_score is not UNSET
    scores = range(low, high + 1)

    def topics(values: list[str], topics_path: RequestPath) -> Criterion:
        if not bounded:
            return combine([any_of(equals_text(fields.INTENT_TOPIC, value)) for value in values], every)
        if len(values) * len(scores) > _MAX_PAIRS:
            topics_path.refuse(
                f"must have at most {_MAX_PAIRS // len(scores)} elements when the score is bounded"
            )
            return NO_RECORD
        return combine([_scored(value, scores) for value in values], every)

    filters.add("intentTopics", criteria.intent_topics, topics)
    if bounded and "intentTopics" not in filters.by_name:
        name = "intentMaxScore" if criteria.intent_min_score is UNSET else "intentMinScore"
        filters.add_criteria(
            path.child(name), name, any_term(fields.INTENT_SCORE, [f"|{score}" for score in scores])
        )
    filters.add("topicCountThreshold", criteria.topic_count_threshold, ranges(fields.TOPIC_COUNT))


def _requires_every_topic(criteria: CompanyCriteria, path: RequestPath) -> bool:
    """Check whether all topics are demanded by `intentTopicsCondition` or `intentTopicsOperator`, which must agree."""
    every = requires_all(criteria.intent_topics_condition, path, "intentTopicsCondition")
    if criteria.intent_topics_operator is UNSET:
        return every
    operator_path = path.child("intentTopicsOperator")
    operator = known_value(criteria.intent_topics_operator, _OPERATORS, operator_path)
    if criteria.intent_topics_condition is not UNSET and operator and (operator in _ALL) != every:
        operator_path.refuse("must not disagree with intentTopicsCondition")
    return operator in _ALL


def _scored(value: str, scores: range) -> Criterion:
    """Match the topic with any of these scores."""
    keys = text_keys(fields.INTENT_TOPIC, value)
    return any_of([Term(fields.INTENT_SCORE, f"{key}|{score}") for key in keys if key for score in scores])
