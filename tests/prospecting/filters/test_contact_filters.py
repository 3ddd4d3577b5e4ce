import pytest
from filter_requests import contact_refusals, contacts, signal_on_test_day

from firmograph.prospecting.engines.query import (
    NO_RECORD,
    All,
    Any,
    Between,
    Criterion,
    EmployedBy,
    HasSignal,
    RecordNumbers,
    Term,
    Words,
)

pytestmark = pytest.mark.no_database

BASE = Term("department", "Sales")

FILTERS: dict[str, tuple[object, Criterion]] = {
    "names": (["Jane Doe", "Zoë"], Any((Words("name", ("jane", "doe")), Words("name", ("zoe",))))),
    "jobTitles": (["VP of Sales"], Words("title", ("vp", "sales"))),
    "jobTitlesExactMatch": (["VP of Sales"], Term("title_whole", "vp of sales")),
    "normalizedJobTitles": (["VP Sales"], Words("title_normal", ("vice", "president", "sales"))),
    "previousJobTitle": (["Clerk"], Words("past_title", ("clerk",))),
    "skills": (["machine learning"], Words("skill", ("machine", "learning"))),
    "certifications": (["CFA"], Words("certification", ("cfa",))),
    "awards": (["Forbes 30"], Words("award", ("forbes", "30"))),
    "linkedinUrls": (["https://www.linkedin.com/in/Jane-Doe/?x=1"], RecordNumbers(frozenset({1}))),
    "ids": (["42", "v1.unknown"], RecordNumbers(frozenset({2}))),
    "departments": (
        ["Sales", "marketing"],
        Any((Term("department", "Sales"), Term("department", "Marketing"))),
    ),
    "seniorityIds": ([9, 8], Any((Term("seniority", "9"), Term("seniority", "8")))),
    "searchText": (
        "Jane sales",
        All(
            tuple(
                Any(
                    (
                        Words("name", (word,)),
                        Words("title", (word,)),
                        Words("skill", (word,)),
                        EmployedBy(Words("company_name", (word,))),
                    )
                )
                for word in ("jane", "sales")
            )
        ),
    ),
    "countries": (["us", "DE"], Any((Term("country", "US"), Term("country", "DE")))),
    "locations": ([{"country": "Germany"}], Term("country", "DE")),
    "existingDataPoints": (["phone", "work_email"], Any((Term("has", "phone"), Term("has", "work_email")))),
    "emails": (["JANE@acme.test", "nobody@acme.test"], RecordNumbers(frozenset({1}))),
    "previousEmails": (["Jane@Old.test"], Term("previous_email", "jane@old.test")),
    "signals": (
        {"types": ["companyChange"], "startDate": "2026-01-31"},
        HasSignal((signal_on_test_day("companyChange", "", "2026-01-31"),)),
    ),
    "geographicDetails": (
        [{"country": "US", "zipcode": "94107", "distance": 25}],
        contacts(
            include={"geographicDetails": [{"country": "US", "zipcode": "94107", "distance": 25}]}
        ).where,
    ),
}
REFINEMENTS: dict[str, tuple[object, tuple[Criterion, ...]]] = {
    "jobChangedAfterDate": ("1970-01-31", (Between("job_start", 30),)),
    "jobChangedLastViewDate": ("1969-12-31", (Between("job_start", -1),)),
    "education": (
        {
            "degrees": ["MBA"],
            "fieldsOfStudy": ["Physics"],
            "schools": ["MIT", "ETH Zürich"],
            "startYearGte": 2001,
            "graduationYearLte": 2010,
        },
        (
            Words("degree", ("mba",)),
            Words("study", ("physics",)),
            Any((Words("school", ("mit",)), Words("school", ("eth", "zurich")))),
            Between("study_start", low=2001),
            Between("graduation", high=2010),
        ),
    ),
    "score": ({"minScore": 100}, (Term("points", "200"),)),
}


@pytest.mark.parametrize("name", FILTERS)
def test_an_included_filter_is_a_condition_on_the_contact(name):
    value, criterion = FILTERS[name]
    query = contacts(include={name: value})
    assert (query.where, query.excluded) == (criterion, ())


@pytest.mark.parametrize("name", FILTERS)
def test_an_excluded_filter_leaves_out_contacts_that_match_any_of_its_values(name):
    value, criterion = FILTERS[name]
    query = contacts(exclude={name: value})
    assert (query.where, query.excluded) == (All(()), (criterion,))


@pytest.mark.parametrize("name", REFINEMENTS)
def test_a_refinement_narrows_other_filters(name):
    value, criteria = REFINEMENTS[name]
    assert contacts(include={"departments": ["Sales"], name: value}).where == All((BASE, *criteria))


@pytest.mark.parametrize("name", REFINEMENTS)
def test_each_part_of_an_excluded_refinement_excludes_by_itself(name):
    value, criteria = REFINEMENTS[name]
    query = contacts(include={"departments": ["Sales"]}, exclude={name: value})
    assert (query.where, query.excluded) == (BASE, criteria)


