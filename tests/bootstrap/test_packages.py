"""The one list of packages, and the package that shows what adding one touches."""

import re
import tomllib
from pathlib import Path

import pytest

import firmograph
from firmograph.bootstrap.packages import PACKAGES, registrations
from firmograph.caller import Price
from firmograph.installation import Registration, packaged_prices

pytestmark = pytest.mark.no_database

SOURCE = Path(firmograph.__file__).parent


def test_every_registration_is_of_a_package_in_the_list_and_every_package_of_the_list_has_one():
    assert sorted(PACKAGES) == sorted(file.parent.name for file in SOURCE.glob("*/registration.py"))


def test_every_wiring_module_is_named_by_a_registration():
    named = {
        module
        for one in registrations().values()
        for module in (*one.services, one.server, one.worker, one.accounts)
        if module
    }
    files = {f"firmograph.{file.parent.name}.{file.stem}" for file in SOURCE.glob("*/*wiring.py")}
    assert named == files


def test_the_signal_score_is_named_outside_its_package_by_the_list_of_packages_and_columns_of_scores_only():
    naming = {
        file.relative_to(SOURCE).as_posix()
        for file in SOURCE.rglob("*")
        if file.suffix in (".py", ".toml", ".lua")
        and re.search("signal_?score", file.read_text(), re.IGNORECASE)
        # the demonstration shows answers of all packages
        and not {"signal_score", "demo"} & set(file.relative_to(SOURCE).parts)
    }
    assert naming == {"bootstrap/packages.py", "record_tables/columns/score_kind.py"}


def test_the_list_names_the_signal_score_once():
    assert (SOURCE / "bootstrap" / "packages.py").read_text().count("signal_score") == 1


def test_a_price_key_of_two_packages_is_an_error_that_names_the_second():
    price = Registration(prices={"revealFax": Price(credits=1, per_quantity=1)})
    with pytest.raises(ValueError, match="fax registers revealFax"):
        packaged_prices({"phones": price, "fax": price})


def test_the_prices_of_a_package_are_those_of_its_registration():
    prices = packaged_prices({"signal_score": registrations()["signal_score"]})
    assert sorted(prices) == ["signalScoreCompany", "signalScoreContact"]


def test_no_packaged_price_is_that_of_a_package():
    packaged = tomllib.loads((SOURCE / "billing" / "plans.toml").read_text())["pricing"]
    assert packaged
    assert packaged.keys().isdisjoint(packaged_prices(registrations()))
