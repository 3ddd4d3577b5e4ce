import pytest
from admin_calls import Operator

from firmograph.admin.operator_keys import OperatorKeys


@pytest.fixture(scope="module")
def admin_service(make_shared_service):
    return make_shared_service(admin_api=True)


@pytest.fixture
def operator(admin_service):
    """Return a program with a key of its own."""
    new = admin_service.installation.get(OperatorKeys).create("shop")
    return Operator(admin_service.client, new.operator_key)


@pytest.fixture
def account(admin_service):
    """Return the number of a new account, as a text."""
    return str(admin_service.accounts.find(admin_service.with_account(credits=10).account).id)
