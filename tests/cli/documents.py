"""Answers as JSON has them under "document": their sentences, tables and charts, wherever these stand."""


def text_of(paragraph):
    return paragraph if isinstance(paragraph, str) else paragraph["text"]


def parts_of(blocks):
    """(kind, content) of each block; of a list its items, of a fold its blocks."""
    for block in blocks:
        ((kind, content),) = block.items()
        if kind == "fold":
            yield from parts_of(content["blocks"])
        elif kind == "list":
            yield from (("paragraph", text_of(item)) for item in content)
        else:
            yield kind, text_of(content) if kind == "paragraph" else content
