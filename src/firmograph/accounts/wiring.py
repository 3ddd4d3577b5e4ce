"""Services of accounts that commands also use."""

from typing import Final

from firmograph.accounts.service import Accounts
from firmograph.billing.plans import Plans
from firmograph.installation import Installation, Services


def _accounts(installation: Installation) -> Accounts:
    return Accounts(
        installation.database,
        installation.get(Plans),
        installation.clock,
        packages=lambda: installation.accounts,
    )


SERVICES: Final[Services] = {Accounts: _accounts}
