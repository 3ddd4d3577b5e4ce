import subprocess
import sys
from pathlib import Path

import pytest
from scripts.check_wording import refused_words

pytestmark = [pytest.mark.any_database, pytest.mark.folders("scripts")]

INSTEAD = {"colour": "color", "grey": "gray"}


def test_a_refused_word_is_found_in_any_case():
    assert list(refused_words("fine\nColour it", INSTEAD)) == [(2, "Colour", "color")]


def test_a_longer_word_that_contains_a_refused_one_is_accepted():
    assert list(refused_words("colours, greyhound", INSTEAD)) == []


def test_the_project_uses_no_refused_word():
    script = Path(__file__).parents[1] / "scripts" / "check_wording.py"
    checked = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
