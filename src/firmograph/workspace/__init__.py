"""Pages of an account and of the operator, under `/workspace`.

Pages decode a form, call the services that the API calls, as a user of the account, and render the result; no rule is
written here. `routes.py` is the table of all pages with their audiences. Other packages import nothing of it but its
registration.
"""

from typing import Final

AT: Final = "/workspace"
"""Path below which all pages are."""
