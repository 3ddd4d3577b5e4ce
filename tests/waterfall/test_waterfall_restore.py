"""The data waterfall in a restore of an older backup, and the recipients of people."""

import pytest
from fake_providers import FakeProvider, FakeProviders, add_contact, balance_of, in_place_of_the_file, work

from backed_up_service import BackedUpService
from firmograph.privacy.suppression import Suppression
from firmograph.waterfall.administration import WaterfallAdministration
from firmograph.waterfall.asks import value_store
from firmograph.waterfall.asks.result import AskResult
from firmograph.waterfall.providers.types import Found
from firmograph.waterfall.worker_wiring import make_ask_queue
from program_fixtures import quick_programs

__all__ = ["quick_programs"]
pytestmark = pytest.mark.usefixtures("quick_programs")

PHONE = Found(phones=("+1 202 555 0134",))


class Restored(BackedUpService):
    """The application with a provider, and a backup of it."""

    def __init__(self, service, folder):
        super().__init__(service, folder)
        self.account_id = service.accounts.find(service.account).id
        self.administration = service.installation.get(WaterfallAdministration)
        self.administration.enable(self.account_id, ["alpha", "beta"])

    def ask(self, name):
        body = {"ids": [add_contact(self.service, name)], "reveal": ["phones"]}
        return self.service.post("/v3/contacts/enrich", body).json()

    def recipients(self):
        with self.service.database.read() as session:
            return [(one.provider, one.last_at) for one in value_store.select_recipients(session)]


@pytest.fixture
def restored(make_service, tmp_path):
    with in_place_of_the_file(FakeProviders()) as providers:
        providers.add(FakeProvider("alpha", PHONE), FakeProvider("beta"))
        yield Restored(make_service(waterfall_wait_seconds=0), tmp_path)


def test_who_was_asked_since_the_backup_is_still_known(restored):
    add_contact(restored.service, "Ada")
    restored.back_up()
    restored.ask("Ada")
    work(restored.service)
    asked = restored.recipients()
    assert [name for name, _ in asked] == ["alpha"]
    restored.restore()
    assert restored.recipients() == asked


def test_a_provider_disabled_since_the_backup_stays_disabled(restored):
    restored.back_up()
    restored.administration.disable(restored.account_id, ["alpha"])
    restored.restore()
    assert [one.enabled.name for one in restored.administration.list(restored.account_id)] == ["beta"]


def test_an_ask_of_the_backup_is_asked_again_and_the_worker_of_before_pays_nothing(restored):
    restored.ask("Bea")
    queue = make_ask_queue(restored.service.installation)
    (task,) = queue.claim(10, restored.service.clock.seconds())
    restored.back_up()
    restored.restore()
    assert queue.record([AskResult(task, PHONE, 0.1)]) == []
    assert balance_of(restored.service) == (0, 7)
    work(restored.service)
    assert balance_of(restored.service) == (7, 0)


def test_a_person_suppressed_since_the_backup_has_no_value_or_ask_in_a_restore(restored):
    restored.ask("Cid")
    work(restored.service)
    restored.ask("Dan")
    restored.back_up()
    suppression = restored.service.installation.get(Suppression)
    for name in ("cid", "dan"):
        suppression.suppress(suppression.person(linkedin=f"https://www.linkedin.com/in/{name}-doe"))
    restored.restore()
    assert restored.recipients() == []
    assert work(restored.service) == 0
    assert balance_of(restored.service) == (7, 0)
