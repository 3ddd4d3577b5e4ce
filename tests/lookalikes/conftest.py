from account_fixtures import world  # noqa: F401
