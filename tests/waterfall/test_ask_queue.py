"""Asks as claimed work: lost workers, providers that rest, rates, erasures and closed accounts."""

from fake_providers import TROUBLE, FakeProvider, add_contact, balance_of, ledger_of, work

from firmograph.privacy.suppression import Suppression
from firmograph.waterfall.asks.result import AskResult
from firmograph.waterfall.providers.types import Found, Trouble
from firmograph.waterfall.worker_wiring import make_ask_queue

PHONE = Found(phones=("+1 202 555 0134",))


def ask(account, *names):
    ids = [add_contact(account, name) for name in names]
    return account.post("/v3/contacts/enrich", {"ids": ids, "reveal": ["phones"]}).json()


def claim(account):
    """Claim what is due, as a worker does that is lost before it has an answer."""
    queue = make_ask_queue(account.installation)
    return queue, queue.claim(100, account.clock.seconds())


def test_a_lost_worker_leaves_its_hold_to_the_next_one(account, enable):
    provider = FakeProvider("lost", PHONE)
    enable(provider)
    ask(account, "Abe")
    _, (first,) = claim(account)
    assert balance_of(account) == (0, 7)
    account.clock.advance(31)
    assert work(account) == 1
    assert balance_of(account) == (7, 0)
    assert [row[0] for row in ledger_of(account)] == ["hold", "capture"]
    assert [one.key for one in provider.asked] == [first.ask.token]


def test_a_worker_that_wakes_up_after_its_lease_pays_nothing(account, enable):
    enable(FakeProvider("awake", PHONE))
    ask(account, "Bob")
    queue, (late,) = claim(account)
    account.clock.advance(31)
    work(account)
    assert queue.record([AskResult(late, PHONE, 0.1)]) == []
    assert balance_of(account) == (7, 0)


def test_an_answer_is_recorded_once(account, enable):
    enable(FakeProvider("twice", PHONE))
    ask(account, "Cal")
    queue, (task,) = claim(account)
    result = AskResult(task, PHONE, 0.1)
    assert [len(queue.record([result])) for _ in range(2)] == [1, 0]
    assert balance_of(account) == (7, 0)


def test_five_failures_in_a_row_rest_a_provider_for_a_minute(account, enable):
    provider = FakeProvider("tired", TROUBLE)
    enable(provider)
    ask(account, *(f"Dee{letter}" for letter in "abcde"))
    work(account)
    assert len(provider.asked) == 5
    provider.answer = PHONE
    ask(account, "Eve")
    account.clock.advance(50)
    work(account)
    assert len(provider.asked) == 5
    account.clock.advance(11)
    work(account)
    assert balance_of(account) == (6 * 7, 0)


def test_too_many_requests_count_as_no_failure(account, enable):
    provider = FakeProvider("busy", Trouble("too many requests", retry_after_seconds=5, counts=False))
    enable(provider)
    ask(account, *(f"Fox{letter}" for letter in "abcdef"))
    work(account)
    provider.answer = PHONE
    account.clock.advance(6)
    work(account)
    assert balance_of(account) == (6 * 7, 0)


def test_while_a_provider_does_not_answer_the_next_one_is_asked(account, enable):
    down, up = FakeProvider("broken", TROUBLE), FakeProvider("works", PHONE)
    enable(down, up)
    ask(account, "Gus")
    work(account)
    assert (len(down.asked), len(up.asked)) == (1, 1)
    assert balance_of(account) == (7, 0)


def test_the_rate_of_a_provider_holds_over_all_workers(account, enable):
    provider = FakeProvider("limited", PHONE, rate=2)
    enable(provider)
    ask(account, *(f"Hal{letter}" for letter in "abcdefgh"))
    now = account.clock.seconds()
    starts = []
    for _ in range(2):
        _, tasks = claim(account)
        starts += [task.starts_at - now for task in tasks]
    assert starts == [0.0, 0.5, 1.0]


def test_a_person_who_is_suppressed_while_asked_for_is_dropped(account, enable):
    enable(FakeProvider("forget", PHONE))
    ask(account, "Ida")
    queue, (task,) = claim(account)
    suppression = account.installation.get(Suppression)
    suppression.suppress(suppression.person(linkedin="https://www.linkedin.com/in/ida-doe"))
    assert balance_of(account) == (0, 0)
    assert queue.record([AskResult(task, PHONE, 0.1)]) == []
    assert balance_of(account) == (0, 0)
    assert [row[0] for row in ledger_of(account)] == ["hold", "release"]


def test_a_closed_account_holds_nothing_and_asks_no_more(account, enable):
    provider = FakeProvider("closing", PHONE)
    enable(provider)
    ask(account, "Joe")
    queue, (task,) = claim(account)
    account.accounts.close(account.account)
    assert balance_of(account)[1] == 0
    assert queue.record([AskResult(task, PHONE, 0.1)]) == []
    assert [row[0] for row in ledger_of(account)] == ["hold", "release"]


def test_a_provider_that_raises_is_asked_again_later(account, enable):
    def fail(person):
        raise OSError

    provider = FakeProvider("raising", fail)
    enable(provider)
    ask(account, "Kay")
    assert work(account) == 0
    account.clock.advance(60)
    provider.answer = PHONE
    work(account)
    assert balance_of(account) == (7, 0)
