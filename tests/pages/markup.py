"""What is wrong with a page's text, without any browser."""

import re
import xml.etree.ElementTree as ElementTree

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
# Elements whose addresses are fetched when the page is shown; those of links are not.
FETCHING = ("script", "link", "img", "iframe", "embed", "object", "source", "track", "video", "audio", "input", "use",
            "image", "feImage", "frame")
ADDRESSES = ("src", "href", "srcset", "data", "poster", XLINK_HREF)
HASH = re.compile(r"'sha(256|384|512)-[A-Za-z0-9+/]+={0,2}'")


def local_name(element):
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def text_of(element):
    return " ".join("".join(element.itertext()).split())


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


def svg_findings(svg):
    title, description = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    where = f'svg "{text_of(title)[:40]}"' if title is not None else "svg"
    if svg.get("role") != "img":
        yield f"{where}: found role {svg.get('role')}, expected img"
    labels = (svg.get("aria-labelledby") or "").split()
    for name, element in (("title", title), ("desc", description)):
        if element is None or not text_of(element):
            yield f"{where} has no {name}, or an empty one"
        elif element.get("id") not in labels:
            yield f"{where}: aria-labelledby does not name its {name}"


def figure_findings(root):
    in_figures = set()
    for figure in root.iter(f"{HTML}figure"):
        svgs = list(figure.iter(f"{SVG}svg"))
        tables = list(figure.iter(f"{HTML}table"))
        in_figures.update(map(id, svgs))
        where = f'figure "{text_of(figure)[:40]}"'
        if len(svgs) != 1 or len(tables) != 1:
            yield f"{where}: found {len(svgs)} svg and {len(tables)} table, expected one of each"
            continue
        order = [element for element in figure.iter() if element in (svgs[0], tables[0])]
        if order[0] is not svgs[0]:
            yield f"{where}: the table comes before the svg"
        caption = tables[0].find(f"{HTML}caption")
        if caption is None or not text_of(caption):
            yield f"{where}: its table has no caption"
        if not list(tables[0].iter(f"{HTML}td")):
            yield f"{where}: its table has no data"
    for svg in root.iter(f"{SVG}svg"):
        if id(svg) not in in_figures:
            yield "an svg is outside any figure"


def xml_findings(text):
    """Of each svg as XML, as it would be cut out of the page."""
    for start in (match.start() for match in re.finditer(r"<svg\b", text)):
        end = text.find("</svg>", start)
        source = text[start : end + len("</svg>")] if end >= 0 else text[start:]
        try:
            ElementTree.fromstring(source)
        except ElementTree.ParseError as error:
            line = text.count("\n", 0, start) + error.position[0]
            yield f"svg, line {line}: no well-formed XML: {str(error).partition(':')[0]}"


def findings(text):
    """Lines about the source of a page."""
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"))
    root = parser.parse(text)
    yield from parse_errors(parser)
    yield from policy_findings(root)
    yield from attribute_findings(root)
    for svg in root.iter(f"{SVG}svg"):
        yield from svg_findings(svg)
    yield from figure_findings(root)
    yield from xml_findings(text)
    if next(root.iter(f"{HTML}main"), None) is None:
        yield "there is no main element"
