"""What is wrong with a page's text, without any browser."""

import re

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
# Elements whose addresses are fetched when the page is shown; those of links are not.
FETCHING = ("script", "link", "img", "iframe", "embed", "object", "source", "track", "video", "audio", "input", "use",
            "image", "feImage", "frame")
ADDRESSES = ("src", "href", "srcset", "data", "poster", XLINK_HREF)
HASH = re.compile(r"'sha(256|384|512)-[A-Za-z0-9+/]+={0,2}'")


def local_name(element):
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def parse_errors(parser):
    for (line, column), error, values in parser.errors:
        yield f"HTML, line {line}, column {column}: {html5lib.constants.E.get(error, error) % values}"


def policy_findings(root):
    policies = [
        meta.get("content", "")
        for meta in root.iter(f"{HTML}meta")
        if meta.get("http-equiv", "").lower() == "content-security-policy"
    ]
    if len(policies) != 1:
        yield f"found {len(policies)} Content-Security-Policy meta elements, expected one"
        return
    directives = {}
    for directive in policies[0].split(";"):
        name, *values = directive.split() or [""]
        directives[name] = values
    if directives.get("default-src") != ["'none'"]:
        yield f"policy: found default-src {' '.join(directives.get('default-src', []))}, expected 'none'"
    for name, values in directives.items():
        if name.endswith("-src") or name in ("script-src-elem", "style-src-elem", "base-uri", "form-action"):
            for value in values:
                if value != "'none'" and not HASH.fullmatch(value):
                    yield f"policy: found {value} in {name}, expected hashes or 'none'"


def attribute_findings(root):
    ids = set()
    for element in root.iter():
        name = local_name(element)
        for key, value in element.attrib.items():
            if key == "style":
                yield f"{name} has a style attribute: {value[:60]}"
            if key.lower().startswith("on"):
                yield f"{name} has an inline event handler, {key}"
            if key in ADDRESSES and name in FETCHING and re.search(r"https?:|^\s*//", value, re.IGNORECASE):
                yield f"{name} loads {value[:80]}"
            if key == "id":
                if value in ids:
                    yield f"the id {value} is there twice"
                ids.add(value)
    for style in root.iter(f"{HTML}style"):
        if re.search(r"@import|url\(\s*['\"]?(https?:)?//", style.text or "", re.IGNORECASE):
            yield "a style element loads from elsewhere"


def findings(text):
    """Lines about the source of a page."""
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"))
    root = parser.parse(text)
    yield from parse_errors(parser)
    yield from policy_findings(root)
    yield from attribute_findings(root)
    if next(root.iter(f"{HTML}main"), None) is None:
        yield "there is no main element"
