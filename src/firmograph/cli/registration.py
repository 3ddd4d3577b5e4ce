"""Registration of the command line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.privacy.declarations import FileData, PersonalData

    return [
        PersonalData(
            "cli",
            files=(
                FileData(
                    "cli.output",
                    "records that an operator exports",
                    "stays where the operator has put it",
                ),
                FileData("cli.privacy.deletion_lists", "ids of lines of a deletion list, and their statuses"),
                FileData(
                    "cli.privacy.commands",
                    "all data of a person, as the operator exports it",
                    "stays where the operator has put it",
                ),
                FileData("cli.import_people", "ids of joined records and names of their sources"),
                *(
                    FileData(
                        module,
                        "records and rows of tables that an operator exports",
                        "stays where the operator has put it",
                    )
                    for module in ("cli.files", "kit.table_files.parquet_file")
                ),
                FileData("cli.demo.data_files", "open data of the package, in a folder that the user names"),
                FileData(
                    "cli.demo.installation", "key of the demonstration's account, and the data's version"
                ),
                FileData(
                    "cli.demo.second_server",
                    "made-up people and a key of the second server, until the demonstration ends",
                ),
                FileData("serving.start", "counts for metrics, while the server runs"),
                FileData("kit.outage", "an empty file while the database server cannot be reached"),
            ),
        )
    ]


REGISTRATION = Registration(personal_data=_personal_data)
