"""Algorithms that decide a recoding. `shoal.methods()` lists them."""

from shoal.data.listing import Entry, Listing, call_lists


def listing() -> Listing:
    """The methods that a recipe can name, with their keys.

    Returns
    -------
    Listing
        The rows of `shoal methods`.

    Examples
    --------
    >>> import shoal
    >>> "mondrian" in shoal.methods().names
    True
    >>> shoal.methods().of("trees").names
    ('gcs', 'ocs', 'inplace', 'acs', 'tree-cluster')
    """
    from shoal.methods.registry import METHODS

    return Listing(
        Entry(one.name, one.kind, one.title, dict(one.keys), package=METHODS.packaged(one.name))
        for one in METHODS.values()
    )


call_lists(__name__, listing)
