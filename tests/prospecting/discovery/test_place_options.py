import pytest

from firmograph.prospecting.discovery.places import distance

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("asked", "name", "far"),
    [
        ("new y", "new york", 0),
        ("york new", "new york", 1),
        ("york", "new york", 1),
        ("germ", "germany", 0),
        ("grem", "germany", 2),
        ("gemany", "germany", 2),
        ("gemayn", "germany", None),
        ("califronia", "california", 2),
        ("clifronia", "california", 3),
        ("clifornai", "california", 3),
        ("untied sta", "united states", 2),
        ("untied sat", "united states", None),
        ("usb", "usa", None),
    ],
)
def test_names_are_as_far_from_a_text_as_their_worst_word(asked, name, far):
    assert distance(asked, name) == far
