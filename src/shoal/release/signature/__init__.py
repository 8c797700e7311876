"""Who signed a release: a statement with the hashes of its files, written beside the report, and checked by `shoal verify`."""
