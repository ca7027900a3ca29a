"""The checks of a page in a browser: each takes the browser and the page's address and yields a line per finding."""

import contextlib
import json
import pathlib
import urllib.parse

from browser import BrowserError, Page

HERE = pathlib.Path(__file__).resolve().parent
HELPERS = "".join((HERE / name).read_text(encoding="utf-8") for name in ("page.js", "controls.js"))
WIDTHS = (360, 768, 1280, 2560)  # CSS pixels: a phone, a tablet, a laptop, a large screen
HEIGHT = 800
LIGHT, DARK = [(("prefers-color-scheme", name),) for name in ("light", "dark")]
FORCED = (("forced-colors", "active"),)
SECONDS_TO_REACT = 1  # to a key
ROWS_FOR_AXE = 2  # of each kind in each part of a table


@contextlib.contextmanager
def helped(browser, url, **options):
    """A page with the helpers loaded and all details opened, so that everything is shown."""
    with Page(browser, url, **options) as page:
        page.run(HELPERS)
        page.call("openDetails")
        yield page


def eventually(page, condition):
    """Whether it holds by and by."""
    for _ in range(SECONDS_TO_REACT * 20):
        if condition():
            return True
        page.browser.settle(0.05)
    return False


# --- Loading ----------------------------------------------------------------------------------------------------------


def complaint(event):
    """What an event says is wrong; None where it says nothing of the kind."""
    kind, parameters = event["method"], event["params"]
    if kind == "Runtime.consoleAPICalled":
        values = [str(value.get("value", value.get("description", ""))) for value in parameters["args"]]
        return f"console: {' '.join(values)}"
    if kind == "Runtime.exceptionThrown":
        details = parameters["exceptionDetails"]
        return f"script: {details.get('exception', {}).get('description', details['text']).splitlines()[0]}"
    if kind == "Log.entryAdded":
        entry = parameters["entry"]
        return None if entry["level"] == "verbose" else f"{entry['source']}: {entry['text']}"
    issue = parameters["issue"]
    if issue["code"] != "ContentSecurityPolicyIssue":
        return None
    details = issue["details"]["contentSecurityPolicyIssueDetails"]
    return f"policy: {details['violatedDirective']} forbids {details.get('blockedURL') or 'what is inline'}"


def complaints(page):
    """Console messages, errors, violations of the policy, each once."""
    events = page.events(
        "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Audits.issueAdded"
    )
    return list(dict.fromkeys(filter(None, map(complaint, events))))


def requests(page, url):
    """Addresses that the page fetched in addition to its own."""
    asked = [event["params"]["request"]["url"] for event in page.events("Network.requestWillBeSent")]
    own = urllib.parse.unquote(url)
    others = (found for found in asked if urllib.parse.unquote(found.partition("#")[0]) != own)
    return list(dict.fromkeys(f"fetches {found[:120]}" for found in others))


def loading(browser, url):
    texts = []
    for scripts in (True, False):
        with Page(browser, url, scripts=scripts) as page:
            if scripts:
                page.browser.settle(0.2)  # what they do a moment later
            page.run(HELPERS)
            texts.append(page.call("text"))
            mode = "" if scripts else "without scripts: "
            for line in complaints(page) + requests(page, url):
                yield mode + line
    with_scripts, without = texts
    if with_scripts != without:
        yield from different_words(with_scripts or [], without or [])


def different_words(with_scripts, without):
    pairs = enumerate(zip(with_scripts, without))
    first = next((i for i, (a, b) in pairs if a != b), min(len(with_scripts), len(without)))
    a, b = (" ".join(words[first : first + 8]) or "its end" for words in (with_scripts, without))
    yield f"main differs from word {first + 1} on: with scripts '{a}', without '{b}'"


# --- Layout -----------------------------------------------------------------------------------------------------------


def layout(browser, url):
    with Page(browser, url, size=(WIDTHS[0], HEIGHT)) as page:
        page.run(HELPERS)
        for opened in (False, True):
            if opened:
                page.call("openDetails")
            for width in WIDTHS:
                page.resize(width, HEIGHT)
                for line in page.call("overflow") + page.call("svgTexts"):
                    yield f"at {width} px: {line}"


# --- Accessibility ----------------------------------------------------------------------------------------------------


def accessibility(browser, url, axe):
    """`axe`: the source of axe-core. What depends on colours alone is asked again in the dark."""
    with helped(browser, url) as page:
        page.call("shortenTables", ROWS_FOR_AXE)
        page.run(axe + "; undefined")
        for name, media, rules in (("light", LIGHT, {}), ("dark", DARK, {"runOnly": ["color-contrast"]})):
            page.media(*media)
            options = json.dumps({"resultTypes": ["violations"], "preload": False, "iframes": False, **rules})
            violations = page.run(
                f"axe.run(document, {options}).then((result) => result.violations.map((violation) =>"
                " ({id: violation.id, impact: violation.impact, help: violation.help,"
                " nodes: violation.nodes.map((node) => node.target.join(' '))})))"
            )
            for violation in violations:
                if violation["impact"] not in ("serious", "critical"):
                    continue
                nodes = violation["nodes"]
                yield (
                    f"axe, {name}: {violation['id']}, {violation['impact']}: {violation['help']}; "
                    f"{len(nodes)} times, first {nodes[0]}"
                )


