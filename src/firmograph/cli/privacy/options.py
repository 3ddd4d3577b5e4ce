"""Options of commands about people."""

from pathlib import Path
from typing import Annotated

import typer

Email = Annotated[str | None, typer.Option("--email", help="E-mail address of the person.")]
LinkedIn = Annotated[str | None, typer.Option("--linkedin", help="URL of the person's LinkedIn profile.")]
Id = Annotated[str | None, typer.Option("--id", help="The person's record id in API responses.")]
Phone = Annotated[
    str | None,
    typer.Option("--phone", help="Telephone number with its country code; all contacts are read for it."),
]
Name = Annotated[str | None, typer.Option("--name", help="First and last name, with --company.")]
Company = Annotated[str | None, typer.Option("--company", help="Name or domain of an employer, with --name.")]
All = Annotated[bool, typer.Option("--all", help="All people with the identifier, if there are several.")]
PeopleFile = Annotated[
    Path | None,
    typer.Option(
        "--file",
        metavar="FILE",
        help="CSV or JSON Lines with a person a line: email, linkedinUrl, id, phone, or names and company.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
