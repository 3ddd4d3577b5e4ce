"""Jobs of contact enrich without a provider."""

from firmograph.database.connection import AccountSession, account_scope
from firmograph.waterfall.asks import ask_store
from firmograph.waterfall.types import Job


def put_job(service) -> str:
    """Store a job that covers nothing for the account of a service, and return its id."""
    account_id, now = service.accounts.find(service.account).id, service.clock.seconds()
    with service.database.write(account_scope(account_id)) as session:
        ask_store.insert_job(AccountSession(session, account_id), Job(0, "a job", now, 1), [])
    return "a job"
