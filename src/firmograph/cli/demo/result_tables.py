"""Tables of the answers in the demonstration."""

from typing import Any

from rich.table import Table


def previews(results: list[dict[str, Any]]) -> Table:
    table = Table("asked by", "found", "title", "employer", "can reveal")
    for one in results:
        if "error" in one:
            table.add_row(one["clientReferenceId"], f"[dim]{one['error']['code']}[/dim]", "", "", "")
        else:
            table.add_row(
                one["clientReferenceId"],
                f"{one['firstName']} {one['lastName']}",
                one.get("jobTitle", {}).get("title", ""),
                one.get("company", {}).get("name", ""),
                ", ".join(one["canReveal"]),
            )
    return table


def prospected(results: list[dict[str, Any]]) -> Table:
    table = Table("name", "title", "employer", "state")
    for one in results:
        table.add_row(
            f"{one['firstName']} {one['lastName']}",
            one.get("jobTitle", {}).get("title", ""),
            one.get("company", {}).get("name", ""),
            one.get("location", {}).get("state", ""),
        )
    return table


def people(results: list[dict[str, Any]]) -> Table:
    table = Table("name", "seniority", "e-mails", "phones")
    for one in results:
        table.add_row(
            one["fullName"],
            one.get("jobTitle", {}).get("seniority", ""),
            "\n".join(email["email"] for email in one["emails"]),
            "\n".join(phone["number"] for phone in one["phones"]),
        )
    return table


def companies(results: list[dict[str, Any]]) -> Table:
    table = Table("asked by", "company", "industry", "owner", "ultimate owner", "open jobs")
    for one in results:
        if "error" in one:
            table.add_row(one["clientReferenceId"], f"[dim]{one['error']['code']}[/dim]", "", "", "", "")
        else:
            table.add_row(
                one["clientReferenceId"],
                one["name"],
                one.get("industry", ""),
                (one["directParent"] or {}).get("name", "independent"),
                (one["ultimateParent"] or {}).get("name", ""),
                str(one.get("openJobs", {}).get("total", "")),
            )
    return table


_SHOWN = ("changeRatePercent", "department", "state", "eventSummary", "activitySummary")
"""What tells most of an event, in this order."""


def signals(results: list[dict[str, Any]]) -> Table:
    table = Table("company", "signal", "date", "what")
    for one in results:
        for type, events in one.items():
            for event in events if isinstance(events, list) else ():
                day = (
                    event.get("signalDate")
                    or event.get("articlePublishedDate")
                    or event["activityPublicationDate"]
                )
                what = ", ".join(
                    _as_text(name, event[name]) for name in _SHOWN if event.get(name) is not None
                )
                table.add_row(one["companyName"], type, day, what)
    return table


def _as_text(name: str, value: object) -> str:
    return f"{value:+} %" if name == "changeRatePercent" else str(value)


def scores(results: list[dict[str, Any]]) -> Table:
    table = Table("company", "score", "active")
    for one in results:
        score_text = one.get("error", {}).get("code") or f"{one['signalScore']:.2f}"
        table.add_row(
            one.get("name") or one.get("domain", ""), score_text, ", ".join(one.get("signalTypes", ()))
        )
    return table


def moves(results: list[dict[str, Any]]) -> Table:
    table = Table("name", "employer", "signals")
    for one in results:
        name = f"{one['firstName']} {one['lastName']}"
        table.add_row(name, one.get("company", {}).get("name", ""), ", ".join(one.get("signalTypes", ())))
    return table


def lookalikes(results: list[dict[str, Any]]) -> Table:
    table = Table("name", "title or industry", "employer or domain")
    for one in results:
        if "firstName" in one:
            name, title = f"{one['firstName']} {one['lastName']}", one.get("jobTitle", {}).get("title", "")
            table.add_row(name, title, one.get("company", {}).get("name", ""))
        else:
            table.add_row(one["name"], one.get("industry", ""), one.get("domain", ""))
    return table


def buying_groups(results: list[dict[str, Any]]) -> Table:
    table = Table("company", "name", "title", "roles", "score")
    for group in results:
        for one in group["contacts"]:
            table.add_row(
                one["company"]["name"],
                f"{one['firstName']} {one['lastName']}",
                one.get("jobTitle", {}).get("title", ""),
                ", ".join(one["roles"]),
                f"{one['score']:.2f}",
            )
    return table


def table_rows(rows: list[dict[str, Any]]) -> Table:
    table = Table(*(cell["name"] for cell in rows[0]["columns"]))
    for row in rows:
        table.add_row(*(str(cell["value"] or cell["status"]) for cell in row["columns"]))
    return table


def website_visits(results: list[dict[str, Any]]) -> Table:
    table = Table("company", "score", "sessions", "visitors", "minutes each", "intent pages", "last visit")
    for one in results:
        table.add_row(
            one["name"],
            f"{one['score']} ({one['scoreBand']})",
            str(one["totalSessions"]),
            str(one["uniqueVisitors"]),
            str(one["avgSessionMinutes"]),
            str(one["highIntentPageviews"]),
            one["lastVisit"],
        )
    return table


def conversations(results: list[dict[str, Any]]) -> Table:
    table = Table("conversation", "day", "summary", "action items", "coaching")
    for one in results:
        items = "\n".join(item["text"] for item in one["actionItems"][:2])
        score = str(one["coaching"]["overallScore"]) if one["coaching"] else ""
        table.add_row(one["title"], one["startedAt"][:10], one["summary"] or "", items, score)
    return table


def transcript(segments: list[dict[str, Any]]) -> Table:
    table = Table("second", "speaker", "words")
    for one in segments:
        table.add_row(f"{one['startSeconds']:.0f}", one["speaker"], one["text"])
    return table
