"""Website visits of an account's tracked domains: page views in, sessions, companies by visits out (specification 2.8)."""