# --- Keyboard ---------------------------------------------------------------------------------------------------------


def keyboard(browser, url):
    with helped(browser, url) as page:
        yield from tab_order(page)
        yield from sorting(page)
        yield from filtering(page)
        yield from complaints(page)


def tab_order(page, most=None):
    """Presses Tab through the page, or through its first controls."""
    names = page.call("collectFocusable")
    reached = []
    for _ in range(min(most or len(names), len(names)) + len(names) // 2 + 2):
        page.press("Tab")
        focus = page.call("focused")
        if focus is None or (reached and focus["index"] == reached[0]) or (most and len(reached) == most):
            break
        yield from focus["findings"]
        if focus["index"] >= 0:
            reached.append(focus["index"])
    if most:
        return
    for index in sorted(set(range(len(names))) - set(reached)):
        yield f"Tab does not reach {names[index]}"
    for before, after in zip(reached, reached[1:]):
        if after < before:
            yield f"Tab goes from {names[before]} back to {names[after]}"


def sorting(page):
    for index, name in enumerate(page.call("collectSorters")):
        page.call("focusSorter", index)
        before = page.call("sorted", index)
        for key, words in (("Enter", "Enter"), (" ", "Space")):
            page.press(key)
            if not eventually(page, lambda: page.call("sorted", index)["direction"] != before["direction"]):
                yield f"{name}: {words} leaves aria-sort at {before['direction']}"
                break
            after = page.call("sorted", index)
            yield from sorted_findings(f"{name}, {words}", before, after)
            before = after


def sorted_findings(where, before, after):
    direction = after["direction"]
    if direction not in ("ascending", "descending"):
        yield f"{where}: aria-sort becomes {direction}"
        return
    if after["others"]:
        yield f"{where}: another column keeps its aria-sort"
    if not after["hasFocus"]:
        yield f"{where}: the focus is lost"
    if sorted(after["texts"]) != sorted(before["texts"]):
        yield f"{where}: rows are lost"
    numbers = [number for number in after["numbers"] if number is not None]
    known = sum(text not in ("", "-", "\u2013", "\u2014") for text in after["texts"])
    if numbers and len(numbers) == known:
        if numbers != sorted(numbers, reverse=direction == "descending"):
            yield f"{where}: numbers are not {direction}"
    elif len(set(after["texts"])) > 1 and before["direction"] in ("ascending", "descending"):
        if after["texts"] == before["texts"]:
            yield f"{where}: the rows stay as they were"


def filtering(page):
    kinds = {"INPUT": text_filter, "SELECT": select_filter}
    for index, control in enumerate(page.call("collectFilters")):
        page.call("focusFilter", index)
        yield from kinds[control["kind"]](page, control["name"])
        if not eventually(page, lambda: page.call("shownRows")["hidden"] == 0):
            yield f"{control['name']}: not every row comes back"


def says_how_many(page, where):
    """After a filter changed."""
    if not eventually(page, lambda: page.call("shownRows")["said"]):
        shown = page.call("shownRows")
        yield f"{where}: {shown['rows']} rows are shown, the status says '{shown['status'][:80]}'"


def text_filter(page, name):
    page.type_text("no row has this text")
    if not eventually(page, lambda: page.call("shownRows")["hidden"]):
        yield f"{name}: a text that no row has hides none"
        return
    yield from says_how_many(page, f"{name}, no row's text")
    word = page.call("wordOfRow")
    page.type_text(word)
    if not eventually(page, lambda: page.call("shownRows")["rows"]):
        yield f"{name}: '{word}' of the first row shows none"
    yield from says_how_many(page, f"{name}, '{word}'")
    page.press("Enter")
    page.browser.settle(0.2)
    try:
        page.call("shownRows")
    except BrowserError as error:
        raise BrowserError(f"{name}: Enter leaves the page") from error
    page.type_text("")


def select_filter(page, name):
    page.press("ArrowDown")
    yield from says_how_many(page, f"{name}, second option")
    page.press("Home")


# --- Forced colours ---------------------------------------------------------------------------------------------------


def forced_colours(browser, url):
    with helped(browser, url, media=FORCED) as page:
        for line in page.call("lostTexts"):
            yield f"forced colours: {line}"
        for line in tab_order(page, most=5):
            yield f"forced colours: {line}"
