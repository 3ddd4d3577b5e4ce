"""Sets of people under another spelling, and the model of typing errors."""

from random import Random

import pytest
from evaluation.spellings.measure import choose_threshold, rank, read_rows
from evaluation.spellings.typing_errors import mistype, mistype_name

pytestmark = [pytest.mark.no_database, pytest.mark.folders("evaluation")]


def test_an_error_is_drawn_again_alike():
    drawn = [mistype_name("Mary Ann", "Peterson", ["Polly"], Random("a seed")) for _ in range(2)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("seed", range(20))
def test_a_mistyped_word_differs_by_one_letter_at_most(seed):
    word, _ = mistype("Peterson", Random(seed))
    assert abs(len(word) - len("Peterson")) <= 1


def test_no_person_is_of_both_halves():
    halves = [
        {row["expected"] for row in read_rows("people_queries.csv.gz") if row["split"] == split}
        for split in ("tune", "test")
    ]
    assert halves[0] & halves[1] == {""}


def test_a_baseline_answers_down_to_the_score_with_the_precision_aimed_at():
    held = [{"id": "1", "body": "a", "first": "Ann", "last": "Lee"}]
    queries = [
        {"split": "tune", "body": "a", "first": first, "last": "Lee", "expected": expected}
        for first, expected in (("Ann", "1"), ("Anne", "1"), ("Bo", ""))
    ]
    scores = {"Ann": 1.0, "Anne": 0.9, "Bo": 0.5}
    assert choose_threshold(rank(lambda one, other: scores[one[0]], held, queries)) == 0.9
