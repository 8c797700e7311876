"""Words for the pages on which a steward promises and chooses, before there is a release."""
