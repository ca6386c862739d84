"""Fitting the estimator's constants to measured rows, and how good they are on rows no fit saw. Never imported by an estimate."""
