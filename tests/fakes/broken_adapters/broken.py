"""Workers that break the protocol, one way each: broken.py HOW. All but `die` and
`import_error` answer the first request, hello; breaks_later.py has those that do so rightly."""

import json
import os
import sys
import time

HELLO = {"protocol": {"major": 1, "minor": 0}, "implementations": [{"id": "broken/adapter"}]}


def answer_with(text):
    os.write(4, text.encode() + b"\n")


def hello(**changes):
    answer_with(json.dumps({"id": 1, "ok": True, **HELLO, **changes}))


WAYS = {
    "die": lambda: sys.exit("no accelerator was found\nbye\udcff"),
    "import_error": lambda: __import__("a_framework_that_is_not_installed"),
    "garbage": lambda: answer_with("Segmentation fault?"),
    "not_an_object": lambda: answer_with("[1, 2, 3]"),
    "wrong_id": lambda: hello(id=7),
    "no_id": lambda: answer_with('{"ok": true}'),
    "ok_is_text": lambda: hello(ok="yes"),
    "no_list": lambda: hello(implementations="broken/adapter"),
    "id_is_a_number": lambda: hello(implementations=[{"id": 7}]),
    "id_with_escape": lambda: hello(implementations=[{"id": "broken/\x1b[31m"}]),
    "option_with_break": lambda: hello(implementations=[{"id": "broken/adapter", "options": [{"key": "a\nb"}]}]),
    "option_is_text": lambda: hello(implementations=[{"id": "broken/adapter", "options": ["tile"]}]),
    "newer_protocol": lambda: hello(protocol={"major": 2, "minor": 0}),
    "two_lines": lambda: answer_with('{"id": 1, "ok": false, "error": {"kind": "failed", "message": "one\\ntwo"}}'),
    "silent": lambda: time.sleep(60),
    "endless_line": lambda: [os.write(4, b"x" * 65536) for _ in range(1000)],
    "prints": lambda: (print("x" * 100, flush=True), hello()),
}


def main():
    os.read(3, 65536)
    sys.stderr.reconfigure(errors="surrogateescape")
    WAYS[sys.argv[1]]()
    os.read(3, 65536)  # the next request is not answered: the worker ends


if __name__ == "__main__":
    main()
