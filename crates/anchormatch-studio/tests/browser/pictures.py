"""The screenshots of docs/studio.md."""

import json
import os
import tempfile
import time

import chromium
from studio import PAGE, READY, Studio, write_pair

ASKED = f"{READY} && {PAGE}.model.questions.length > 0"


def settle(page):
    page.wait(ASKED, 60)
    time.sleep(0.5)


def take(command, folder, house_truth):
    browser = chromium.Chromium()
    try:
        with tempfile.TemporaryDirectory() as place:
            house(browser, command, place, folder, house_truth)
        with tempfile.TemporaryDirectory() as place:
            question(browser, command, place, folder)
    finally:
        browser.close()
    return 0


def house(browser, command, place, folder, truth):
    """Four anchors, the second of which was placed last, and all lines."""
    studio = Studio(command, place)
    try:
        page = browser.page()
        page.size(1280, 760)
        page.open(studio.url)
        settle(page)
        page.key("Escape")
        pairs = json.loads(page.do(truth))
        for source, target in (pairs[k] for k in (3, 0, 20, 44)):
            page.do(f"{PAGE}.stage.anchor({source}, {target})")
            settle(page)
        page.key("l")
        page.do(f"{PAGE}.model.show({{ side: 0, node: {pairs[20][0]} }})")
        settle(page)
        page.picture(os.path.join(folder, "studio.png"))
    finally:
        studio.end()


def question(browser, command, place, folder):
    """A question on a graph of 300 nodes, in the dark."""
    write_pair(place, 300, seed=4, kept=0.9, anchors=6)
    studio = Studio(command, place, "a.csv", "b.csv", "--anchors", "anchors.csv")
    try:
        page = browser.page()
        page.size(1280, 760, dark=True)
        page.open(studio.url)
        settle(page)
        page.key("Escape")
        page.key("q")
        page.wait("document.querySelector('[data-key=y]')")
        for _ in range(3):
            page.key("y")
            settle(page)
        page.do("document.getElementById('fit').click()")
        settle(page)
        page.picture(os.path.join(folder, "studio-question.png"))
    finally:
        studio.end()
