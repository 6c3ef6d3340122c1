"""Who runs files of bots to learn what they are: this process, or another one that tells of them."""

_readers: list[str] = []  # "module:name" of the Reader; empty: this process


def read_with(name: str) -> None:
    """Have files of bots run by a `bots.describing.Reader` from now on ("module:name"), or here with ""."""
    _readers[:] = filter(None, [name])


def reader_name() -> str:
    """Who runs them; "" for this process."""
    return _readers[0] if _readers else ""
