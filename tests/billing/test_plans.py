import pytest

from firmograph.bootstrap.packages import load_plans
from firmograph.caller import Price
from firmograph.kit.errors import Forbidden, Refused

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("name", "minute", "hour", "day"),
    [
        ("free", 40, None, 100),
        ("starter", 40, None, 100),
        ("pro", 50, 150, 1_500),
        ("premium", 300, 1_800, 18_000),
        ("scale", 300, 5_000, 50_000),
        ("legacy", 300, 600, 6_000),
    ],
)
def test_each_plan_has_its_windows_and_25_requests_a_second(name, minute, hour, day):
    plan = load_plans().named(name)
    assert (plan.second, plan.minute, plan.hour, plan.day) == (25, minute, hour, day)


def test_the_unlimited_plan_has_no_window_that_a_caller_could_exhaust():
    plan = load_plans().named("unlimited")
    assert plan.second is None
    assert min(plan.minute, plan.hour, plan.day) == 1_000_000_000


def test_previews_are_free_and_reveals_cost_the_decided_prices():
    plan = load_plans().named("pro")
    costs = {action: price.total(1) for action, price in plan.prices.items()}
    assert costs["contactSearch"] == costs["companySearch"] == 0
    assert costs["revealEmail"] == costs["revealCompany"] == costs["revealCompanyPremiumData"] == 1
    assert costs["revealPhone"] == 5
    assert len(costs) == 18


@pytest.mark.parametrize(("quantity", "credits"), [(0, 0), (1, 2), (25, 2), (26, 4), (50, 4), (51, 6)])
def test_a_price_applies_to_each_started_block(quantity, credits):
    assert Price(credits=2, per_quantity=25).total(quantity) == credits


def _load(tmp_path, text):
    path = tmp_path / "plans.toml"
    path.write_text(text)
    return load_plans(str(path))


def test_the_operators_file_changes_a_price_for_every_plan_and_for_one(tmp_path):
    plans = _load(
        tmp_path,
        """
        [pricing]
        contactSearch = { credits = 1 }
        [plans.pro.pricing]
        revealPhone = { credits = 9 }
        """,
    )
    assert {plan.price("contactSearch") for plan in plans} == {Price(credits=1, per_quantity=25)}
    assert plans.named("pro").price("revealPhone") == Price(credits=9, per_quantity=1)
    assert plans.named("scale").price("revealPhone") == Price(credits=5, per_quantity=1)


def test_the_operators_file_adds_a_plan_and_changes_a_window(tmp_path):
    plans = _load(tmp_path, "[plans.gold]\nminute = 7\nday = 70\ncategory = 'Gold'\n[plans.pro]\nday = 2\n")
    gold, pro = plans.named("gold"), plans.named("pro")
    assert (gold.second, gold.minute, gold.hour, gold.day, gold.category) == (25, 7, None, 70, "Gold")
    assert gold.price("revealEmail").total(3) == 3
    assert (pro.minute, pro.hour, pro.day, pro.category) == (50, 150, 2, "pro")


def test_every_feature_is_open_on_every_plan_but_waterfall_on_free():
    closed = {
        (plan.name, feature)
        for plan in load_plans()
        for feature, is_open in plan.features.items()
        if not is_open
    }
    assert closed == {("free", "waterfall")}


def test_the_operators_file_closes_a_feature_for_every_plan_and_opens_it_for_one(tmp_path):
    plans = _load(tmp_path, "[features]\nexcludeDnc = false\n[plans.pro.features]\nexcludeDnc = true\n")
    plans.named("pro").check("excludeDnc")
    with pytest.raises(Forbidden, match="excludeDnc is not part of the account's plan") as refused:
        plans.named("scale").check("excludeDnc")
    assert refused.value.errors == ("excludeDnc",)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[features]\nexcludeDncs = false", "excludeDncs"),
        ("[plans.pro.features]\nexclude = false", "exclude"),
        ("[plans.pro.features]\nexcludeDnc = 3", "features"),
        ("[pricing]\nrevealEmial = { credits = 2, perQuantity = 1 }", "revealEmial"),
        ("[plans.pro.pricing]\nrevealFax = { credits = 2, perQuantity = 1 }", "revealFax"),
        ("[plans.pro]\nminutes = 3", "minutes"),
        ("[plans.gold]\nminute = 3", "day"),
        ("[plans.pro]\nminute = 0", "minute"),
        ("[pricing]\nrevealEmail = { credits = -1 }", "credits"),
        ("[plans.pro]\ncredits_per_month = -1", "credits_per_month"),
        ("[plans.pro]\ncredits_per_month = 2.5", "credits_per_month"),
        ('[plans.pro]\nunused = "roll"', "unused"),
        ("[pricing]\nrevealEmail = 3", "revealEmail"),
        ("plans = 3", "plans"),
        ("pricing = 3", "pricing"),
        ("[plans", "not TOML"),
    ],
)
def test_an_invalid_file_is_refused_with_the_path_of_the_error(tmp_path, text, named):
    with pytest.raises(Refused) as refused:
        _load(tmp_path, text)
    assert named in refused.value.message
    assert "plans.toml" in refused.value.message


def test_a_missing_file_is_refused_rather_than_ignored(tmp_path):
    with pytest.raises(Refused, match=r"missing\.toml cannot be read"):
        load_plans(str(tmp_path / "missing.toml"))


def test_an_unknown_plan_is_refused_with_the_existing_names():
    with pytest.raises(Refused, match="free, starter, pro, premium, scale, legacy, unlimited"):
        load_plans().named("platinum")


def test_a_plan_with_monthly_credits_is_shown_as_renewed_monthly(tmp_path):
    plan = _load(tmp_path, "[plans.pro]\ncredits_per_month = 1000").named("pro")
    assert (plan.credits_per_month, plan.unused, plan.renewal) == (1_000, "expire", "monthly")
    assert load_plans().named("pro").renewal == "none"
