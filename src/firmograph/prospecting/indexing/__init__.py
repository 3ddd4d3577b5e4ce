"""Search entries made of decoded records: fields, texts, order and position of each contact and company."""
