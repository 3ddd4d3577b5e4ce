"""Background work of accounts: monthly credits, the erasure of closed accounts, and old counts of requests."""

from collections.abc import Sequence
from typing import Final

from firmograph.accounts import store
from firmograph.accounts.activity import delete_old_activity
from firmograph.accounts.activity_store import delete_activity
from firmograph.accounts.request_counts import delete_old_counts
from firmograph.billing import monthly_credits
from firmograph.billing.plans import Plans
from firmograph.database.connection import AccountSession, Session, account_scope
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, JobPart, PeriodicJob, ScopedJob

_RENEWAL_SECONDS: Final = 60.0
_ERASURE_SECONDS: Final = 3_600.0
_KEPT_SECONDS: Final = 30 * 86_400.0
"""Time for which a closed account keeps its content."""


def renewal_job(plans: Plans) -> ScopedJob:
    """Return the job, one account a part; accounts whose plan is not configured keep their credits."""
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
            own = AccountSession(session, account_id)
            return plan is not None and (
                monthly_credits.renew(own, plan, now) or monthly_credits.begin(own, plan, now)
            )

        return JobPart([account_scope(account_id)], pay)

    return ScopedJob("renew-credits", _RENEWAL_SECONDS, find, "Pay monthly credits and expire unused ones")


def erasure_job(installation: Installation) -> ScopedJob:
    """Return the job, whose parts erase the content of a closed account package by package, and last its users."""

    def find(session: Session, now: float) -> JobPart | None:
        account_id = store.select_erasable(session, now - _KEPT_SECONDS)
        if account_id is None:
            return None

        def erase(session: Session, now: float) -> int:
            own = AccountSession(session, account_id)
            amount = sum(package.erase(own, now) for package in installation.accounts)
            if not amount:
                delete_activity(own)
                store.delete_users(own)
                store.update_erased(session, account_id, now)
            return amount or 1

        return JobPart([account_scope(account_id)], erase)

    return ScopedJob("erase-closed-accounts", _ERASURE_SECONDS, find, "Erase the content of closed accounts")


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob | ScopedJob]:
    def forget(session: Session, now: float) -> int:
        return delete_old_counts(session, now, PART_ROWS)

    def forget_activity(session: Session, now: float) -> int:
        return delete_old_activity(session, now, PART_ROWS)

    return [
        renewal_job(installation.get(Plans)),
        erasure_job(installation),
        PeriodicJob("forget-usage-days", 3_600.0, forget, "Delete counts of requests after 400 days"),
        PeriodicJob("forget-activity", 3_600.0, forget_activity, "Delete activity of users after 180 days"),
    ]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)
