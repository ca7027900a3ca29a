"""The checker finds nothing in a good page, and each defect in a page that has it: the good page with one edit."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import browser as devtools
import check_pages

HERE = pathlib.Path(__file__).resolve().parent
GOOD = HERE / "samples" / "good.html"

# (check, what it must say, text of the good page, what stands there instead); hashes are made anew unless the policy
# itself is edited.
DEFECTS = [
    ("markup", "HTML, line", "<h1>A sample page</h1>", "<h1>A sample page</h2>"),
    ("markup", "found 0 Content-Security-Policy", 'http-equiv="Content-Security-Policy"', 'name="policy"'),
    ("markup", "found default-src 'self'", "default-src 'none'", "default-src 'self'"),
    ("markup", "found 'unsafe-inline' in style-src", "style-src ", "style-src 'unsafe-inline' "),
    ("markup", "h1 has a style attribute", "<h1>", '<h1 style="color: red">'),
    ("markup", "button has an inline event handler, onclick", "<button ", '<button onclick="f()" '),
    ("markup", "img loads https://example.org", "</h1>", '</h1><img alt="" src="https://example.org/a.png">'),
    ("markup", "the id rows is there twice", "<main>", '<main id="rows">'),
    ("markup", "a style element loads from elsewhere", ".bar {", ".bar { background: url(//example.org/a.png);"),
    ("markup", "there is no main element", "main>", "div>"),
    ("loading", "console: hello", '"use strict";', '"use strict"; console.log("hello");'),
    ("loading", "script: Error: broken", '"use strict";', '"use strict"; throw new Error("broken");'),
    ("loading", "policy: style-src-attr", "<h1>", '<h1 style="color: red">'),
    ("loading", "script-src", "sha256-SCRIPT", "sha256-AAAA"),
    ("loading", "fetches file:", "default-src 'none'", "default-src 'none'; img-src file:", "</h1>",
     '</h1><img alt="" src="other.png">'),
    ("loading", "main differs from word", "const form =", 'document.querySelector("h1").append(" too"); const form ='),
    ("layout", "at 360 px: the page scrolls sideways", ".bar {", "h1 { width: 500px; } .bar {"),
    ("layout", "at 768 px: the page scrolls sideways", ".wide {", ".narrow {",
     "<td>1.2 us</td><td>slower</td></tr>", f"<td>1.2 us</td><td>{'slower ' * 120}</td></tr>"),
    ("layout", "px outside the viewBox", '<text x="240" y="80">', '<text x="300" y="80">'),
    ("layout", 'text "first" and text "last" overlap', '<text x="4" y="53">', '<text x="4" y="28">'),
    ("layout", "at 360 px: text \"0\" is 8.", "font: 12px", "font: 8px"),
    ("keyboard", "has no visible focus indicator", "outline: 3px", "outline: 0"),
    ("keyboard", "focus indicator of low contrast", "3px solid var(--mark)", "3px solid var(--paper)"),
    ("keyboard", 'Tab does not reach select "verdict"', "<select ", '<select tabindex="-1" '),
    ("keyboard", 'Tab goes from select "verdict" back to a "All rows"', "<select ", '<select tabindex="2" '),
    ("keyboard", "is covered by p", ".bar {", "p { position: fixed; inset: 0; margin: 0; } .bar {"),
    ("keyboard", "Enter leaves aria-sort at", 'header.setAttribute("aria-sort", direction);', ""),
    ("keyboard", "another column keeps its aria-sort", 'setAttribute("aria-sort", "none")', "getAttribute('id')"),
    ("keyboard", "numbers are not ascending", "match ? match[1] * factors[match[2]] : text", "text"),
    ("keyboard", "Space: the rows stay as they were", "body.append(row);", "row.id;"),
    ("keyboard", "Space leaves aria-sort at", 'addEventListener("click", ',
     'addEventListener("keyup", (event) => event.preventDefault()); button.addEventListener("click", '),
    ("keyboard", "the focus is lost", "const direction =", "button.blur(); const direction ="),
    ("keyboard", "rows are lost", "body.append(row);", "if (row.rowIndex !== 2) body.append(row); else row.remove();"),
    ("keyboard", "a text that no row has hides none", "row.hidden =", "row.lang ="),
    ("keyboard", "0 rows are shown, the status says", "${shown} of", "Some of"),
    ("keyboard", "not every row comes back", "row.hidden =", "row.hidden = row.hidden ||"),
    ("keyboard", "Enter leaves the page", " form-action 'none'", "", '(event) => event.preventDefault()', "() => 0"),
    ("accessibility", "axe, light: color-contrast", "--ink: #1a1a1a", "--ink: #b0b0b0"),
    ("accessibility", "axe, light: color-contrast", ".bar {", ".pale { color: #b0b0b0; } .bar {",
     "<td>1.2 us</td><td>slower</td></tr>", '<td class="pale">1.2 us</td><td>slower</td></tr>'),  # in the third row
    ("accessibility", "axe, dark: color-contrast", "--ink: #eeeeee", "--ink: #404040"),
    ("accessibility", "axe, light: label", "<label>Name <input", "<label>Name</label> <label><input"),
    ("colours", "has no visible focus indicator", "outline: 3px solid", "outline: 0; box-shadow: 0 0 0 3px"),
    ("colours", "cannot be distinguished from its background", ".bar {",
     "@media (forced-colors: active) { h1 { forced-color-adjust: none; color: white; background: white; } } .bar {"),
]


def sealed(text):
    """With the hashes of its style and its script in the policy."""
    for name in ("style", "script"):
        content = re.search(rf"<{name}>(.*?)</{name}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        text = text.replace(f"sha256-{name.upper()}=", f"sha256-{digest}")
    return text


class CheckPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="gdbench-pages-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.browser = cls.enterClassContext(devtools.Browser(devtools.program()))
        cls.good = GOOD.read_text(encoding="utf-8")

    def write(self, name, text):
        page = self.folder / name
        page.write_text(sealed(text), encoding="utf-8")
        return page

    def run_program(self, *arguments, **variables):
        command = [sys.executable, "-B", HERE / "check_pages.py", *map(str, arguments)]
        variables = {**os.environ, **variables}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=variables)
        return done.returncode, done.stdout, done.stderr

    def test_nothing_is_wrong_with_the_good_page(self):
        self.assertEqual(check_pages.check(self.browser, self.write("good.html", self.good)), [])

    def test_finds_each_defect(self):
        for name, expected, *edits in DEFECTS:
            with self.subTest(check=name, expected=expected):
                text = self.good
                for old, new in zip(edits[::2], edits[1::2]):
                    self.assertIn(old, text)
                    text = text.replace(old, new)
                found = []
                for _, finding in check_pages.findings(self.browser, self.write("bad.html", text), (name,)):
                    found.append(finding)
                    if expected in finding:
                        break
                self.assertIn(expected, "\n".join(found))

    def test_the_program_lists_findings(self):
        self.write("good page.html", self.good)
        bad = self.write("bad.html", self.good.replace("<h1>", '<h1 style="color: red">'))
        pages = self.folder / "pages.txt"
        pages.write_text("good page.html\nbad.html\n", encoding="utf-8")
        status, output, _ = self.run_program("--list", pages, "--only", "markup")
        self.assertEqual((status, output), (1, f"{bad}: markup: h1 has a style attribute: color: red\n"))

    def test_the_program_refuses_what_it_cannot_check(self):
        status, _, errors = self.run_program(self.folder / "none.html")
        self.assertEqual(status, 2)
        self.assertIn("none.html: found no file", errors)
        status, _, errors = self.run_program("--list", self.folder / "none.txt")
        self.assertEqual(status, check_pages.SKIPPED)
        self.assertIn("there is no list", errors)
        status, _, errors = self.run_program(GOOD, GDBENCH_BROWSER="no-such-browser")
        self.assertEqual(status, check_pages.SKIPPED)
        self.assertIn("there is no Chromium", errors)


if __name__ == "__main__":
    if reason := check_pages.missing():
        print(f"skipped: {reason}")
        sys.exit(check_pages.SKIPPED)
    unittest.main()
