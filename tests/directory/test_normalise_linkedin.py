import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.normalise.linkedin import linkedin_slug, linkedin_url

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    "text",
    [
        "https://www.linkedin.com/in/jane-doe",
        "http://linkedin.com/in/jane-doe/",
        "HTTPS://WWW.LinkedIn.com/in/Jane-Doe",
        "www.linkedin.com/in/jane-doe",
        "linkedin.com/in/jane-doe/en",
        "//linkedin.com/in/jane-doe",
        "https://uk.linkedin.com/in/jane-doe?trk=x&y=z",
        "https://m.linkedin.com/in/jane-doe#top",
        "https://www.linkedin.com/mwlite/in/jane-doe",
        "https://www.linkedin.com/in/jane-doe/detail/recent-activity/",
        "https://www.linkedin.com/in/jane%2Ddoe",
        "https://www.linkedin.com/pub/jane-doe",
        "in/jane-doe",
        "/in/jane-doe/",
        " jane-doe ",
    ],
)
def test_a_person_has_one_slug(text):
    assert linkedin_slug(text, "in") == "in/jane-doe"


@pytest.mark.parametrize("page", ["company", "school", "showcase", "company-beta"])
def test_every_kind_of_organisation_is_a_company(page):
    assert linkedin_slug(f"https://www.linkedin.com/{page}/Acme/about/", "company") == "company/acme"


@pytest.mark.parametrize("text", ["acme", "company/acme", "linkedin.com/company/acme"])
def test_a_company_may_be_given_in_a_short_form(text):
    assert linkedin_slug(text, "company") == "company/acme"


def test_an_old_address_becomes_its_successor():
    assert (
        linkedin_slug("http://sy.linkedin.com/pub/jane-doe/a7/576/b50?trk=x", "in") == "in/jane-doe-b50576a7"
    )


def test_names_in_other_scripts_are_decoded_and_composed():
    assert linkedin_slug("https://www.linkedin.com/in/zo%C3%AB", "in") == "in/zoë"
    assert linkedin_slug("https://www.linkedin.com/in/ZOE\u0308", "in") == "in/zoë"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "in"),
        ("https://www.linkedin.com/", "in"),
        ("https://www.linkedin.com/in/", "in"),
        ("https://www.linkedin.com/in/%FF", "in"),
        ("https://www.linkedin.com/in/a%2Fb", "in"),
        ("https://www.linkedin.com/in/a%2541", "in"),
        ("https://www.linkedin.com/company/acme", "in"),
        ("https://www.linkedin.com/in/jane-doe", "company"),
        ("https://www.linkedin.com/feed/", "in"),
        ("https://www.linkedin.com/pub/dir/jane/doe", "in"),
        ("https://www.linkedin.com.example.com/in/jane-doe", "in"),
        ("https://example.com/in/jane-doe", "in"),
        ("https://example.com/?linkedin.com/in/jane-doe", "in"),
        ("jane doe", "in"),
        ("in/jane\ud800", "in"),
        ("in/" + "j" * 201, "in"),
        ("https://www.linkedin.com/in/jane-doe?" + "x" * 2048, "in"),
        ("acme.com", "company"),
    ],
)
def test_anything_else_is_none(text, kind):
    assert linkedin_slug(text, kind) is None


@given(st.text(min_size=1, max_size=30), st.sampled_from(["in", "company"]))
def test_a_slug_is_recovered_from_its_address(name, kind):
    slug = linkedin_slug(f"https://www.linkedin.com/{kind}/{name}", kind)
    if slug is not None:
        assert linkedin_slug(linkedin_url(slug), kind) == slug
        assert linkedin_slug(slug, kind) == slug


@given(st.from_regex(r"\A[a-z0-9][a-z0-9-]{0,60}\Z"))
def test_a_plain_name_is_its_own_slug(name):
    assert linkedin_slug(name, "in") == "in/" + name
    assert linkedin_url("in/" + name) == "https://www.linkedin.com/in/" + name


def test_the_address_of_a_slug_is_percent_encoded():
    assert linkedin_url("in/zoë") == "https://www.linkedin.com/in/zo%C3%AB"


@pytest.mark.parametrize(
    "start",
    [
        "https:/www.",
        "http:/",
        "https:///www.",
        "https//www.",
        "//www.",
        "https:www.",
        "HTTPS:/WWW.",
        "https:/uk.",
    ],
)
def test_the_slashes_of_a_scheme_may_be_too_few_or_too_many(start):
    assert linkedin_slug(f"{start}linkedin.com/in/ada-lowe", "in") == "in/ada-lowe"


@pytest.mark.parametrize(
    ("groups", "slug"),
    [
        ("1/2/3", "x-00300201"), ("1/2", "x-00000201"), ("1", "x-00000001"), ("a7/576/b50", "x-b50576a7"),
        ("4/5a/6b7", "x-6b705a04"), ("0a/b/c", "x-00c00b0a"),
    ],
)  # fmt: skip
def test_the_groups_of_an_old_address_are_padded_with_zeros(groups, slug):
    assert linkedin_slug(f"https://www.linkedin.com/pub/x/{groups}", "in") == f"in/{slug}"


@pytest.mark.parametrize("tail", ["a7/576/b50/c", "123", "a7/5766/b50", "xyz", "a7//b50"])
def test_other_parts_behind_an_old_address_are_no_groups(tail):
    assert linkedin_slug(f"https://www.linkedin.com/pub/x/{tail}", "in") is None
