"""Logins after a restore: sessions and links end, and what was withdrawn since the backup stays so."""

import pytest

from firmograph.kit.errors import Unauthorized
from firmograph.logins import store
from firmograph.logins.administration import LoginAdministration
from firmograph.logins.passwords import Passwords
from firmograph.logins.service import Sessions
from firmograph.logins.throttle import Throttle
from firmograph.operator_audit.service import OperatorAudit

ANN, BOB = "ann@example.com", "bob@example.com"
OLD, NEW = "the password before", "the password after"


@pytest.fixture
def logins(installation):
    return LoginAdministration(
        installation.database, installation.clock, Passwords(), installation.accounts, OperatorAudit("test")
    )


@pytest.fixture
def sessions(installation):
    throttle = Throttle(installation.database, installation.clock, b"k" * 32)
    return Sessions(installation.database, installation.clock, Passwords(), throttle)


def test_sessions_end(installation, file, logins, sessions):
    logins.add_operator(ANN, OLD)
    token = sessions.sign_in(ANN, OLD, b"").token
    backup_file = installation.back_up(file)
    installation.restore(backup_file)
    assert sessions.read(token) is None
    assert sessions.sign_in(ANN, OLD, b"").login.email == ANN


def test_a_newer_password_stays(installation, file, logins, sessions):
    logins.add_operator(ANN, OLD)
    backup_file = installation.back_up(file)
    installation.clock.advance(60)
    new = sessions.sign_in(ANN, OLD, b"")
    sessions.change_password(new.token, new.login, OLD, NEW, b"")
    installation.restore(backup_file)
    with pytest.raises(Unauthorized):
        sessions.sign_in(ANN, OLD, b"")
    assert sessions.sign_in(ANN, NEW, b"").login.email == ANN


def test_a_withdrawn_operator_stays_so(installation, file, logins):
    logins.add_operator(ANN, OLD)
    logins.add_operator(BOB, OLD)
    backup_file = installation.back_up(file)
    logins.remove_operator(ANN)
    installation.restore(backup_file)
    assert [one.email for one in logins.operators()] == [BOB]


def test_an_operator_who_was_made_since_the_backup_is_gone(installation, file, logins):
    backup_file = installation.back_up(file)
    logins.add_operator(ANN, OLD)
    installation.restore(backup_file)
    assert not store.has_logins(installation.database.session())
