from pathlib import Path

import numpy as np
import pytest

from firmograph.buying_groups.roles.personas import PERSONAS
from firmograph.buying_groups.roles.table import load_role_table
from firmograph.directory.titles.derivation import derive_departments, derive_seniority
from firmograph.kit.errors import Refused

pytestmark = pytest.mark.no_database


@pytest.fixture
def file(tmp_path):
    return tmp_path / "personas.toml"


def roles_of(title, table=None):
    table = table or load_role_table()
    row = table.match(title, derive_seniority(title), derive_departments(title))
    fits = table.fits(row[np.newaxis])[0]
    return {role for role, fit in zip(PERSONAS, fits, strict=True) if fit > 0}


@pytest.mark.parametrize(
    ("title", "roles"),
    [
        ("Chief Executive Officer", {"decision_maker"}),
        ("VP Sales", {"decision_maker"}),
        ("Director of Marketing", {"decision_maker", "potential_champion"}),
        ("IT Manager", {"potential_champion"}),
        ("Accountant", {"end_user"}),
        ("Assistant Director of Marketing", {"potential_champion"}),
        ("Senior Software Engineer", {"potential_champion", "end_user"}),
        ("Product Manager", {"potential_champion", "end_user"}),
        ("Chief Information Officer", {"decision_maker", "potential_champion"}),
        ("Board Member", set()),
        ("Truck Driver", set()),
        ("", set()),
    ],
)
def test_a_contact_has_every_role_that_its_title_reaches(title, roles):
    assert roles_of(title) == roles


def test_a_contact_of_whom_nothing_is_known_has_no_role():
    table = load_role_table()
    assert not table.fits(table.match(None, None, [])[np.newaxis]).any()


def test_the_fits_of_contacts_do_not_depend_on_their_order_or_number():
    table = load_role_table()
    matched = np.random.default_rng(7).random((2_000, len(table.conditions))) < 0.1
    fits = table.fits(matched)
    assert fits.shape == (2_000, len(PERSONAS))
    assert ((fits >= 0) & (fits <= 1)).all()
    positions = [np.flatnonzero(column) for column in matched.T]
    assert (table.fits_at(2_000, positions) == fits).all()
    shuffled = np.random.default_rng(8).permutation(2_000)
    assert (table.fits(matched[shuffled]) == fits[shuffled]).all()
    assert all((table.fits(matched[[row]])[0] == fits[row]).all() for row in range(0, 2_000, 97))
    assert all(
        [one.fit for one in table.explain(matched[row])] == fits[row].tolist() for row in range(0, 2_000, 97)
    )


def test_nobody_has_no_fits():
    table = load_role_table()
    assert table.fits(np.zeros((0, len(table.conditions)), dtype=np.bool_)).shape == (0, len(PERSONAS))
    assert table.fits_at(0, [np.zeros(0, dtype=np.int64)] * len(table.conditions)).shape == (0, len(PERSONAS))


def test_an_explanation_names_the_rules_and_their_weights_add_up():
    table = load_role_table()
    row = table.match("Assistant Vice President, Sales", "Vice President", ["Sales"])
    explanation = table.explain(row)[0]
    assert [part.rule for part in explanation.parts][:1] == ["Vice President"]
    assert "assistant" in {one.text for part in explanation.parts for one in part.met}
    assert sum(part.weight for part in explanation.parts) == pytest.approx(explanation.total)


def test_words_are_compared_as_search_compares_titles(file):
    file.write_text("[end_user.titles]\n'V.P. of Café' = 1.0\n[end_user.seniorities]\n'Vice President' = 0\n")
    table = load_role_table(str(file))
    for title in ("Vice-President, CAFE", "Café (VP)"):
        assert "end_user" in roles_of(title, table)
    assert "end_user" not in roles_of("Vice President, Cafes", table)


