"""Measurement of the local analyser: labels, demo calls, figures."""

import pytest
from evaluation.conversations.chapters import match, pk
from evaluation.conversations.gold import CALLS, Call, Meeting, read_calls
from evaluation.conversations.summaries import difference, rouge_l

from firmograph.conversations.analysis.local import analyse

pytestmark = [pytest.mark.no_database, pytest.mark.folders("evaluation", "demo")]


def meeting(turns: int, *boundaries: int) -> Meeting:
    call = read_calls()[0].transcript
    segments = tuple(call.segments[0] for _ in range(turns))
    return Meeting("one", "Product", type(call)("", call.started_at, 0, segments), "", (), boundaries)


@pytest.fixture(scope="module")
def calls() -> list[Call]:
    return read_calls()


def test_every_label_stands_in_its_segment(calls):
    for transcript, labels in calls:
        for label in (*labels.action_items, *labels.risks, *labels.objections):
            assert label.text in transcript.segments[label.segment].text
        assert set(labels.internal_speakers) <= {one.speaker for one in transcript.segments}


def test_half_of_the_calls_is_held_out(calls):
    halves = [one.labels.half for one in calls]
    assert halves.count("tune") == halves.count("held out") == len(calls) / 2 >= 8


def test_calls_are_marked_as_made_up():
    assert all('"sourceId": "made-up:' in line for line in CALLS.read_text("utf-8").splitlines())


def test_the_analysis_of_a_call_is_always_the_same(calls):
    transcript, labels = calls[0]
    one, other = (analyse(transcript, calls[0].competitors, labels.internal_speakers) for _ in range(2))
    assert one == other
    assert one.coaching is not None


def test_rouge_l_is_the_longest_common_subsequence():
    assert rouge_l("the cat sat down", "The cat has sat.") == pytest.approx(6 / 8)
    assert rouge_l("", "a") == 0


def test_a_boundary_counts_once_and_within_five_turns():
    found = match([meeting(100, 20, 60)], [[15, 24, 70]])
    assert (found.labelled, found.found, found.right) == (2, 3, 1)
    assert found.f1 == pytest.approx(0.4)


def test_pk_of_the_labels_themselves_is_zero():
    one = meeting(60, 20, 40)
    assert pk([one], [[20, 40]]) == 0
    assert pk([one], [[]]) > 0


def test_the_interval_of_equal_scores_is_empty():
    import numpy as np

    assert tuple(difference(np.ones(5), np.ones(5))) == (0, 0, 0)
