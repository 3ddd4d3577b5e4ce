"""Quality of lookalikes: companies, several seeds, contacts."""
