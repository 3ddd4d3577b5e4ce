"""Labels, linked pages and addresses of posts (docs/reference/signals.md#posts)."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.signals.events import CompanyReference, PersonReference, Post, Topic
from firmograph.signals.posts.analysis import (
    deduplicate_references,
    find_author_slug,
    merge_repeated_post,
    post_key,
    read_post,
    remove_mentions,
    strip_tracking,
)
from firmograph.signals.posts.topics import load_topics

pytestmark = pytest.mark.no_database

TOPICS = load_topics()
JANE = PersonReference(None, "Jane Doe", "https://www.linkedin.com/in/jane-doe")
SAM = PersonReference(None, "Sam Roe", "https://www.linkedin.com/in/sam-roe")
ACME = CompanyReference(None, "Acme", "https://www.linkedin.com/company/acme")
POST = Post(
    "2025-06-01", "Technology Discussion", [Topic("APIs", "Technology")], JANE, [SAM], [ACME],
    "https://x.test/1", "Sam and APIs", 3, 2, 1, "post",
)  # fmt: skip


def read(text):
    return read_post(text, TOPICS)


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("Kubernetes is eating the data center", "Technology Discussion"),
        ("Payroll, OKRs and a bit of Kubernetes", "Human Resources Discussion"),
        ("We're hiring Kubernetes experts", "Hiring"),
        ("Join us at our webinar about Kubernetes. We are hiring, too", "Hiring"),
        ("Kubernetes in production: register now", "Event"),
        ("Our Kubernetes operator is now available", "Product Announcement"),
        ("We raised a Series B for Kubernetes", "Funding Announcement"),
        ("Partnering with Acme on Kubernetes", "Partnership Announcement"),
        ("Our Kubernetes team won an award", "Recognition"),
        ("Good morning", "Discussion"),
    ],
)
def test_the_label_comes_from_the_first_matching_rule_or_else_the_commonest_category(text, sort):
    assert read(text).category == sort


def test_linked_pages_are_found_in_any_spelling():
    reading = read(
        "Thanks https://www.linkedin.com/in/Jane-Doe/, linkedin.com/in/sam-roe?x=1 "
        "(https://de.linkedin.com/in/zo%C3%AB). At https://linkedin.com/company/acme/posts. "
        "And LinkedIn.com/school/mit! And again linkedin.com/in/jane-doe."
    )
    assert reading.people == ["in/jane-doe", "in/sam-roe", "in/zoë"]
    assert reading.companies == ["company/acme", "company/mit"]


@pytest.mark.parametrize(
    "text",
    ["notlinkedin.com/in/jane", "linkedin.com/jobs/view/1", "linkedin.com/in/", "@jane-doe", "in/jane-doe"],
)
def test_other_texts_are_no_pages(text):
    assert (read(text).people, read(text).companies) == ([], [])


def test_at_most_fifty_pages_of_a_text_are_read():
    assert len(read(" ".join(f"linkedin.com/in/p{n}" for n in range(1000))).people) == 50


@given(st.text(st.sampled_from("linkedin.com/company/in%C3 \n?#"), max_size=300))
def test_any_text_can_be_read(text):
    assert all(slug.startswith("in/") for slug in read(text).people)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.linkedin.com/posts/jane-doe_cloud-is-activity-7123456789012345678-AbCd?utm_source=share",
        "https://www.linkedin.com/feed/update/urn:li:activity:7123456789012345678/",
        "http://linkedin.com/feed/update/urn%3Ali%3Aactivity%3A7123456789012345678",
    ],
)
def test_all_addresses_of_one_activity_are_one_post(url):
    assert post_key(url) == "activity:7123456789012345678"


def test_the_query_of_other_sites_is_part_of_the_key_and_scheme_and_www_are_not():
    assert post_key("https://www.x.test/Post/?id=1#top") == post_key("http://X.test/Post?id=1")
    assert post_key("https://x.test/post?id=1") != post_key("https://x.test/post?id=2")
    assert post_key("https://x.test/Post") != post_key("https://x.test/post")


def test_an_address_is_shown_without_its_tracking_query():
    assert (
        strip_tracking("https://www.linkedin.com/posts/a_b?rcm=1#x") == "https://www.linkedin.com/posts/a_b"
    )
    assert strip_tracking("https://x.test/post?id=1#x") == "https://x.test/post?id=1"


def test_an_address_can_contain_its_author():
    assert find_author_slug("https://www.linkedin.com/posts/Jane-Doe_cloud-activity-1") == "in/jane-doe"
    assert find_author_slug("https://www.linkedin.com/feed/update/urn:li:activity:7") is None
    assert find_author_slug("https://x.test/posts/jane-doe_cloud") is None


def test_removing_a_person_removes_the_summary():
    remaining = remove_mentions(POST, lambda person: person == SAM)
    assert (remaining.contacts_mentioned, remaining.activity_summary) == ([], None)
    assert (
        msgspec.structs.replace(remaining, contacts_mentioned=[SAM], activity_summary="Sam and APIs") == POST
    )
    assert remove_mentions(POST, lambda person: person == JANE) is POST


def test_a_post_imported_again_keeps_its_figures_and_gains_new_mentions():
    other = PersonReference(None, "", "https://www.linkedin.com/in/ann")
    again = msgspec.structs.replace(
        POST, contacts_mentioned=[other], activity_likes=99, activity_summary="New"
    )
    assert merge_repeated_post(POST, again) == msgspec.structs.replace(POST, contacts_mentioned=[other, SAM])


def test_records_added_since_are_linked_in_a_post_imported_again():
    known = msgspec.structs.replace(
        POST,
        author=msgspec.structs.replace(JANE, id=1),
        contacts_mentioned=[msgspec.structs.replace(SAM, id=2)],
        companies_mentioned=[msgspec.structs.replace(ACME, id=3)],
    )
    assert merge_repeated_post(POST, known) == known
    assert merge_repeated_post(known, POST) == known


def test_a_row_with_another_author_does_not_change_a_post():
    assert (
        merge_repeated_post(POST, msgspec.structs.replace(POST, author=SAM, contacts_mentioned=[JANE]))
        is POST
    )


PEOPLE = st.builds(
    PersonReference,
    st.none() | st.integers(1, 3),
    st.sampled_from(["", "Ann", "Bob"]),
    st.sampled_from(["https://www.linkedin.com/in/ann", "https://www.linkedin.com/in/bob"]),
)


@given(st.data(), st.lists(PEOPLE, max_size=6))
def test_named_people_do_not_depend_on_the_order_of_mentions(data, people):
    shuffled = data.draw(st.permutations(people))
    pages = [person.linkedin_url for person in deduplicate_references(people)]
    assert pages == sorted(set(pages)) == [person.linkedin_url for person in deduplicate_references(shuffled)]
