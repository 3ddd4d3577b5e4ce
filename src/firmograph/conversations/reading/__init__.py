"""Reading of files of conversations: native form, captions, JSON of recorders, metadata, redaction.

Other packages of conversations import `files`.
"""