@pytest.mark.parametrize("name", REFINEMENTS)
@pytest.mark.parametrize("side", ["include", "exclude"])
def test_a_refinement_alone_is_refused(name, side):
    assert contact_refusals({"filters": {"contacts": {side: {name: REFINEMENTS[name][0]}}}}) == [
        f"filters.contacts.{side}.{name} only refines other filters; add one that does not, such as jobTitles"
    ]


def test_a_filter_of_the_other_side_suffices_as_base_of_a_refinement():
    with_company = contacts(
        include={"score": {"minScore": 100}, "names": ["Jane"]},
    )
    assert with_company.where == All((Words("name", ("jane",)), Term("points", "200")))


@pytest.mark.parametrize(
    ("bounds", "first", "last"),
    [({"minScore": 50.5}, 102, 200), ({"maxScore": 0}, 0, 1), ({"minScore": 50, "maxScore": 50}, 100, 101)],
)
def test_a_score_filter_is_a_range_of_points(bounds, first, last):
    query = contacts(include={"departments": ["Sales"], "score": bounds})
    assert query.where == All((BASE, Any(tuple(Term("points", str(n)) for n in range(first, last + 1)))))


def test_all_data_points_may_be_required():
    filters = {"existingDataPoints": ["mobile_phone", "work_email"], "existingDataPointsCondition": "and"}
    both = All((Term("has", "mobile_phone"), Term("has", "work_email")))
    assert contacts(include=filters).where == both
    assert contacts(exclude=filters).excluded == (both,)


def test_all_signals_are_every_type():
    every = contacts(include={"signals": {"types": ["allSignals", "promotion"]}})
    assert every.where == HasSignal((signal_on_test_day("promotion"), signal_on_test_day("companyChange")))


@pytest.mark.parametrize(
    "name", ["names", "jobTitles", "jobTitlesExactMatch", "normalizedJobTitles", "skills", "previousJobTitle"]
)
def test_a_value_without_words_matches_nobody(name):
    assert contacts(include={name: [" "]}).where == NO_RECORD


def test_a_search_text_may_be_a_company_name_with_its_legal_form():
    where = contacts(include={"searchText": "Acme Inc"}).where
    assert isinstance(where, Any)
    assert where.criteria[1] == EmployedBy(Words("company_name", ("acme",)))


def test_a_search_text_without_words_matches_nobody():
    assert contacts(include={"searchText": "?!"}).where == NO_RECORD


POINTS = "must be one of: phone, work_email, mobile_phone, direct_phone"


@pytest.mark.parametrize(
    ("filters", "problem"),
    [
        (
            {"departments": ["Sales", "Sale"]},
            "departments.1 must be a known value; the nearest are: Sales, Engineering & Technical,"
            " Health Care & Medical",
        ),
        ({"seniorityIds": [11]}, "seniorityIds.0 must be one of: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"),
        ({"existingDataPoints": ["work_phone"]}, f"existingDataPoints.0 {POINTS}"),
        (
            {"existingDataPoints": ["phone"], "existingDataPointsCondition": "xor"},
            "existingDataPointsCondition must be one of: or, and",
        ),
        (
            {"linkedinUrls": ["linkedin.com/company/acme"]},
            "linkedinUrls.0 must be the URL of a LinkedIn profile, such as linkedin.com/in/jane-doe",
        ),
        (
            {"ids": ["1", "x"]},
            "ids.1 must be a record id: `v` and a version, a point and opaque text, or digits",
        ),
        (
            {"ids": ["1\n"]},
            "ids.0 must be a record id: `v` and a version, a point and opaque text, or digits",
        ),
        ({"emails": ["nobody"]}, "emails.0 must be an email"),
        ({"previousEmails": ["a@b.test", "nobody"]}, "previousEmails.1 must be an email"),
        (
            {"signals": {"types": ["hiring"]}},
            "signals.types.0 must be one of: allSignals, promotion, companyChange",
        ),
        (
            {"signals": {"types": ["promotion"], "startDate": "2026-09-22"}},
            "signals.startDate must not be in the future; today is 2026-09-21 in UTC",
        ),
        ({"signals": {"startDate": "2026-01-01"}}, "signals.types must have at least 1 element"),
        (
            {"signals": {"types": ["promotion"], "startDate": "2026-02-30"}},
            "signals.startDate must be a date that exists, YYYY-MM-DD",
        ),
        ({"jobChangedAfterDate": "20260101"}, "jobChangedAfterDate must be a date that exists, YYYY-MM-DD"),
        (
            {"jobChangedLastViewDate": "2026-W01-1"},
            "jobChangedLastViewDate must be a date that exists, YYYY-MM-DD",
        ),
        ({"score": {"minScore": 2, "maxScore": 1}}, "score.minScore must not be above maxScore"),
    ],
)
@pytest.mark.parametrize("side", ["include", "exclude"])
def test_an_invalid_value_is_refused_with_its_path(filters, problem, side):
    body = {"filters": {"contacts": {side: {"names": ["Jane"], **filters}}}}
    assert contact_refusals(body) == [f"filters.contacts.{side}.{problem}"]


def test_an_answer_lists_up_to_ten_errors():
    body = {"filters": {"contacts": {"include": {"departments": ["x"] * 12}}}}
    paths = [problem.split()[0] for problem in contact_refusals(body)]
    assert paths == [f"filters.contacts.include.departments.{place}" for place in range(10)]
