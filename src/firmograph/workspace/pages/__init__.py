"""Functions of the pages: each decodes a form, calls a service and says what is rendered."""
