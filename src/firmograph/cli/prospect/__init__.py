"""`firmograph prospect`: the filters of the API over the database, without a server."""
