"""One function a kind of value that brings it to the form in which records hold and match it."""
