"""Logins of people: passwords, sessions, one-time links and the throttling of guesses.

A login is an e-mail address with a password; its memberships are rows of `accounts.users`. Other packages import
`service`, `links`, `administration` and `types`.
"""
