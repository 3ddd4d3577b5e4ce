"""Table of all pages with their audiences."""

from typing import Final

from firmograph.workspace.pages import (
    access,
    entrance,
    home,
    operator,
    record_signals,
    records,
    search,
    suggestions,
    usage,
)
from firmograph.workspace.route import Route

ROUTES: Final = (
    Route("GET", "/", "member", home.show_home),
    Route("GET", "/search/{kind:str}", "member", search.show_search),
    Route("POST", "/search/{kind:str}", "member", search.submit_search),
    Route("POST", "/search/{kind:str}/total", "member", search.show_total),
    Route("POST", "/search/{kind:str}/results", "member", search.buy_results),
    Route("GET", "/{kind:str}/{record:str}", "member", records.show_record),
    Route("POST", "/{kind:str}/{record:str}/events", "member", record_signals.open_events),
    Route("POST", "/{kind:str}/prices", "member", records.show_prices),
    Route("POST", "/{kind:str}/reveal", "member", records.reveal),
    Route("POST", "/{kind:str}/add", "member", records.add_to_table),
    Route("GET", "/suggestions/{values:str}", "member", suggestions.show_suggestions),
    Route("GET", "/sign-in", "anybody", entrance.show_sign_in),
    Route("POST", "/sign-in", "anybody", entrance.sign_in),
    Route("POST", "/sign-out", "login", entrance.sign_out),
    Route("GET", "/link/{token:str}", "anybody", entrance.show_link),
    Route("POST", "/link/{token:str}", "anybody", entrance.use_link),
    Route("GET", "/accounts", "login", entrance.show_accounts),
    Route("POST", "/accounts", "login", entrance.choose_account),
    Route("GET", "/keys", "manager", access.show_keys),
    Route("POST", "/keys", "manager", access.create_key),
    Route("POST", "/keys/{prefix:str}/revoke", "manager", access.revoke_key),
    Route("GET", "/usage", "manager", usage.show_usage),
    Route("GET", "/usage.csv", "manager", usage.download_usage),
    Route("GET", "/users", "admin", access.show_users),
    Route("POST", "/users", "admin", access.invite_user),
    Route("POST", "/users/invitation", "admin", access.withdraw_invitation),
    Route("POST", "/users/role", "admin", access.change_role),
    Route("POST", "/users/remove", "admin", access.remove_user),
    Route("GET", "/activity", "admin", access.show_activity),
    Route("GET", "/login", "login", entrance.show_login),
    Route("POST", "/login/password", "login", entrance.change_password),
    Route("POST", "/login/sign-out-others", "login", entrance.sign_out_others),
    Route("GET", "/operator", "operator", operator.show_accounts),
    Route("POST", "/operator/accounts", "operator", operator.create_account),
    Route("POST", "/operator/accounts/{account_id:str}/credits", "operator", operator.change_credits),
)
