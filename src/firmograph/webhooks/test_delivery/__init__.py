"""Test deliveries that a customer requests for a URL or a subscription.

The application imports `service`, which has the endpoint too.
"""
