import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.choice import choose_candidate
from firmograph.directory.matching import (
    first_names_compatible,
    last_names_agree,
    score_names,
)
from firmograph.settings import Settings

pytestmark = pytest.mark.no_database

THRESHOLD, MARGIN = Settings().match_threshold, Settings().match_margin
NAMES = st.tuples(st.text(max_size=12), st.text(max_size=12))


@pytest.mark.parametrize(
    ("query", "stored"),
    [
        (("alyse", "GALVIN"), ("Alyse", "Galvin")),
        (("Jose", "Munoz"), ("José", "Muñoz")),
        (("Anna", "Mueller"), ("Anna", "Müller")),
        (("A.", "Galvin"), ("Alyse", "Galvin")),
        (("A.S.", "Galvin"), ("Alyse", "Galvin")),
        (("Alyse Surratt", "Galvin"), ("Alyse", "Galvin")),
        (("Robert", "Behning"), ("Bob", "Behning")),
        (("R. W.", "Behning"), ("Bob", "Behning")),
        (("Wonda", "Johnson"), ("D. Wonda", "Johnson")),
        (("James W.", "Mooney Jr."), ("Jim", "Mooney")),
        (("Galvin", "Alyse"), ("Alyse", "Galvin")),
        (("Galvin", "A."), ("Alyse", "Galvin")),
        (("Daniele", "Moreno"), ("Daniele", "Monroe-Moreno")),
        (("Maria", "Garcia Lopez"), ("Maria Garcia", "Lopez")),
        (("Sylvia Wayfer", "Baker"), ("Sylvia", "Wayfer")),
        (("Ana", "Delacruz"), ("Ana", "de la Cruz")),
        (("Sean", "OBrien"), ("Sean", "O'Brien")),
        (("Dr. Jane", "Doe, PhD"), ("Jane", "Doe")),
        (("Woody", "Page"), ('Louis "Woody"', "Page")),
        (("Sara", "Jones"), ("Sarah", "Jones")),
        (("Diane", "Linthcium"), ("Diane", "Linthicum")),
        (("小明", "王"), ("小明", "王")),
        (("Mike", "Petersen"), ("Mike", "Peterson")),
        (("Mark", "Uorzenski"), ("Mark", "Korzenski")),
        (("Mark", "Korzenskii"), ("Mark", "Korzenski")),
        (("Bob", "Behming"), ("Robert", "Behning")),
        (("Mikr", "Harris"), ("Mike", "Harris")),
        (("Ana", "Mariasanchez"), ("Ana", "Maria Sanchez")),
        (("Ana", "Maria-Sanchez"), ("Ana Maria", "Sanchez")),
        (("Mary", "Annsmith"), ("Mary Ann", "Smith")),
        (("Wladimir", "Iwanow"), ("Vladimir", "Ivanov")),
        (("Muhammad", "Al-Masri"), ("Mohammed", "al Masri")),
        (("Sergei Ivanovich", "Petrov"), ("Sergey", "Petrov")),
        (("Sergey Ivanovich", "Petrov"), ("Sergey Pavel", "Petrov")),
        (("Mohammed bin Rashid", "Maktoum"), ("Mohammed Rashid", "Al Maktoum")),
        (("Владимир", "Иванов"), ("Vladimir", "Ivanov")),
        (("Vladimir", "Ivanov"), ("Владимир", "Иванов")),
        (("Muhammad", "Salah"), ("محمد", "صلاح")),
        (("Ji-hun", "Gim"), ("지훈", "김")),
        (("Xiaoming", "Wang"), ("小明", "王")),
        (("Yorgos", "Papadopoulos"), ("Γιώργος", "Παπαδόπουλος")),
    ],
)
def test_forms_of_one_name_reach_the_threshold(query, stored):
    assert score_names(query, stored) >= THRESHOLD


@pytest.mark.parametrize(
    ("query", "stored"),
    [
        (("James", "Smith"), ("John", "Smith")),
        (("Andrew", "Galvin"), ("Alyse", "Galvin")),
        (("Paula", "Bologna"), ("Paul", "Bologna")),
        (("Carla", "Reyes"), ("Carl", "Reyes")),
        (("Marvin", "Stutzman"), ("Marlin", "Stutzman")),
        (("Landon", "Lamar"), ("London", "Lamar")),
        (("Bill", "Hall"), ("Bob", "Hall")),
        (("John", "Smith Jr"), ("John", "Smith Sr")),
        (("Mark", "Pery"), ("Mark", "Fery")),
        (("Mikr", "Harriss"), ("Mike", "Harris")),
        (("Mike", "Harrid Jr"), ("Mike", "Harris")),
        (("M.", "Harriz"), ("Mike", "Harris")),
        (("Michael", "Pieterson"), ("Mike", "Petersen")),
        (("Paulo", "Etting"), ("Paula", "Etting")),
        (("Luis", "Martin"), ("Louis", "Martin")),
        (("Jan", "Smith"), ("Ian", "Smith")),
        (("Wei", "Lee"), ("Wei", "Li")),
        (("Nacole", "Chavez"), ("Nicole", "Chavez")),
        (("Sergey Ivan", "Petrov"), ("Sergey Pavel", "Petrov")),
        (("Анна", "Иванова"), ("Igor", "Ivanov")),
        (("James A.", "Miller"), ("James B.", "Miller")),
        (("D.", "Moreno"), ("Daniele", "Monroe-Moreno")),
        (("Diane", "Linthcium"), ("Diane Ann", "Linthicum")),
        (("Diane", "Linthcium Jr"), ("Diane", "Linthicum")),
        (("J.A.", "Lowe"), ("Adam", "Lowe")),
        (("James", "Lozano"), ("J.M.", "Lozano")),
        (("明", "王"), ("明华", "王")),
        (("Alyse", ""), ("Alyse", "Galvin")),
        (("", "Galvin"), ("Alyse", "Galvin")),
    ],
)
def test_names_that_may_be_two_people_stay_under_the_threshold(query, stored):
    assert score_names(query, stored) < THRESHOLD


