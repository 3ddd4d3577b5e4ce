"""Background work of accounts: monthly credits."""

from collections.abc import Sequence
from typing import Final

from firmograph.accounts import store
from firmograph.billing import monthly_credits
from firmograph.billing.plans import Plans
from firmograph.database.connection import AccountSession, Session, account_scope
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import JobPart, ScopedJob

_RENEWAL_SECONDS: Final = 60.0


def renewal_job(plans: Plans) -> ScopedJob:
    """Return the job, one account a part; accounts whose plan is not configured keep what they have."""
    names = sorted(plan.name for plan in plans)
    monthly = sorted(plan.name for plan in plans if plan.credits_per_month)

    def find(session: Session, now: float) -> JobPart | None:
        found = store.select_renewable(session, names, now)
        if found is None and monthly:
            found = store.select_without_period(session, monthly)
        if found is None:
            return None
        account_id = found[0]

        def pay(session: Session, now: float) -> int:
            account = store.select_account(session, account_id)
            # another process may have changed it since
            plan = plans.find(account.plan) if account and account.active else None
            return plan is not None and monthly_credits.renew(AccountSession(session, account_id), plan, now)

        return JobPart([account_scope(account_id)], pay)

    return ScopedJob("renew-credits", _RENEWAL_SECONDS, find, "Pay monthly credits and expire unused ones")


def _periodic_jobs(installation: Installation) -> Sequence[ScopedJob]:
    return [renewal_job(installation.get(Plans))]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)
