"""The verifier for single values beside sets of items: (k, k^m)-anonymity and (k, l^m)-diversity."""
