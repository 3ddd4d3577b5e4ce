"""Histories of lookalike calls on two nodes, compared with a model in plain Python.

A call may be overtaken: while it asks the index, other calls are answered on the other node. It may be refused, end
with its process, or be repeated under its key; people are suppressed, time passes, and sessions are purged.
"""

import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch
from uuid import UUID

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import database_fixtures
from effort import examples
from firmograph.accounts.service import Accounts
from firmograph.api.endpoint import Call
from firmograph.billing import ledger
from firmograph.billing.idempotency import Idempotency
from firmograph.billing.plans import Plans
from firmograph.caller import ApiKeyCaller
from firmograph.database.connection import AccountSession, Database
from firmograph.indexing.follower import IndexFollower
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import BadRequest, Conflict, Expired, PaymentRequired
from firmograph.lookalikes.index.factory import ServedSimilarity
from firmograph.lookalikes.model.training import ensure_model
from firmograph.lookalikes.server_wiring import SERVER
from firmograph.lookalikes.worker_wiring import WORKER
from firmograph.security.record_ids import Entity, RecordIds
from index_fixtures import settle
from installation_factory import installation_of, make_suppression
from lookalike_fixtures import load
from record_factory import KEYRING

PEOPLE, COMPANIES, SEEDS = 16, 13, 5
DAY = 86_400
DAYS = 30
RECORD_IDS = RecordIds(KEYRING)
KINDS = {"contacts": Entity.CONTACT, "companies": Entity.COMPANY}
COMPANY_HOST = ("domains", "company{}.example.com")
keep = Idempotency.keep


class Crash(BaseException):
    """A simulated end of the process, as far as the transaction can tell."""


class Request(NamedTuple):
    account: str
    kind: str
    earlier: bool
    session: str
    """`none`, `own`, `any` (also of the other account or kind), or `unknown`."""
    place: int
    """Which of these sessions, counted from the last."""
    first_seed: int
    limit: int


class Session(NamedTuple):
    id: str
    account: str
    kind: str
    results: list
    used_at: list
    """Time of the last answer alone."""


requests = st.builds(
    Request,
    account=st.sampled_from(["First", "First", "First", "Second"]),
    kind=st.sampled_from(["contacts", "contacts", "contacts", "companies"]),
    earlier=st.booleans(),
    session=st.sampled_from(["own", "own", "own", "own", "none", "none", "any", "unknown"]),
    place=st.integers(0, 2),
    first_seed=st.sampled_from([1, 1, 6]),
    limit=st.sampled_from([1, 2, 4, 6, 11]),
)
limits = st.sampled_from([1, 3, 11])


