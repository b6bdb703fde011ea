#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opens the site in Chromium, as files of a disk: no error in the console, the search finds, pictures load, keys work,
nothing is wider than a narrow window. usage: browser.py SITE"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SITE = os.path.abspath(sys.argv[1])
PAGES = ["index.html", "gallery.html", "guide/user-guide.html", "guide/differences.html", "theory/index.html",
         "theory/variational-symplectic.html", "reference/index.html", "reference/EulerImplicitSolver.html",
         "reference/TetrahedronFEMForceField.html", "scenes/index.html", "scenes/demo/friction.html", "search.html"]
failures = 0


def expect(what, good, found=""):
    global failures
    if not good:
        failures += 1
        print("wrong: %s: %s" % (what, found))


class Browser:
    """Chromium without a window, driven by the DevTools protocol through two pipes."""

    def __init__(self, program, folder):
        to_child, self.to = os.pipe()
        self.back, from_child = os.pipe()

        def connect():  # the protocol uses the descriptors 3 and 4
            first, second = os.dup(to_child), os.dup(from_child)
            high = [os.dup(first), os.dup(second)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--user-data-dir=" + folder, "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=connect)
        os.close(to_child)
        os.close(from_child)
        self.number, self.kept, self.events = 0, b"", []
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Runtime", "Page", "Log", "Network"):
            self.ask(domain + ".enable")

    def read(self):
        while b"\0" not in self.kept:
            data = os.read(self.back, 65536)
            if not data:
                raise SystemExit("browser.py: Chromium has ended")
            self.kept += data
        message, _, self.kept = self.kept.partition(b"\0")
        return json.loads(message)

    def ask(self, method, parameters=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit("browser.py: %s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.events = []
        self.ask("Page.navigate", {"url": url})
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.read())
        # the event may be that of a page that was still being read
        self.wait_for("document.readyState == 'complete' && location.href == new URL(%s).href" % json.dumps(url))

    def value(self, expression):
        result = self.ask("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise SystemExit("browser.py: %s: %s" % (expression, result["exceptionDetails"]))
        return result["result"].get("value")

    def wait_for(self, expression):
        """The value when it is true, or the last one after some seconds."""
        end = time.monotonic() + 20
        value = self.value(expression)
        while not value and time.monotonic() < end:
            time.sleep(0.05)
            value = self.value(expression)
        return value

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", {"type": kind, "key": name, "code": name})

    def type(self, text):
        self.ask("Input.insertText", {"text": text})

    def width(self, pixels):
        self.ask("Emulation.setDeviceMetricsOverride", {"width": pixels, "height": 800, "deviceScaleFactor": 1,
                                                        "mobile": pixels < 600})

    def problems(self):
        """What the console and the network of the page say."""
        self.value("1")  # all events before this one are here
        found = []
        for event in self.events:
            method, p = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(p["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                found.append(str(p["args"]))
            elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                found.append(p["entry"]["text"] + " " + p["entry"].get("url", ""))
            elif method == "Network.requestWillBeSent" and not p["request"]["url"].startswith(("file:", "data:")):
                found.append("loads " + p["request"]["url"])
        return found


def address(place):
    return "file://" + os.path.join(SITE, place)


def self_test(browser, folder):
    """An error in a page is seen."""
    for name, text in (("throws", "<script>throw new Error('x')</script>"), ("lacks", "<img src='gone.png'>"),
                       ("asks", "<img src='http://127.0.0.1:9/x.png'>")):
        path = os.path.join(folder, name + ".html")
        with open(path, "w", encoding="utf-8") as file:
            file.write("<!DOCTYPE html><title>x</title>" + text)
        browser.open("file://" + path)
        expect("a page that %s is noticed" % name, browser.problems(), browser.events)


def pages(browser):
    for width in (1400, 390):
        browser.width(width)
        for place in PAGES:
            browser.open(address(place))
            expect("%s, %d pixels: no errors" % (place, width), not browser.problems(), browser.problems())
            wide = browser.value("document.documentElement.scrollWidth")
            expect("%s is not wider than %d pixels" % (place, width), wide <= width, wide)
            expect("the style of " + place, browser.value("getComputedStyle(document.querySelector('header')).position") == "sticky")


def search(browser):
    browser.width(1400)
    browser.open(address("search.html?q=EulerImplicitSolver"))
    first = "(document.querySelector('#ui-results .hit') || {}).href"
    found = browser.wait_for(first) or ""
    expect("search.html?q=EulerImplicitSolver", found.endswith("reference/EulerImplicitSolver.html"), found)
    browser.open(address("search.html?q=youngModulus+tetrahedronfem"))
    found = browser.wait_for(first) or ""
    expect("a field of a component", found.endswith("reference/TetrahedronFEMForceField.html#field-youngModulus"), found)
    browser.open(address("search.html?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E"))
    browser.wait_for("document.getElementById('ui-count').textContent.includes('for')")
    expect("words are text", browser.value("document.querySelectorAll('main img').length") == 0)
    expect("the search has no errors", not browser.problems(), browser.problems())


def keys(browser):
    """/ goes to the search, arrows choose, Enter opens."""
    browser.open(address("reference/index.html"))
    browser.key("/")
    expect("/ goes to the search", browser.value("document.activeElement.id") == "ui-search")
    browser.type("UniformMass")
    expect("hits while one types", browser.wait_for("document.querySelectorAll('#ui-hits .hit').length > 0"))
    browser.key("ArrowDown")
    expect("an arrow chooses", browser.value("document.querySelector('#ui-hits [aria-selected=true]').textContent")
           .startswith("UniformMass"))
    browser.events = []
    browser.key("Enter")
    expect("Enter opens", browser.wait_for("location.pathname.endsWith('/reference/UniformMass.html')"))
    browser.width(390)
    browser.open(address("index.html"))
    shown = "getComputedStyle(document.getElementById('ui-navigation')).display"
    expect("the menu of narrow windows is closed", browser.value(shown) == "none")
    browser.value("document.getElementById('ui-menu').click()")
    expect("the menu opens", browser.value(shown) == "block")


def pictures(browser):
    browser.width(1400)
    places = ["index.html", "scenes/demo/friction.html"]
    for place in places:
        browser.open(address(place))
        if place != "index.html" and not browser.value("document.querySelector('main figure img') !== null"):
            continue  # made without OpenGL, as pages.py has checked
        browser.value("document.querySelectorAll('main img').forEach(i => { i.loading = 'eager'; })")
        loaded = browser.wait_for("[...document.querySelectorAll('main img')].every(i => i.complete && i.naturalWidth > 100)"
                                  " && document.querySelectorAll('main img').length")
        expect("pictures of %s" % place, loaded and loaded >= 1, loaded)


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program or not os.path.isdir(SITE):
        print("skipped: there is no %s" % ("site" if program else "chromium"))
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Chromium may still write
        browser = Browser(program, os.path.join(folder, "profile"))
        try:
            self_test(browser, folder)
            pages(browser)
            search(browser)
            keys(browser)
            pictures(browser)
        finally:
            browser.process.terminate()
            browser.process.wait()
    print("%d failures" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
