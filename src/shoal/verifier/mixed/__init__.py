"""The verifier for mixed tables: (k, k^m)-anonymity and (k, l^m)-diversity."""
