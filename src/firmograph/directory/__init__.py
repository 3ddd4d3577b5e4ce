"""What a contact and a company are: records, vocabularies, normalisation, identity, tables."""
