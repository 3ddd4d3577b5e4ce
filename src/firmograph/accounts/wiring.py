"""Services of accounts that commands also use."""

from typing import Final

from firmograph.accounts.service import Accounts
from firmograph.accounts.usage_push import UsagePush
from firmograph.accounts.usage_report import UsageReports
from firmograph.billing.plans import Plans
from firmograph.installation import Installation, Services


def _accounts(installation: Installation) -> Accounts:
    return Accounts(
        installation.database,
        installation.get(Plans),
        installation.clock,
        packages=lambda: installation.accounts,
    )


def _usage_reports(installation: Installation) -> UsageReports:
    return UsageReports(installation.database)


def _usage_push(installation: Installation) -> UsagePush:
    return UsagePush(installation.database, installation.clock)


SERVICES: Final[Services] = {Accounts: _accounts, UsageReports: _usage_reports, UsagePush: _usage_push}
