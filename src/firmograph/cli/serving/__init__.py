"""How `firmograph serve` runs: listening, certificates, one server process, and several under one parent."""
