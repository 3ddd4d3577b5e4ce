from account_fixtures import world  # noqa: F401
from forked_workers import forked_workers  # noqa: F401
