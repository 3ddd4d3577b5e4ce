"""Deletion of conversations past the retention."""

from conversation_factory import put, transcript
from firmograph.bootstrap.background import periodic_jobs
from firmograph.jobs.scheduler import JobWorker

SEARCH = "/v3/account/conversations/search"


def sweep(service):
    worker = JobWorker(service.database, service.clock, periodic_jobs(service.installation))
    while worker.step():
        pass


def dates(service, **asked):
    return [one["startedAt"][:10] for one in service.post(SEARCH, asked).json()["results"]]


def put_days(service):
    put(service, {day: transcript(("Bob", "hello"), day=day) for day in ("2026-09-20", "2026-09-21")})
    old = {f"old{number}": transcript(("Bob", "hello"), day="2026-09-19T23:59:59") for number in range(12)}
    put(service, old)


def test_conversations_from_before_the_retention_are_deleted_with_their_words(make_service):
    service = make_service(retention_conversation_days=1)
    put_days(service)
    sweep(service)
    assert dates(service) == dates(service, query="hello") == ["2026-09-21", "2026-09-20"]
    assert service.database.session().raw.execute(
        "SELECT count(*) FROM conversation_transcripts"
    ).fetchone() == (2,)


def test_conversations_are_kept_by_default(make_service):
    service = make_service()
    put_days(service)
    sweep(service)
    assert len(dates(service)) == 14
