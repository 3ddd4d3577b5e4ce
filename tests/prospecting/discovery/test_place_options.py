import pytest

from firmograph.prospecting.discovery.places import distance

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("query", "name", "far"),
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
def test_the_distance_of_a_name_is_that_of_its_worst_word(query, name, far):
    assert distance(query, name) == far