@given(NAMES, NAMES)
def test_a_score_lies_between_0_and_1(query, stored):
    assert 0.0 <= score_names(query, stored) <= 1.0


@given(NAMES)
def test_a_name_matches_itself_with_certainty(name):
    assert score_names(name, name) == 1.0


def test_the_best_candidate_is_chosen():
    stored = [(1, "Alyse", "Galvin"), (2, "Andrew", "Galvin"), (3, "Alyse", "Gray")]
    assert choose_candidate(("Alyse S.", "Galvin"), stored, THRESHOLD, MARGIN) == 1


def test_a_query_that_fits_two_people_is_refused():
    stored = [(1, "Alyse", "Galvin"), (2, "Andrew", "Galvin")]
    assert choose_candidate(("A.", "Galvin"), stored, THRESHOLD, MARGIN) is None


def test_two_people_of_one_name_are_refused():
    stored = [(1, "John", "Smith"), (2, "John", "Smith")]
    assert choose_candidate(("John", "Smith"), stored, THRESHOLD, MARGIN) is None


def test_one_person_stored_twice_is_no_rival_of_itself():
    stored = [(1, "John", "Smith"), (1, "John", "Smith")]
    assert choose_candidate(("Jon", "Smith"), stored, THRESHOLD, MARGIN) == 1


def test_the_exact_name_wins_over_a_namesake_with_a_middle_name_or_a_generation():
    stored = [(1, "John", "Smith"), (2, "John A.", "Smith"), (3, "John", "Smith Jr")]
    assert choose_candidate(("John", "Smith"), stored, THRESHOLD, MARGIN) == 1
    assert choose_candidate(("John", "Smith, Jr."), stored, THRESHOLD, MARGIN) == 3


def test_a_rival_under_the_threshold_still_counts_for_the_margin():
    stored = [(1, "William Zachary", "Fields"), (2, "Z.", "Fields")]
    assert choose_candidate(("Zack", "Fields"), stored[:1], THRESHOLD, MARGIN) == 1
    assert choose_candidate(("Zack", "Fields"), stored, THRESHOLD, MARGIN) is None


def test_without_last_names_only_the_same_first_name_matches():
    assert score_names(("MADONNA", ""), ("Madonna", "")) == 1.0
    assert score_names(("M.", ""), ("Madonna", "")) == 0.0


def test_nobody_is_chosen_from_no_candidates():
    assert choose_candidate(("John", "Smith"), [], THRESHOLD, MARGIN) is None


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["Al", "Ann", "A.", "Bo"]), st.just("Lee"))),
    st.randoms(),
)
def test_the_choice_does_not_depend_on_the_order_of_candidates(stored, random):
    answer = choose_candidate(("A.", "Lee"), stored, THRESHOLD, MARGIN)
    random.shuffle(stored)
    assert choose_candidate(("A.", "Lee"), stored, THRESHOLD, MARGIN) == answer


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bob", "Robert"), ("J.", "James"), ("James", "J."), ("Bobby", "Rob"), ("", "Ann"), ("Ann M.", "Ann")],
)
def test_first_names_that_one_person_may_have_are_compatible(one, other):
    assert first_names_compatible(one, other)


@pytest.mark.parametrize(("one", "other"), [("James", "John"), ("Paul", "Paula"), ("Ann", "Bob")])
def test_first_names_of_two_people_are_not_compatible(one, other):
    assert not first_names_compatible(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("O'Brien", "OBRIEN"),
        ("Monroe-Moreno", "Moreno"),
        ("King Jr", "King"),
        ("van Dyke", "Dyke"),
        ("", "Lee"),
    ],
)
def test_last_names_of_one_person_agree(one, other):
    assert last_names_agree(one, other)


@pytest.mark.parametrize(("one", "other"), [("Smith", "Jones"), ("Peterson", "Petersen"), ("Lee", "Li")])
def test_last_names_of_two_people_do_not_agree(one, other):
    assert not last_names_agree(one, other)


@pytest.fixture(scope="module")
def measured_figures():
    """Return figures of the tuning half of the labelled look-ups; the test half is not for daily tests."""
    path = Path(__file__).parents[2] / "evaluation" / "matching.py"
    spec = importlib.util.spec_from_file_location("evaluation_matching", path)
    assert spec is not None
    assert spec.loader is not None
    evaluation = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(evaluation)
    return {name: evaluation.by_class(rows) for name, rows in evaluation.measure("tune", Settings()).items()}


def test_people_are_found_and_strangers_refused_as_well_as_measured(measured_figures):
    headline = measured_figures["people"]["headline"]
    assert headline.n > 14_000
    assert headline.precision >= 0.996
    assert headline.recall >= 0.948


def test_namesakes_in_one_body_are_never_answered(measured_figures):
    assert measured_figures["people"]["not distinguished: namesakes"].n > 50
    assert measured_figures["people"]["not distinguished: namesakes"].answered == 0


def test_companies_are_found_by_stored_aliases_and_other_spellings_as_well_as_measured(measured_figures):
    aliases, listed = measured_figures["organisations"]["alias, held"], measured_figures["listed"]["headline"]
    assert aliases.precision >= 0.998
    assert aliases.recall >= 0.965
    assert listed.precision >= 0.999
    assert listed.recall >= 0.948
