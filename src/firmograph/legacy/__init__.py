"""The older generation of the API: its shapes over the same services (specification 4.1, wire-b 2)."""
