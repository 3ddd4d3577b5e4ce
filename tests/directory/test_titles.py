import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.titles.derivation import derive_departments, derive_seniority
from firmograph.directory.titles.spellings import normalise_department, normalise_seniority
from firmograph.directory.vocabulary import DEPARTMENTS, SENIORITIES

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("title", "seniority"),
    [
        ("President", "C-Suite"),
        ("Vice President", "Vice President"),
        ("Vice-President, Sales", "Vice President"),
        ("SVP", "Vice President"),
        ("AVP Operations", "Vice President"),
        ("Executive Vice President & CFO", "C-Suite"),
        ("Chief Information Security Officer", "C-Suite"),
        ("C.E.O.", "C-Suite"),
        ("Co-Founder & CEO", "Founder"),
        ("Owner", "Founder"),
        ("Product Owner", "Non-Manager"),
        ("Assistant to the CEO", "Non-Manager"),
        ("Executive Assistant, CEO", "Non-Manager"),
        ("CEO Assistant", "Non-Manager"),
        ("Chief of Staff to the CEO", "Director"),
        ("Director, Office of the CEO", "Director"),
        ("Managing Director", "C-Suite"),
        ("Head of Growth", "Director"),
        ("Head Chef", "Manager"),
        ("Account Executive", "Non-Manager"),
        ("Partner", "Partner"),
        ("Partner, Audit", "Partner"),
        ("Partner Manager", "Manager"),
        ("HR Business Partner", "Non-Manager"),
        ("Principal", "Partner"),
        ("Principal Engineer", "Senior"),
        ("Sr. Software Engineer", "Senior"),
        ("Senior Manager", "Manager"),
        ("Jr. Developer", "Non-Manager"),
        ("Marketing Intern", "Intern"),
        ("Internship Program Manager", "Manager"),
        ("Retired", "Other"),
        ("Directeur Général", "C-Suite"),
        ("Geschäftsführerin", "C-Suite"),
        ("Welder", "Non-Manager"),
    ],
)
def test_seniority_follows_the_highest_rank_of_the_persons_own(title, seniority):
    assert derive_seniority(title) == seniority


@pytest.mark.parametrize(
    ("title", "seniority"),
    [
        ("Governor", "C-Suite"),
        ("Mayor", "C-Suite"),
        ("Attorney General", "C-Suite"),
        ("Secretary of State", "C-Suite"),
        ("Lieutenant Governor", "Vice President"),
        ("State Senator", "Director"),
        ("State Representative", "Director"),
        ("Representative", "Director"),
        ("Sales Representative", "Non-Manager"),
        ("Secretary", "Non-Manager"),
    ],
)
def test_heads_of_public_bodies_are_c_suite_and_their_members_directors(title, seniority):
    assert derive_seniority(title) == seniority


@pytest.mark.parametrize(
    ("title", "departments"),
    [
        ("VP of Sales and Marketing", ["Sales", "Marketing"]),
        ("Software Engineer", ["Engineering & Technical"]),
        ("IT Manager", ["Information Technology"]),
        ("Chief Financial Officer", ["Finance"]),
        ("CEO", ["General Management"]),
        ("Founder & CMO", ["General Management", "Marketing"]),
        ("Financial Analyst", ["Finance"]),
        ("Analyst", ["Research & Analytics"]),
        ("IT Consultant", ["Information Technology", "Consulting"]),
        ("Consultant", ["Consulting"]),
        ("HR Business Partner", ["Human Resources"]),
        ("Product Manager", ["Product"]),
        ("General Counsel", ["Legal"]),
        ("Customer Success Manager", ["Customer Service"]),
        ("Registered Nurse", ["Health Care & Medical"]),
        ("Business Development Representative", ["Business Development"]),
        ("Assistant to the CFO", ["Operations"]),
        ("Warehouse Operative", ["Operations"]),
        ("R&D Director", ["Engineering & Technical", "Research & Analytics"]),
        ("Attorney General", ["General Management", "Legal"]),
        ("Xyzzy", ["Other"]),
    ],
)
def test_departments_are_those_named_in_the_title(title, departments):
    assert sorted(derive_departments(title)) == sorted(departments)


