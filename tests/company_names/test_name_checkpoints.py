import pytest

from firmograph.company_names.index_kind import COMPANY_NAMES
from firmograph.directory.records import Company, Location
from firmograph.indexing.checkpoints import Checkpoints
from record_factory import load_companies

pytestmark = pytest.mark.any_database


def test_a_loaded_checkpoint_has_the_same_content(database):
    load_companies(
        database,
        "test",
        [
            Company(name="Zorblatt Intl (Japan)", alternative_names=["Zorblatt", "ゾルブラット"]),
            Company(name="Quux", location=Location(country_iso2="DE"), domain="quux.example"),
        ],
    )
    checkpoints = Checkpoints(COMPANY_NAMES, database)
    built = checkpoints.renew().built
    loaded = checkpoints.load()
    assert loaded is not None
    assert loaded.applied == built.applied
    assert loaded.content() == built.content()
    assert loaded.find("Zorblatt International", 0.94, 0.05) == built.find(
        "Zorblatt International", 0.94, 0.05
    )
