"""The operator's area: accounts, their plans and credits. It opens nothing inside an account."""

from typing import Any

from firmograph.accounts.service import Accounts
from firmograph.billing.plans import Plans
from firmograph.database.connection import ACCOUNTS
from firmograph.kit.errors import Refused
from firmograph.logins.links import Links
from firmograph.operator_audit.service import OperatorAudit
from firmograph.workspace import AT
from firmograph.workspace.answers import Answer, HtmlPage, Redirect
from firmograph.workspace.visit import Visit


def _audit(visit: Visit) -> OperatorAudit:
    return OperatorAudit(f"login {visit.state.login.id}")


def show_accounts(visit: Visit) -> Answer:
    return _accounts_page(visit)


def create_account(visit: Visit) -> Answer:
    """Make an account, and an invitation for its first admin if one is named."""
    installation = visit.installation
    credits, email = visit.typed("credits").strip(), visit.typed("email").strip()
    try:
        if credits and not (credits.isascii() and credits.isdigit()):
            raise Refused("Credits: write a whole number")
        token = ""
        with installation.database.write(ACCOUNTS) as session:
            accounts = installation.get(Accounts).joined(session, _audit(visit))
            made = accounts.create(visit.typed("name"), visit.typed("plan"), int(credits or 0))
            if email:
                new = installation.get(Links).invite(
                    session, made.id, email, "admin", f"login {visit.state.login.id}"
                )
                token = new.token
    except Refused as error:
        return _accounts_page(visit, problem=error.message, status=error.status)
    return _accounts_page(visit, token=token) if token else Redirect(f"{AT}/operator")


def change_credits(visit: Visit) -> Answer:
    """Grant credits, or take them back if their number is negative; the reason is recorded."""
    text = visit.typed("credits").strip()
    number = text.removeprefix("-")
    account = visit.parameters["account_id"]
    try:
        if not (number.isascii() and number.isdigit()):
            raise Refused("Credits: write a whole number, below 0 to take them back")
        with visit.installation.database.write(ACCOUNTS) as session:
            accounts = visit.installation.get(Accounts).joined(session, _audit(visit))
            if text.startswith("-"):
                accounts.adjust(account, int(number), visit.typed("reason"))
            else:
                accounts.grant(account, int(number), visit.typed("reason"))
    except Refused as error:
        return _accounts_page(visit, problem=error.message, status=error.status)
    return Redirect(f"{AT}/operator")


def _accounts_page(visit: Visit, *, problem: str = "", token: str = "", status: int = 200) -> HtmlPage:
    values: dict[str, Any] = {
        "accounts": visit.installation.get(Accounts).all(),
        "plans": sorted(plan.name for plan in visit.installation.get(Plans)),
        "problem": problem,
        "link": f"{visit.installation.settings.public_url}{AT}/link/{token}" if token else "",
        "typed": {
            name: visit.typed(name) if problem else "" for name in ("name", "plan", "credits", "email")
        },
    }
    return HtmlPage("operator.html", values, status)
