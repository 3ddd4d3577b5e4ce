"""What every endpoint shares: strict decoding, envelopes, error bodies, the OpenAPI document."""
