"""Server processes of `firmograph serve`: sockets, certificates, connections, supervisor.

Only the commands `serve` and `worker` import it.
"""
