from person_tables import company_table, people, people_table

from account_fixtures import world

__all__ = ["company_table", "people", "people_table", "world"]
