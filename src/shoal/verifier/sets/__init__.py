"""The verifier for sets of items: published sets, and published records that stand for any of many sets."""