def test_a_fit_is_kept_from_the_threshold_on(file):
    parts = "[end_user.titles]\nblue = 0.3\ngreen = 0.29\nred = 0.1\n"
    file.write_text(f"[end_user]\nthreshold = 0.39\n{parts}")
    table = load_role_table(str(file))
    end_user = PERSONAS.index("end_user")
    rows = [table.match(title, None, []) for title in ("blue", "blue red", "green red", "green blue red")]
    assert table.fits(np.array(rows))[:, end_user].tolist() == [0, 0.4, 0.39, 0.69]


def test_a_list_counts_once(file):
    file.write_text("[lists]\ncolours = ['blue', 'green']\n[end_user.lists]\ncolours = 0.6\n")
    table = load_role_table(str(file))
    fits = table.fits(np.array([table.match(title, None, []) for title in ("blue", "blue green", "red")]))
    assert fits[:, PERSONAS.index("end_user")].tolist() == [0.6, 0.6, 0]


def test_the_operators_file_replaces_only_its_own_values(file):
    file.write_text("[decision_maker.seniorities]\n'Vice President' = 0\n")
    own, packaged = load_role_table(str(file)), load_role_table()
    assert "decision_maker" in roles_of("Vice President", packaged)
    assert "decision_maker" not in roles_of("Vice President", own)
    for title in ("CEO", "Finance Director", "IT Manager", "Accountant", "Cook"):
        assert roles_of(title, own) == roles_of(title, packaged)


def test_the_documented_file_makes_nurses_end_users(file):
    page = Path(__file__).parents[2] / "docs" / "reference" / "buying-group-roles.md"
    file.write_text(page.read_text("utf-8").partition("```toml")[2].partition("```")[0])
    table = load_role_table(str(file))
    nurse = table.match("Registered Nurse", "Non-Manager", ["Health Care & Medical"])
    assert table.fits(nurse[np.newaxis])[0].tolist() == [0, 0, 0.6]
    assert not load_role_table().fits(load_role_table().match("Nurse", "Non-Manager", [])[np.newaxis]).any()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[buyer]\nthreshold = 0.5\n", "buyer: there is no such role"),
        ("[end_user]\nthreshold = 0\n", "end_user.threshold: a number from 0.01 to 1"),
        ("[end_user]\nthreshold = nan\n", "end_user.threshold: a number"),
        ("[end_user.titles]\nclerk = 1.5\n", "end_user.titles.clerk: a number from -1 to 1"),
        ("[end_user.titles]\nclerk = true\n", "end_user.titles.clerk: a number"),
        ("[end_user.titles]\nclerk = 0.555\n", "end_user.titles.clerk: a number of at most two decimals"),
        ("[end_user.titles]\n'--' = 0.5\n", 'end_user.titles."--": it has no word'),
        ("[end_user.titles]\nVP = 0.5\n'vice president' = 0.1\n", 'end_user.titles."vice president": it has'),
        ("[end_user.seniorities]\nBoss = 0.5\n", "end_user.seniorities.Boss: it is none of Founder"),
        ("[end_user.departments]\nKitchen = 0.5\n", "end_user.departments.Kitchen: it is none of"),
        ("[end_user.lists]\nbosses = 0.5\n", "end_user.lists.bosses: there is no such list"),
        ("[end_user]\nwords = 5\n", "end_user.words: a role has"),
        ("end_user = 5\n", "end_user: a table is needed"),
        ("[lists]\nbosses = 'boss'\n", "lists.bosses: a list of texts"),
        ("[lists]\nbosses = ['boss', '!']\n", 'lists.bosses."!": it has no word'),
        ("[end_user\n", "is not TOML: Expected ']' at the end of a table declaration (at line 1, column 10)"),
    ],
)
def test_an_invalid_file_is_refused_by_its_name_and_the_position(file, text, expected):
    file.write_text(text)
    with pytest.raises(Refused) as refused:
        load_role_table(str(file))
    assert str(file) in refused.value.message
    assert expected in refused.value.message


def test_a_personas_file_that_is_missing_is_refused(file):
    with pytest.raises(Refused, match=r"personas file .* cannot be read"):
        load_role_table(str(file))
