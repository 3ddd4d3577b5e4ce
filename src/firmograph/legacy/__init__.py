"""The legacy generation of requests and answers: other shapes over the same services (specification 4.1, wire-b 2)."""
