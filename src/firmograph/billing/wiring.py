"""Plans, which commands on accounts use without charging."""

from typing import Final

from firmograph.billing.plans import Plans, read_plans
from firmograph.installation import Installation, Services, packaged_prices


def _plans(installation: Installation) -> Plans:
    return read_plans(packaged_prices(installation.registrations), installation.settings.plans_file)


SERVICES: Final[Services] = {Plans: _plans}
