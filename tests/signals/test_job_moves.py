"""Job moves between the stored and the imported row (docs/reference/signals.md#job-moves)."""

import pytest

from firmograph.security.record_ids import Entity
from firmograph.signals.job_moves.detector import (
    EmployerIdentity,
    Employment,
    JobChange,
    StoredMove,
    are_related,
    classify_change,
    detect_moves,
    move_day,
)

pytestmark = pytest.mark.no_database

ACME, RIVAL, GROUP = 1, 2, 3
IMPORT_DAY = "2026-09-21"


def employer(name="", domain="", *, names=(), domains=(), above=()):
    return EmployerIdentity(name, domain, frozenset({name, *names}), frozenset(domains), frozenset(above))


EMPLOYERS = {ACME: employer("acme", "acme.test"), RIVAL: employer("rival", "rival.test")}


def step(before, after, own=None, day="2026-05-01"):
    return JobChange(7, before, own, after, ["Sales", "Marketing"], "Manager", day, IMPORT_DAY)


def detected(*steps, employers=EMPLOYERS, past=()):
    return [(one.type, one.key, one.day) for one in detect_moves(steps, employers, past, 365)]


ENGINEER, SENIOR = Employment(ACME, "Engineer"), Employment(ACME, "Senior Engineer")
ELSEWHERE = Employment(RIVAL, "Engineer")


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (ENGINEER, ELSEWHERE, "companyChange"),
        (ENGINEER, Employment(RIVAL, "Director"), "companyChange"),
        (ENGINEER, Employment(RIVAL), "companyChange"),
        (ENGINEER, SENIOR, "promotion"),
        (SENIOR, ENGINEER, None),
        (Employment(None, "Engineer"), SENIOR, None),
        (ENGINEER, Employment(None, "Senior Engineer"), None),
        (Employment(None, "Engineer"), Employment(None, "Senior Engineer"), None),
        (Employment(ACME), SENIOR, None),
        (ENGINEER, Employment(ACME), None),
    ],
)
def test_the_kind_of_a_step_follows_from_both_jobs(before, after, found):
    assert classify_change(step(before, after)) == found


@pytest.mark.parametrize(
    ("before", "own", "after", "found"),
    [
        (ELSEWHERE, ENGINEER, ENGINEER, None),
        (ELSEWHERE, SENIOR, ENGINEER, None),
        (ELSEWHERE, Employment(GROUP, "Engineer"), ENGINEER, "companyChange"),
        (ELSEWHERE, Employment(None), ENGINEER, "companyChange"),
        (ENGINEER, Employment(ACME, "Sr Engineer"), SENIOR, None),
        (ENGINEER, Employment(ACME, "Junior Engineer"), SENIOR, "promotion"),
        (ENGINEER, Employment(RIVAL, "Senior Engineer"), SENIOR, "promotion"),
        (ENGINEER, Employment(ACME), SENIOR, "promotion"),
    ],
)
def test_a_source_that_repeats_its_own_row_causes_no_step(before, own, after, found):
    assert classify_change(step(before, after, own)) == found


@pytest.mark.parametrize(
    ("one", "other", "is_linked"),
    [
        (employer("a", "a.test"), employer("b", "b.test"), False),
        (employer("a", "a.test", above=[2, 9]), employer("b"), True),
        (employer("a"), employer("b", above=[1]), True),
        (employer("a", above=[9]), employer("b", above=[9]), False),
        (employer("a", "a.test"), employer("a", "b.test"), True),
        (employer("a", names=["b"]), employer("b"), True),
        (employer("a", names=["x"]), employer("b", names=["x"]), True),
        (employer("a", domains=["b.test"]), employer("b", "b.test"), True),
        (employer("a", domains=["x.test"]), employer("b", domains=["x.test"]), True),
        (employer("a", ""), employer("b", ""), False),
    ],
    ids=[
        "strangers",
        "owned",
        "owner",
        "siblings",
        "name",
        "alias",
        "shared alias",
        "domain",
        "shared domain",
        "no domain",
    ],
)
def test_companies_are_linked_by_ownership_names_and_domains(one, other, is_linked):
    assert are_related(1, 2, {1: one, 2: other}) is are_related(2, 1, {1: one, 2: other}) is is_linked


