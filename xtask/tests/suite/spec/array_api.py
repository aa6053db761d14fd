"""A module of our own, built like the stubs of the array API."""

__all__ = ["other", "vector_norm"]


def other(x: array, /) -> array:
    """Returns something else."""


def vector_norm(
    x: array,
    /,
    *,
    axis: Optional[int] = None,
    ord: int = 2,
) -> array:
    r"""
    Adds up the ``x`` of a list.

    Parameters
    ----------
    x: array
        some numbers (see :ref:`numbers`). Should be real.
    axis: Optional[int]
        which list is added up: each. Default: ``None``.
    ord: int
        which sum. These sums must be there:

        +-----+----------------+
        | ord | sum            |
        +=====+================+
        | 1   | of magnitudes  |
        +-----+----------------+
        | 2   | of \*\*2 each  |
        +-----+----------------+

        Default: ``2``.

    Returns
    -------
    out: array
        the sums. Their type is that of ``x``.

    Notes
    -----

    .. versionchanged:: 2000.01
       Sums of two were added.
    """


def later(x: array, /) -> array:
    """
    Returns yet another.

    Parameters
    ----------
    x: array
        some numbers.
    """
