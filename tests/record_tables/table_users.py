"""Users of accounts who call the table endpoints."""

import json

from server_fixtures import Service


class TableUser:
    """User of the service's account who calls the endpoints of one kind of tables."""

    def __init__(self, service: Service, email: str, kind: str = "contacts") -> None:
        self.service = service
        self.key = service.key
        self.email = email
        self.kind = kind
        self.owner = {"email": email}

    @property
    def account(self) -> str:
        """The name of the account."""
        return self.service.account

    @property
    def account_id(self) -> int:
        return self.service.accounts.find(self.account).id

    def of_kind(self, kind: str) -> "TableUser":
        return TableUser(self.service, self.email, kind)

    def call(self, method: str, path: str, body=None, params=None, **headers: str):
        """Call a path that follows `/v3/{type}/tables`."""
        return self.service.client.request(
            method,
            f"/v3/{self.kind}/tables{path}",
            content=None if body is None else json.dumps(body),
            params=params,
            headers={"api_key": self.key, "content-type": "application/json", **headers},
        )

    def create(self, name: str = "People", *, idempotency_key: str = "", **members):
        headers = {"idempotency-key": idempotency_key} if idempotency_key else {}
        return self.call("POST", "", {"name": name, "owner": self.owner, **members}, **headers)

    def table(self, name: str = "People", **members) -> dict:
        """Create a table and return its status."""
        answer = self.create(name, **members)
        assert answer.status_code == 201, answer.text
        return answer.json()["data"]

    def list_tables(self, **members):
        return self.call("POST", "/list", {"owner": self.owner, **members})

    def names(self, **members) -> list[str]:
        answer = self.list_tables(**members)
        assert answer.status_code == 200, answer.text
        return [table["name"] for table in answer.json()["data"]]

    def get(self, table_id: str):
        return self.call("GET", f"/{table_id}", params={"email": self.email})

    def change(self, table_id: str, **members):
        return self.call("PATCH", f"/{table_id}", {"owner": self.owner, **members})

    def delete(self, table_id: str):
        return self.call("DELETE", f"/{table_id}", params={"email": self.email})

    def add_rows(self, table_id: str, *ids: str, **members):
        headers = {"idempotency-key": key} if (key := members.pop("idempotency_key", "")) else {}
        body = {"entityIds": list(ids), "owner": self.owner, **members}
        return self.call("POST", f"/{table_id}/entities", body, **headers)

    def remove_rows(self, table_id: str, *ids: str):
        return self.call("DELETE", f"/{table_id}/entities", {"entityIds": list(ids), "owner": self.owner})

    def get_rows(self, table_id: str, *, idempotency_key: str = "", **query):
        headers = {"idempotency-key": idempotency_key} if idempotency_key else {}
        params = {"email": self.email, **query}
        return self.call("GET", f"/{table_id}/entities", params=params, **headers)

    def row_ids(self, table_id: str, **query) -> list[str]:
        answer = self.get_rows(table_id, **query)
        assert answer.status_code == 200, answer.text
        return [row["id"] for row in answer.json()["data"]]


def new_account(service: Service, *emails: str, credits: int = 1_000, plan: str = "unlimited"):
    """Create an account of a name of its own and return a user for each address."""
    own = service.with_account(plan=plan, credits=credits)
    for email in emails:
        own.accounts.add_user(own.account, email)
    return [TableUser(own, email) for email in emails]