def test_there_are_no_moves_or_promotions_between_linked_companies():
    owned = EMPLOYERS | {RIVAL: employer("rival", above=[ACME])}
    assert detected(step(ENGINEER, Employment(RIVAL, "Director")), employers=owned) == []


def test_a_renamed_company_causes_no_move():
    renamed = EMPLOYERS | {GROUP: employer("acme")}
    assert detected(step(ELSEWHERE, Employment(GROUP, "Engineer"), own=ENGINEER), employers=renamed) == []


@pytest.mark.parametrize(
    ("old", "new", "day", "found"),
    [
        ("", "2026-04-01", "2026-05-01", "2026-04-01"),
        ("2020-01-01", "2026-04-01", "2026-05-01", "2026-04-01"),
        ("2026-04-01", "2026-04-01", "2026-05-01", "2026-05-01"),
        ("2026-04-02", "2026-04-01", "2026-05-01", "2026-05-01"),
        ("2020-01-01", "", "2026-05-01", "2026-05-01"),
        ("", "2026-06-01", "2026-05-01", "2026-06-01"),
        ("", "2026-12-01", "2026-05-01", "2026-05-01"),
        ("", "2026-12-01", "2026-12-02", "2026-12-01"),
    ],
)
def test_the_day_of_a_step_is_the_start_date_or_else_that_of_the_row(old, new, day, found):
    assert move_day(step(Employment(ACME, start=old), Employment(RIVAL, start=new), day=day)) == found


def test_the_same_move_is_the_same_signal_until_a_year_has_passed():
    def past_move(day):
        return StoredMove(7, "companyChange", ENGINEER, ELSEWHERE, day)

    again = step(ENGINEER, ELSEWHERE)
    assert detected(again) == [("companyChange", "1,2", "2026-05-01")]
    assert detected(again, past=[past_move("2025-05-02")]) == []
    assert detected(again, past=[past_move("2025-05-01")]) == [
        ("companyChange", "1,2,2026-05-01", "2026-05-01")
    ]
    assert detected(again, past=[past_move("2024-01-01"), past_move("2026-01-01")]) == []
    assert detected(again, again) == detected(again)


def test_a_move_of_another_person_and_a_move_back_are_different_moves():
    other = StoredMove(8, "companyChange", ENGINEER, ELSEWHERE, "2026-04-01")
    back = StoredMove(7, "companyChange", ELSEWHERE, ENGINEER, "2026-04-01")
    assert len(detected(step(ENGINEER, ELSEWHERE), past=[other, back])) == 1


def test_spellings_of_a_title_are_the_same_promotion():
    past = StoredMove(7, "promotion", ENGINEER, Employment(ACME, "Sr. Engineer"), "2026-04-01")
    assert detected(step(ENGINEER, SENIOR), past=[past]) == []
    assert detected(step(ENGINEER, Employment(ACME, "Lead Engineer")), past=[past]) != []


def test_the_event_shows_both_jobs():
    [found] = detect_moves([step(ENGINEER, Employment(RIVAL, "Manager"))], EMPLOYERS, [], 365)
    assert (found.entity, found.number) == (Entity.CONTACT, 7)
    assert (found.event.previous_company_name, found.event.current_company_name) == ("acme", "rival")
    assert (found.event.previous_domain, found.event.current_domain) == ("acme.test", "rival.test")
    assert (found.event.previous_title, found.event.current_title) == ("Engineer", "Manager")
    assert (found.event.current_departments, found.event.current_seniority_label) == (
        "Sales, Marketing",
        "Manager",
    )