@pytest.mark.parametrize(
    ("title", "seniority", "department"),
    [
        ("Vertriebsleiterin", "Director", "Sales"),
        ("Leitung Personal", "Director", "Human Resources"),
        ("Leiter", "Manager", "General Management"),
        ("Teamleiter Vertrieb", "Manager", "Sales"),
        ("Flugbegleiter", "Non-Manager", "Customer Service"),
        ("Geschaeftsfuehrer", "C-Suite", "General Management"),
        ("Firmeninhaberin", "Founder", "General Management"),
        ("Vorstandsmitglied", "C-Suite", "General Management"),
        ("Assistentin der Geschäftsführung", "Non-Manager", "Operations"),
        ("Softwareentwickler*in (m/w/d) 80-100 %", "Non-Manager", "Engineering & Technical"),
        ("Werkstudent Marketing", "Intern", "Marketing"),
        ("Directrice des ressources humaines", "Director", "Human Resources"),
        ("Assistante de direction", "Non-Manager", "Operations"),
        ("Chef de projet informatique", "Non-Manager", "Information Technology"),
        ("Jefe de ventas", "Manager", "Sales"),
        ("Responsabile acquisti", "Manager", "Operations"),
        ("Algemeen directeur", "C-Suite", "General Management"),
        ("Diretora financeira", "Director", "Finance"),
        ("Kierownik działu sprzedaży", "Manager", "Sales"),
        ("Daglig leder", "C-Suite", "General Management"),
        ("Försäljningschef", "Manager", "Sales"),
    ],
)
def test_titles_of_other_languages_have_their_own_tables(title, seniority, department):
    assert (derive_seniority(title), derive_departments(title)[0]) == (seniority, department)


@pytest.mark.parametrize(
    ("title", "seniority"),
    [
        ("Key Account Manager", "Non-Manager"),
        ("Senior Product Manager", "Senior"),
        ("IT Project Manager", "Non-Manager"),
        ("Manager, Product", "Manager"),
        ("Acting Director of Finance", "Director"),
    ],
)
def test_managers_of_accounts_products_and_projects_lead_nobody(title, seniority):
    assert derive_seniority(title) == seniority


def test_a_title_without_any_phrase_has_the_department_that_the_model_is_sure_of():
    assert derive_departments("Orthopedic Coder") == ["Health Care & Medical"]


@pytest.mark.parametrize("blank", ["", "   ", "\n"])
def test_a_missing_title_has_neither_department_nor_seniority(blank):
    assert derive_departments(blank) == []
    assert derive_seniority(blank) is None


@given(st.text(max_size=80))
def test_any_title_gives_labels_of_the_vocabulary(title):
    departments = derive_departments(title)
    assert len(departments) == len(set(departments)) <= 3
    assert set(departments) <= set(DEPARTMENTS)
    assert derive_seniority(title) in {None, *SENIORITIES.values()}


@given(st.sampled_from(["Vice President of Sales", "Head of Legal", "CTO & Co-Founder", "Sr. Data Analyst"]))
def test_case_changes_nothing(title):
    assert derive_seniority(title.upper()) == derive_seniority(title.lower()) == derive_seniority(title)
    assert derive_departments(title.upper()) == derive_departments(title)


def test_a_caller_may_change_the_returned_list():
    derive_departments("Sales Manager").append("Legal")
    assert derive_departments("Sales Manager") == ["Sales"]


@pytest.mark.parametrize("label", DEPARTMENTS)
def test_every_department_is_its_own_spelling_in_any_case(label):
    assert normalise_department(label.upper()) == label
    assert normalise_department(label.replace(" & ", " and ").lower()) == label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("HR", "Human Resources"),
        ("engineering", "Engineering & Technical"),
        ("customer_support", "Customer Service"),
        ("Vertrieb", "Sales"),
        ("Geschäftsführung", "General Management"),
        ("Comptabilité", "Finance"),
        ("Recursos humanos", "Human Resources"),
    ],
)
def test_departments_are_known_by_usual_other_spellings(text, label):
    assert normalise_department(text) == label


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (10, "Founder"),
        ("9", "C-Suite"),
        ("c-suite", "C-Suite"),
        ("cxo", "C-Suite"),
        ("vp", "Vice President"),
        ("entry", "Non-Manager"),
        ("Non-Manager", "Non-Manager"),
        ("owner", "Founder"),
        ("head", "Director"),
        ("intern", "Intern"),
    ],
)
def test_seniority_is_known_by_id_catalogue_name_and_usual_spellings(value, label):
    assert normalise_seniority(value) == label


@pytest.mark.parametrize("value", ["", "purple", 0, 11, "²"])
def test_an_unknown_seniority_or_department_gives_none(value):
    assert normalise_seniority(value) is None
    assert normalise_department(str(value)) is None
