from account_fixtures import world

__all__ = ["world"]
