"""Drives Chromium by its DevTools protocol, with nothing but the standard library."""

import base64
import contextlib
import itertools
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--hide-scrollbars",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--remote-debugging-port=0",
)


def find():
    """The path of Chromium; None when it is not installed."""
    asked_for = os.environ.get("CHROMIUM")
    if asked_for:
        return asked_for
    return next(filter(None, map(shutil.which, NAMES)), None)


class WebSocket:
    """As much of RFC 6455 as the protocol needs: whole text messages, from a client."""

    def __init__(self, url):
        host, _, path = url.removeprefix("ws://").partition("/")
        name, _, port = host.partition(":")
        self.socket = socket.create_connection((name, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        request = (
            f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        self.socket.sendall(request.encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        self.buffer = self.buffer.split(b"\r\n\r\n", 1)[1]

    def send(self, text):
        data = text.encode()
        mask = os.urandom(4)
        if len(data) < 126:
            head = struct.pack("!BB", 0x81, 0x80 | len(data))
        elif len(data) < 1 << 16:
            head = struct.pack("!BBH", 0x81, 0xFE, len(data))
        else:
            head = struct.pack("!BBQ", 0x81, 0xFF, len(data))
        self.socket.sendall(head + mask + bytes(b ^ mask[k % 4] for k, b in enumerate(data)))

    def take(self, size):
        while len(self.buffer) < size:
            more = self.socket.recv(1 << 16)
            if not more:
                raise ConnectionError("Chromium closed the connection")
            self.buffer += more
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def receive(self):
        message = b""
        while True:
            first, second = self.take(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self.take(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self.take(8))
            message += self.take(size)
            if first & 0x80:
                return message.decode()

    def close(self):
        self.socket.close()


class Failure(AssertionError):
    """Something on the page is not as it should be."""


class Page:
    """One tab."""

    def __init__(self, url):
        self.line = WebSocket(url)
        self.numbers = itertools.count(1)
        self.faults = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.line.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.line.receive())
            if message.get("id") == number:
                if "error" in message:
                    raise Failure(f"{method}: {message['error']}")
                return message["result"]
            self.hear(message)

    def hear(self, message):
        what = message.get("method")
        if what == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            text = details.get("exception", {}).get("description", details["text"])
            self.faults.append(text)
        elif what == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.faults.append(message["params"]["entry"]["text"])

    def size(self, width, height, dark=False):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[scheme, motion])

    def open(self, url):
        self.call("Page.navigate", url=url)

    def do(self, script):
        """The value of an expression, in the page."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description", details["text"]))
        return found["result"].get("value")

    def wait(self, script, seconds=30):
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        last = None
        while time.monotonic() < end:
            with contextlib.suppress(Failure):
                last = self.do(f"!!({script})")
                if last:
                    return last
            time.sleep(0.02)
        raise Failure(f"still not after {seconds} s: {script} ({last!r})")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def drag(self, start, end):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1)
        for share in (0.3, 0.7, 1.0):
            x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
            self.mouse("mouseMoved", x, y, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)

    def key(self, key, **more):
        text = {"text": key} if len(key) == 1 and not more else {}
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, " ": 32}
        code = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        if key == "Enter":
            text = {"text": "\r"}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **code, **more)

    def picture(self, path):
        shot = self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))


class Chromium:
    """A browser with a profile of its own, which is removed at the end."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="anchormatch-chromium-")
        command = [find(), *FLAGS, f"--user-data-dir={self.profile}", "about:blank"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.port = self.wait_for_port()

    def wait_for_port(self):
        path = os.path.join(self.profile, "DevToolsActivePort")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise Failure(f"Chromium ended with {self.process.returncode}")
            with contextlib.suppress(OSError, IndexError, ValueError), open(path) as file:
                return int(file.read().splitlines()[0])
            time.sleep(0.05)
        raise Failure("Chromium did not start")

    def page(self):
        url = f"http://127.0.0.1:{self.port}/json/new?about:blank"
        with urllib.request.urlopen(urllib.request.Request(url, method="PUT")) as answer:
            return Page(json.load(answer)["webSocketDebuggerUrl"])

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
