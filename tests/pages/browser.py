"""A headless Chromium by the DevTools protocol, through two pipes: no port, no driver, no package of Python."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SECONDS_TO_ANSWER = 120
# The browser reads requests from descriptor 3 and writes answers to 4, wherever the pipes' ends were opened.
LAUNCHER = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
for end, number in zip(ends, (3, 4)):
    os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
KEYS = {
    "Tab": {"code": "Tab", "windowsVirtualKeyCode": 9},
    "Enter": {"code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
    " ": {"code": "Space", "windowsVirtualKeyCode": 32, "text": " "},
    "ArrowDown": {"code": "ArrowDown", "windowsVirtualKeyCode": 40},
    "Home": {"code": "Home", "windowsVirtualKeyCode": 36},
    "Backspace": {"code": "Backspace", "windowsVirtualKeyCode": 8},
}


class BrowserError(Exception):
    """The browser refused a request, died, or did not answer."""


def program():
    """The browser's path, GDBENCH_BROWSER before any other; None where there is none."""
    wanted = os.environ.get("GDBENCH_BROWSER")
    return shutil.which(wanted) if wanted else next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """A process of the browser with a profile of its own; ends with the `with` block."""

    def __init__(self, path):
        self.profile = tempfile.mkdtemp(prefix="gdbench-pages-")
        requests, self.requests = os.pipe()
        self.answers, answers = os.pipe()
        options = [
            *("--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--disable-background-networking", "--disable-extensions", "--force-color-profile=srgb"),
            f"--user-data-dir={self.profile}",
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
        ]
        self.process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, str(requests), str(answers), path, *options],
            pass_fds=(requests, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(requests)
        os.close(answers)
        self.unread = b""
        self.last_id = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.requests)
        os.close(self.answers)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, session=None, **parameters):
        """The answer to one request. Events that come before it wait in `events`."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        try:
            data = json.dumps(message).encode() + b"\0"
            while data:
                data = data[os.write(self.requests, data) :]
        except BrokenPipeError as error:
            raise BrowserError("the browser ended early") from error
        end = time.monotonic() + SECONDS_TO_ANSWER
        while True:
            answer = self.receive(end - time.monotonic())
            if answer is None:
                raise BrowserError(f"no answer to {method} within {SECONDS_TO_ANSWER} s")
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self, seconds):
        """The next message, None after so many seconds. Events are kept."""
        end = time.monotonic() + seconds
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.answers, 1 << 20)
            if not data:
                raise BrowserError("the browser ended early")
            self.unread += data
        text, _, self.unread = self.unread.partition(b"\0")
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def settle(self, seconds):
        """Receives all that comes within so many seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.receive(left)


class Page:
    """One tab with one document. `scripts`: whether its own scripts run; `size`: of the window in CSS pixels."""

    def __init__(self, browser, url, scripts=True, size=(1280, 800), media=()):
        self.browser = browser
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.send("Emulation.setFocusEmulationEnabled", enabled=True)
        self.resize(*size)
        self.media(*media)
        self.open(url)
        # The checks run in a world of their own: what they name cannot meet what the page's scripts name.
        self.world = self.send("Page.createIsolatedWorld", frameId=self.target)["executionContextId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.send("Target.closeTarget", targetId=self.target)
        self.browser.events.clear()

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def events(self, *methods):
        """What the browser said of this page so far."""
        return [e for e in self.browser.events if e.get("sessionId") == self.session and e["method"] in methods]

    def open(self, url):
        answer = self.send("Page.navigate", url=url)
        if "errorText" in answer:
            raise BrowserError(f"{url}: {answer['errorText']}")
        loaded = {"name": "load", "loaderId": answer["loaderId"]}
        end = time.monotonic() + SECONDS_TO_ANSWER
        while not any(loaded.items() <= event["params"].items() for event in self.events("Page.lifecycleEvent")):
            if time.monotonic() > end:
                raise BrowserError(f"{url} was not loaded within {SECONDS_TO_ANSWER} s")
            self.browser.receive(0.05)

    def resize(self, width, height):
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def media(self, *features):
        """Emulates (name, value) pairs: ("prefers-color-scheme", "dark"), ("forced-colors", "active")."""
        named = [{"name": name, "value": value} for name, value in features]
        self.send("Emulation.setEmulatedMedia", features=named)

    def run(self, expression):
        """The value of an expression of JavaScript, awaited."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, contextId=self.world, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def call(self, function, *arguments):
        """The value of a function of the helpers, page.js and controls.js, which were loaded before."""
        return self.run(f"checks.{function}({', '.join(map(json.dumps, arguments))})")

    def press(self, key, commands=()):
        event = {"key": key, **KEYS[key]}
        kind = "keyDown" if "text" in event else "rawKeyDown"
        self.send("Input.dispatchKeyEvent", type=kind, commands=list(commands), **event)
        event.pop("text", None)
        self.send("Input.dispatchKeyEvent", type="keyUp", **event)

    def type_text(self, text):
        """Into the focused input, in place of what it holds."""
        self.press("Home", ["selectAll"])
        self.press("Backspace", ["deleteBackward"])
        if text:
            self.send("Input.insertText", text=text)