class Answers(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = SetClock()
        self.database = Database(database_fixtures.copy(directory(), self.folder))
        self.installation = installation_of(self.database, self.clock)
        served = self.installation.get(ServedSimilarity)
        self.follower = IndexFollower(self.database, self.clock, [served.local])
        settle(self.follower)
        index = served.active.current
        self.similar, index.similar = index.similar, self.ask
        other = installation_of(self.database, self.clock)
        # the index of both nodes is watched by one history
        other._services[ServedSimilarity] = served
        endpoints = [SERVER.endpoints(node) for node in (self.installation, other)]
        self.nodes = [{each.path: each for each in node} for node in endpoints]
        self.overtaking: list[Request] = []
        self.sessions: list[Session] = []
        self.purged: set[str] = set()
        self.suppressed: set[int] = set()
        self.cached: dict[tuple, tuple] = {}
        self.granted: dict[str, int] = defaultdict(int)
        self.billed: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self.calls = 0
        self.crashing = ""

    @initialize()
    def two_accounts(self):
        accounts, plan = self.installation.get(Accounts), self.installation.get(Plans).named("unlimited")
        self.callers = {
            name: ApiKeyCaller(accounts.create(name, "unlimited", 0).id, plan, "names")
            for name in ("First", "Second")
        }
        for name in self.callers:
            self.grant(name, 6)

    def teardown(self):
        self.database.close()
        database_fixtures.drop(self.database.url)
        shutil.rmtree(self.folder)

    def grant(self, name, credits):
        self.installation.get(Accounts).grant(name, credits)
        self.granted[name] += credits

    @rule(name=st.sampled_from(["First", "Second"]), credits=st.integers(1, 8))
    def credits_are_granted(self, name, credits):
        self.grant(name, credits)

    @rule(
        days=st.sampled_from([0, 1, 1, DAYS - 1, DAYS]),
        number=st.integers(-PEOPLE, PEOPLE),
        follows=st.booleans(),
    )
    def time_passes(self, days, number, follows):
        """Let days pass, with a purge of sessions; perhaps a person is suppressed, which the index may not know yet."""
        self.clock.advance(days * DAY)
        (job,) = WORKER.periodic_jobs(self.installation)
        with self.database.write(None) as session:
            while job.part(session, self.clock.seconds()):
                pass
        self.purged |= {each.id for each in self.sessions if not self.lives(each)}
        if number > 0 and number not in self.suppressed:
            suppression = make_suppression(self.database, KEYRING, self.clock)
            suppression.suppress(suppression.person(email=f"person{number - 1}@people.example.com"))
            self.suppressed.add(number)
        if follows:
            settle(self.follower)

    @rule(request=requests, key=st.none() | st.sampled_from(["one", "two"]))
    def call(self, request, key):
        self.make(request, self.session_of(request), 0, key)

    @rule(request=requests, key=st.none() | st.just("three"))
    def call_and_crash(self, request, key):
        self.make(request, self.session_of(request), 0, key, crashes=True)

    @rule(request=requests, overtaken_by=st.lists(limits, min_size=1, max_size=2))
    def call_that_is_overtaken(self, request, overtaken_by):
        """Make a call that is overtaken by others of its session while it asks the index."""
        known = self.session_of(request)
        self.overtaking = [(request._replace(limit=limit), known) for limit in overtaken_by]
        self.make(request, known, 0)
        self.overtaking = []

    def session_of(self, request):
        """Return the session that a request names, if there is such a one."""
        sessions = [
            each
            for each in reversed(self.sessions)
            if request.session == "any" or (each.account, each.kind) == (request.account, request.kind)
        ]
        named = request.session in ("own", "any") and sessions
        return sessions[request.place % len(sessions)] if named else None

    def ask(self, *arguments):
        """Answer for the index; first the calls that overtake this one are made on the other node."""
        overtaking, self.overtaking = self.overtaking, []
        for request, known in overtaking:
            self.make(request, known, 1)
        return self.similar(*arguments)

    # --- one call ---

    def make(self, request, known, node, key=None, *, crashes=False):
        """Make one call as an endpoint does, and compare it with the model as it is once the call has ended."""
        self.calls += 1
        request_id = f"request {self.calls}"
        text = known.id if known else str(UUID(int=1)) if request.session == "unknown" else None
        path = f"/v3/lookalike/{request.kind}" if request.earlier else f"/v3/{request.kind}/lookalike"
        endpoint = self.nodes[node][path]
        with patch.object(Idempotency, "keep", self.keep):
            self.crashing = request_id if crashes else self.crashing
            try:
                response = endpoint.function(self.decoded(endpoint, request, text, key, request_id)).run()
            except Crash:
                assert crashes
                return
            except Conflict:
                assert self.earlier_answer(request, path, key)[0] != self.body(request, text)
                return
            except Expired:
                assert text
                assert not self.may_use(request, known)
                return
            except BadRequest:
                assert not self.seeds(request) - self.gone(request)
                return
            except PaymentRequired:
                left = self.granted[request.account] - sum(c for _, c in self.billed[request.account])
                assert -(-min(request.limit, len(self.expected(request, known))) // 5) > left
                return
        self.check(request, path, key, known, text, request_id, msgspec.json.decode(response.body), response)

    def check(self, request, path, key, known, text, request_id, answer, response):
        numbers = [RECORD_IDS.open(KINDS[request.kind], result["id"]) for result in answer["results"]]
        assert answer["meta"]["returned"] == answer["billing"]["resultsReturned"] == len(numbers)
        assert request.earlier is ("creditsCharged" in answer)
        cached = self.earlier_answer(request, path, key)
        if cached:
            before, first, shown = cached
            assert before == self.body(request, text)
            assert numbers == [number for number in shown if number not in self.gone(request)]
            assert response.credits == 0
            for name in ("dedupeSessionId", "requestId"):
                assert answer[name] == first[name]
            assert answer["billing"]["creditsCharged"] == first["billing"]["creditsCharged"]
            return
        if text is not None:
            assert self.may_use(request, known)
        left = self.expected(request, known)
        assert len(numbers) == len(set(numbers)) == min(request.limit, len(left))
        assert set(numbers) <= left
        assert answer["meta"]["hasMore"] is (len(left) > len(numbers))
        assert response.credits == answer["billing"]["creditsCharged"] == -(-len(numbers) // 5)
        assert answer["requestId"] == request_id
        self.remember(request, known, numbers, answer["dedupeSessionId"])
        self.billed[request.account].append((request_id, response.credits))
        if key:
            at = self.clock.seconds()
            self.cached[request.account, path, key] = (self.body(request, text), answer, numbers, at)

    def remember(self, request, known, numbers, id):
        now = self.clock.seconds()
        if known is not None:
            assert id == known.id
            known.results.extend(numbers)
            known.used_at[:] = [now]
        elif numbers:
            assert id not in {each.id for each in self.sessions}
            self.sessions.append(Session(id, request.account, request.kind, list(numbers), [now]))
        else:
            assert id is None

    @property
    def keep(self):
        def keep_or_crash(idempotency, session, request, response):
            if request.id == self.crashing:
                raise Crash
            keep(idempotency, session, request, response)

        return keep_or_crash

    def body(self, request, text):
        kind, host = ("emails", "person{}@people.example.com") if request.kind == "contacts" else COMPANY_HOST
        seeds = [host.format(number - 1) for number in sorted(self.seeds(request))]
        return {"seeds": {kind: seeds}, "limit": request.limit} | ({"dedupeSessionId": text} if text else {})

    def decoded(self, endpoint, request, text, key, request_id):
        raw = self.body(request, text)
        scope = {"method": "POST", "path_params": {}, "query_string": b""}
        return Call(
            request_id,
            self.callers[request.account],
            msgspec.convert(raw, endpoint.body),
            msgspec.json.encode(raw),
            key,
            endpoint.path,
            self.clock.seconds(),
            scope,
        )

    # --- the model ---

    def earlier_answer(self, request, path, key):
        cached = self.cached.get((request.account, path, key))
        return cached[:3] if cached and cached[3] + DAY > self.clock.seconds() else None

    def lives(self, session):
        return session.used_at[0] + DAYS * DAY > self.clock.seconds()

    def may_use(self, request, known):
        return (
            known is not None
            and (known.account, known.kind) == (request.account, request.kind)
            and self.lives(known)
        )

    def seeds(self, request):
        return set(range(request.first_seed, request.first_seed + SEEDS))

    def gone(self, request):
        return self.suppressed if request.kind == "contacts" else set()

    def expected(self, request, known):
        """Return the records that a call may answer."""
        everything = set(range(1, (PEOPLE if request.kind == "contacts" else COMPANIES) + 1))
        left_out = set(known.results) if known else set()
        return everything - self.seeds(request) - self.gone(request) - left_out

    # --- invariants ---

    @invariant()
    def no_session_has_a_result_twice(self):
        for session in self.sessions:
            assert len(session.results) == len(set(session.results))

    @invariant()
    def the_ledger_is_what_was_answered(self):
        with self.database.read() as session:
            for name, caller in getattr(self, "callers", {}).items():
                entries = [entry for _, entry in ledger.entries(AccountSession(session, caller.account_id))]
                charged = [(e.request_id, e.credits) for e in entries if e.kind == "charge"]
                assert charged == [bill for bill in self.billed[name] if bill[1]]
                assert ledger.balance(AccountSession(session, caller.account_id)).remaining >= 0

    @invariant()
    def the_stored_sessions_are_those_of_the_answers(self):
        with self.database.read() as session:
            rows = session.raw.execute("SELECT id, results FROM lookalike_sessions").fetchall()
        stored = {bytes(id).hex(): results for id, results in rows}
        assert stored == {
            each.id.replace("-", ""): len(each.results)
            for each in self.sessions
            if each.id not in self.purged
        }


_folder = tempfile.TemporaryDirectory(prefix="firmograph-lookalikes-")
_directory: list[str] = []


def directory() -> str:
    """Return the URL of a database with the records, to copy."""
    if not _directory:
        database = Database(database_fixtures.fresh(Path(_folder.name), "lookalikes"))
        load(database, PEOPLE, COMPANIES)
        ensure_model(database, SetClock())
        database.close()
        _directory.append(database.url)
    return _directory[0]


Answers.TestCase.settings = settings(max_examples=examples(50), stateful_step_count=25)
TestLookalikeHistories = Answers.TestCase
