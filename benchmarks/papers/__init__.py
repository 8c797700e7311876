"""The five papers: their figures, the benchmarks that draw them, and whether what we measured is what they say."""
