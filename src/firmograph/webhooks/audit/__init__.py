"""The audit log of deliveries as customers and operators read it.

The application imports `routes` and `service`; rows are written by `webhooks.deliveries`.
"""
