"""Website visits of an account's tracked domains: page views in, sessions with their companies out.

Other packages use `Sites`, `VisitorRecognition` and `PageViews`, and read sessions by `columns`.
"""
