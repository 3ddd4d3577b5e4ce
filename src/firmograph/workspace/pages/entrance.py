"""Coming in and going: sign-in, one-time links, the choice of an account, and the visitor's own login."""

from typing import Final

from firmograph.kit.errors import BadRequest, FirmographError, NotFound, TooManyRequests, Unauthorized
from firmograph.logins.links import Links
from firmograph.logins.service import Sessions
from firmograph.logins.types import NewSession
from firmograph.workspace import AT
from firmograph.workspace.answers import Answer, HtmlPage, Redirect
from firmograph.workspace.browser import own_path
from firmograph.workspace.visit import Visit

_START: Final = Redirect(AT)


def show_sign_in(visit: Visit) -> Answer:
    following = own_path(visit.query.get("next", AT))
    if visit.session is not None:
        return Redirect(following)
    return _sign_in_page(following, "", "")


def sign_in(visit: Visit) -> Answer:
    email, following = visit.typed("email"), own_path(visit.typed("next"))
    try:
        new = visit.installation.get(Sessions).sign_in(email, visit.typed("password"), visit.network)
    except Unauthorized as error:
        return _sign_in_page(following, email, error.message, error.status)
    return Redirect(following, new.token)


def _sign_in_page(following: str, email: str, problem: str, status: int = 200) -> HtmlPage:
    return HtmlPage("sign_in.html", {"next": following, "email": email, "problem": problem}, status)


def sign_out(visit: Visit) -> Answer:
    visit.installation.get(Sessions).sign_out(visit.token)
    return Redirect(f"{AT}/sign-in", "")


def show_link(visit: Visit) -> Answer:
    return _link_page(visit)


def use_link(visit: Visit) -> Answer:
    """Use a one-time link; it stays usable as long as the form does not fit."""
    links, token = visit.installation.get(Links), visit.parameters["token"]
    link, has_login = links.find(token)
    password = visit.typed("password")
    try:
        asks_twice = link.kind != "invitation" or not has_login
        if asks_twice and password != visit.typed("repeated"):
            raise BadRequest("The two passwords differ")
        new: NewSession
        if link.kind == "first-run":
            new = links.start(token, visit.typed("email"), password, visit.typed("account"))
        elif link.kind == "invitation":
            new = links.accept(token, password, visit.network)
        else:
            new = links.set_password(token, password)
    except TooManyRequests:
        raise
    except FirmographError as error:
        if error.status >= 500 or error.status == 410:
            raise
        return _link_page(visit, error.message, 400)
    return Redirect(AT, new.token)


def _link_page(visit: Visit, problem: str = "", status: int = 200) -> HtmlPage:
    links = visit.installation.get(Links)
    link, has_login = links.find(visit.parameters["token"])
    names_account = link.kind == "first-run" and links.needs_account()
    values = {
        "link": link,
        "has_login": has_login,
        "names_account": names_account,
        "account": "" if link.account_id is None else links.account_name(link.account_id),
        "typed_email": visit.typed("email"),
        "typed_account": visit.typed("account"),
        "problem": problem,
    }
    return HtmlPage("link.html", values, status)


def show_accounts(visit: Visit) -> Answer:
    return HtmlPage("accounts.html")


def choose_account(visit: Visit) -> Answer:
    chosen = visit.typed("account")
    found = next((one for one in visit.memberships if str(one.account_id) == chosen), None)
    if found is None:
        raise NotFound("You are no user of this account")
    visit.installation.get(Sessions).choose_account(visit.token, found.account_id)
    return _START


# --- the visitor's own login ---


def show_login(visit: Visit) -> Answer:
    return _login_page(visit)


def change_password(visit: Visit) -> Answer:
    new = visit.typed("password")
    try:
        if new != visit.typed("repeated"):
            raise BadRequest("The two new passwords differ")
        visit.installation.get(Sessions).change_password(
            visit.token, visit.state.login, visit.typed("current"), new, visit.network
        )
    except BadRequest as error:
        return _login_page(visit, problem=error.message, status=400)
    return _login_page(visit, done="The password was changed, and your other sessions have ended.")


def sign_out_others(visit: Visit) -> Answer:
    visit.installation.get(Sessions).sign_out_others(visit.token, visit.state.login)
    return Redirect(f"{AT}/login")


def _login_page(visit: Visit, *, problem: str = "", done: str = "", status: int = 200) -> HtmlPage:
    sessions = visit.installation.get(Sessions).list_sessions(visit.token, visit.state.login)
    return HtmlPage("login.html", {"sessions": sessions, "problem": problem, "done": done}, status)
