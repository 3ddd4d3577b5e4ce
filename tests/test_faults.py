"""The faults that `scripts/plant_faults.py` plants."""

from collections import Counter
from pathlib import Path

import pytest
from scripts import plant_faults

from selection import ROOT

pytestmark = pytest.mark.any_database

FAULTS = plant_faults.read_faults()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_replaces_a_text_that_stands_in_the_package(fault):
    source = (Path(ROOT) / "src" / "firmograph" / fault.file).read_text("utf-8")
    assert plant_faults.plant(fault, source) != source


def test_there_are_twenty_faults_and_more_in_four_areas():
    assert len(FAULTS) >= 20
    assert set(Counter(fault.area for fault in FAULTS)) == {"money", "privacy", "matching", "paging"}


def test_a_fault_whose_text_is_gone_is_told_by_its_name():
    with pytest.raises(ValueError, match=f"no longer holds the text of '{FAULTS[0].name}'"):
        plant_faults.plant(FAULTS[0], "other code")
