#!/usr/bin/python3
"""Checks HTML pages in a real browser: that they need nothing but their file, and that everybody can read and use them
by keyboard, in any width and colours. One line per finding on stdout.

Exit status: 0 nothing found, 1 findings, 2 wrong usage, 77 no browser or no package to check with (said on stderr).
"""

import argparse
import pathlib
import sys
import time

import browser as devtools

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
CHECKS = ("markup", "loading", "layout", "keyboard", "accessibility", "colours")


def missing():
    """Why nothing can be checked; empty where all is there."""
    if devtools.program() is None:
        return "there is no Chromium (scripts/setup --pages installs one)"
    try:
        __import__("html5lib")
    except ImportError:
        return "there is no html5lib for Python (scripts/setup --pages installs it)"
    return "" if axe_file() else "there is no axe-core in build/pages (scripts/setup --pages installs it)"


def axe_file():
    """The newest axe.min.js in the environment that scripts/setup --pages makes."""
    return next(iter(sorted(ROOT.glob("build/pages/lib/python3*/site-packages/*/axe.min.js"))), None)


def checks_of(axe):
    """{name: what yields findings of a browser and a page's path}."""
    import checks
    import markup

    return {
        "markup": lambda browser, page: markup.findings(page.read_text(encoding="utf-8")),
        "loading": lambda browser, page: checks.loading(browser, page.as_uri()),
        "layout": lambda browser, page: checks.layout(browser, page.as_uri()),
        "keyboard": lambda browser, page: checks.keyboard(browser, page.as_uri()),
        "accessibility": lambda browser, page: checks.accessibility(browser, page.as_uri(), axe),
        "colours": lambda browser, page: checks.forced_colours(browser, page.as_uri()),
    }


def findings(browser, page, wanted=CHECKS):
    """(check, finding) pairs of a page, a path, as they are found."""
    checks = checks_of(axe_file().read_text(encoding="utf-8"))
    for name in wanted:
        try:
            yield from ((name, finding) for finding in checks[name](browser, page.resolve()))
        except (devtools.BrowserError, UnicodeDecodeError) as error:
            yield name, str(error).splitlines()[0]


def check(browser, page, wanted=CHECKS):
    """All findings, each once."""
    return list(dict.fromkeys(findings(browser, page, wanted)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--list", type=pathlib.Path, metavar="FILE", help="a file with a page's path in each line")
    parser.add_argument("--only", action="append", choices=CHECKS, help="one check, or several by several options")
    parser.add_argument("--timings", action="store_true", help="say on stderr how long each page took")
    options = parser.parse_args()
    if reason := missing():
        print(f"check_pages.py: skipped: {reason}", file=sys.stderr)
        return SKIPPED
    pages = list(options.pages)
    if options.list:
        if not options.list.is_file():
            print(f"check_pages.py: skipped: there is no list {options.list}", file=sys.stderr)
            return SKIPPED
        lines = options.list.read_text(encoding="utf-8").splitlines()
        pages += [options.list.parent / line for line in lines if line]
    for page in pages:
        if not page.is_file():
            parser.error(f"{page}: found no file, expected an HTML page")
    if not pages:
        parser.error("found no page, expected one or more")
    status = 0
    with devtools.Browser(devtools.program()) as browser:
        for page in pages:
            start = time.monotonic()
            for name, finding in check(browser, page, options.only or CHECKS):
                print(f"{page}: {name}: {finding}", flush=True)
                status = 1
            if options.timings:
                print(f"{page}: {time.monotonic() - start:.1f} s", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
