"""One signed webhook request: payload, signature, secrets, URL rules and the HTTP client.

Deliveries and test deliveries import `client`, `payload` and `secrets`.
"""
