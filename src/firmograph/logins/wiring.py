"""Services of logins."""

from typing import Final

from firmograph.accounts.service import Accounts
from firmograph.installation import Installation, Services
from firmograph.logins.administration import LoginAdministration
from firmograph.logins.links import Links
from firmograph.logins.passwords import Passwords
from firmograph.logins.service import Sessions
from firmograph.logins.throttle import Throttle


def _passwords(installation: Installation) -> Passwords:
    return Passwords()


def _sessions(installation: Installation) -> Sessions:
    throttle = Throttle(installation.database, installation.clock, installation.keyring.hash_key())
    return Sessions(installation.database, installation.clock, installation.get(Passwords), throttle)


def _links(installation: Installation) -> Links:
    return Links(
        installation.database,
        installation.clock,
        installation.get(Accounts),
        installation.get(Passwords),
        installation.get(Sessions),
    )


def _administration(installation: Installation) -> LoginAdministration:
    return LoginAdministration(
        installation.database, installation.clock, installation.get(Passwords), installation.get(Accounts)
    )


SERVICES: Final[Services] = {
    Passwords: _passwords,
    Sessions: _sessions,
    Links: _links,
    LoginAdministration: _administration,
}
