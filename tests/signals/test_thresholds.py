import pytest

from firmograph.kit.errors import Refused
from firmograph.signals.thresholds import load_thresholds

pytestmark = pytest.mark.no_database


@pytest.fixture
def file(tmp_path):
    return tmp_path / "thresholds.toml"


def test_a_value_of_the_operator_replaces_only_its_packaged_value(file):
    file.write_text("[headcount]\nrate_1m = 40\n")
    packaged, own = load_thresholds(), load_thresholds(str(file))
    assert own.headcount.rate_1m == 40 != packaged.headcount.rate_1m
    assert own.headcount.rate_3m == packaged.headcount.rate_3m
    assert own.traffic == packaged.traffic


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[headcount]\nrate_2m = 5\n", "rate_2m"),
        ("[heads]\nrate = 5\n", "heads"),
        ("[traffic]\nrate = 0\n", "traffic.rate"),
        ("[traffic]\nrate = 'much'\n", "traffic.rate"),
        ("traffic = 5\n", "traffic"),
        ("[traffic\n", "is not TOML"),
    ],
)
def test_an_invalid_file_is_refused_by_its_name_and_the_field(file, text, expected):
    file.write_text(text)
    with pytest.raises(Refused) as refused:
        load_thresholds(str(file))
    assert str(file) in refused.value.message
    assert expected in refused.value.message


def test_a_missing_file_is_refused(file):
    with pytest.raises(Refused, match="cannot be read"):
        load_thresholds(str(file))
