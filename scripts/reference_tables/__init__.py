"""Tables of docs/reference, each from a part of the program."""
