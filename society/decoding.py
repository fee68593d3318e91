"""Decoding of text files as spreadsheets and editors save them."""


def decode_text(content: bytes) -> str:
    """Return the text of a file: UTF-8, UTF-16 with its mark, or Windows-1252.

    Line ends are normalised to those of this machine.
    """
    return _text(content).replace("\r\n", "\n").replace("\r", "\n")


def _text(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
