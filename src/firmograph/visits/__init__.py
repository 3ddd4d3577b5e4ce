"""Website visits of tracked domains: page views in, sessions, companies by visits out (specification 2.8)."""
