"""Data waterfall: data points that other providers find for contacts who lack them (docs/waterfall.md).

Other packages ask an installation for `administration`, and `providers.types` has the interface of a provider. What
`enrichment` has it do is `enrichment.waterfall`.
"""
