"""The studio's page in a real browser.

    python crates/anchormatch-studio/tests/browser/test_page.py [--command target/debug/anchormatch] [--pictures docs]

Needs Chromium (or CHROMIUM=its path) and says so when there is none; in continuous integration (CI is set) that is a
failure. With --pictures the screenshots of the
documentation are written.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import access
import chromium
from studio import FRAMES, PAGE, READY, Studio, write_hub, write_pair

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))
COMMAND = [os.path.join(ROOT, "target", "debug", "anchormatch")]
PICTURES = None


class Case(unittest.TestCase):
    """A browser for all tests, a folder for each."""

    @classmethod
    def setUpClass(cls):
        cls.browser = chromium.Chromium()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="anchormatch-studio-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.studios = []
        self.pages = []

    def tearDown(self):
        for studio in self.studios:
            studio.end()
        for page in self.pages:
            page.line.close()

    def studio(self, *arguments):
        studio = Studio(COMMAND, self.folder, *arguments)
        self.studios.append(studio)
        return studio

    def visit(self, studio, seconds=60, **look):
        page = self.browser.page()
        self.pages.append(page)
        page.size(1440, 860, **look)
        page.open(studio.url)
        page.wait(READY, seconds)
        return page

    def open(self, studio, seconds=60, **look):
        page = self.visit(studio, seconds, **look)
        page.key("Escape")
        return page

    def reload(self, page, studio):
        page.do("window.isOld = true")
        page.open(studio.url)
        page.wait(f"!window.isOld && {READY}", 60)

    def pixel(self, page, side, node):
        return page.do(f"{PAGE}.stage.pixel({side}, {node})")

    def anchor(self, page, source, target):
        page.click(*self.pixel(page, 0, source))
        page.wait(f"{PAGE}.model.pending?.node === {source}")
        page.click(*self.pixel(page, 1, target))
        page.wait(f"{PAGE}.model.anchored[0].get({source}) === {target}")

    def anchors(self, page):
        return page.do(f"JSON.stringify([...{PAGE}.model.anchored[0]])")

    def saved(self, name="anchormatch-house.anchors.csv"):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()

    def settled(self, page):
        page.wait(READY)


class House(Case):
    """The built-in pair, as a new user sees it."""

    def test_anchors_undo_redo_and_reload(self):
        studio = self.studio()
        page = self.open(studio)
        pairs = json.loads(page.do(HOUSE_TRUTH))
        chosen = apart(page, pairs, 10)
        for source, target in chosen:
            self.anchor(page, source, target)
            self.settled(page)
        self.assertEqual(len(self.saved().splitlines()), 11)
        expected = page.do(f"{PAGE}.model.summary.expected / {PAGE}.model.summary.pairs")
        self.assertGreater(expected, 0.95)
        curve = json.loads(page.do(f"JSON.stringify({PAGE}.model.curve)"))
        self.assertEqual(curve[-1][0], 10)
        # What is said is right, and nobody is accused.
        wrong = f"{json.dumps(pairs)}.filter(([s, t]) => {PAGE}.model.partnerOf({{ side: 0, node: s }}) !== t)"
        self.assertEqual(page.do(f"{wrong}.length"), 0)
        self.assertEqual(page.do(f"{PAGE}.model.counts[4]"), 0)
        before = self.anchors(page)
        page.key("z", modifiers=2)
        page.wait(f"{PAGE}.model.anchored[0].size === 9")
        self.assertEqual(len(self.saved().splitlines()), 10)
        page.key("y", modifiers=2)
        page.wait(f"{PAGE}.model.anchored[0].size === 10")
        self.assertEqual(self.anchors(page), before)
        page.open(studio.url)
        page.wait(READY)
        self.assertEqual(self.anchors(page), before)
        page.do("document.getElementById('undo').click()")
        page.wait(f"{PAGE}.model.anchored[0].size === 9")
        self.assertEqual(page.faults, [])

    def test_escape_drag_and_keyboard(self):
        page = self.open(self.studio())
        (one, two, three) = apart(page, json.loads(page.do(HOUSE_TRUTH)), 3)
        page.click(*self.pixel(page, 0, one[0]))
        page.wait(f"{PAGE}.model.pending !== null")
        page.key("Escape")
        page.wait(f"{PAGE}.model.pending === null")
        page.click(*self.pixel(page, 1, one[1]))
        self.assertEqual(page.do(f"{PAGE}.model.anchored[0].size"), 0)
        page.key("Escape")
        page.key("Escape")
        # A line from the left to the right, and then its end to another node.
        page.drag(self.pixel(page, 0, two[0]), self.pixel(page, 1, two[1]))
        page.wait(f"{PAGE}.model.anchored[0].get({two[0]}) === {two[1]}")
        self.settled(page)
        page.drag(self.pixel(page, 1, two[1]), self.pixel(page, 1, three[1]))
        page.wait(f"{PAGE}.model.anchored[0].get({two[0]}) === {three[1]}")
        # The same without a mouse.
        page.do("document.getElementById('pad-source').focus()")
        page.key("ArrowRight")
        page.key("Enter")
        page.wait(f"{PAGE}.model.pending?.side === 0")
        page.do("document.getElementById('pad-target').focus()")
        page.key("ArrowLeft")
        page.key("Enter")
        page.wait(f"{PAGE}.model.pending === null && {PAGE}.model.anchored[0].size === 2")
        page.key("Delete")
        page.wait(f"{PAGE}.model.anchored[0].size === 1")
        self.assertEqual(page.faults, [])

    def test_counts_agree_before_the_match_does(self):
        page = self.open(self.studio())
        source, target = json.loads(page.do(HOUSE_TRUTH))[7]
        page.do(f"void {PAGE}.stage.anchor({source}, {target})")
        legend = "[...document.querySelectorAll('#legend b')].map(b => b.textContent).slice(0, 1)"
        settled = "[document.querySelectorAll('#figures b')[1].textContent]"
        page.wait(f"{PAGE}.model.anchored[0].size === 1")
        self.assertEqual(page.do(f"JSON.stringify({legend})"), '["1"]')
        self.assertEqual(page.do(f"JSON.stringify({settled})"), '["1"]')

    def test_nothing_covers_anything(self):
        page = self.open(self.studio())
        page.key("q")
        page.wait("document.querySelector('[data-key=y]')")
        page.key("b")
        page.wait("document.querySelector('.toast')")
        self.assertFalse(page.do(OVERLAP.format("toasts", "legend")))
        self.assertFalse(page.do("document.getElementById('hint').classList.contains('now')"))
        # Narrow: the panel below the picture, both as wide as the page.
        page.size(700, 900)
        page.wait("document.getElementById('stage').getBoundingClientRect().width === 700")
        self.assertFalse(page.do(OVERLAP.format("stage", "panel-ask")))
        self.assertEqual(page.do("document.documentElement.scrollWidth"), 700)

    def test_two_pages_agree(self):
        studio = self.studio()
        one, two = self.open(studio), self.open(studio)
        source, target = json.loads(one.do(HOUSE_TRUTH))[7]
        one.do(f"{PAGE}.stage.anchor({source}, {target})")
        two.wait(f"{PAGE}.model.anchored[0].get({source}) === {target}")
        two.do("document.getElementById('undo').click()")
        one.wait(f"{PAGE}.model.anchored[0].size === 0")

    def test_a_kill_loses_nothing(self):
        studio = self.studio()
        page = self.open(studio)
        pairs = json.loads(page.do(HOUSE_TRUTH))[:4]
        for source, target in pairs:
            page.do(f"{PAGE}.stage.anchor({source}, {target})")
        page.wait(f"{PAGE}.model.anchored[0].size === 4")
        before = self.anchors(page)
        studio.kill()
        page.wait("!document.getElementById('banner').hidden")
        again = self.open(self.studio())
        self.assertEqual(self.anchors(again), before)
        again.do("document.getElementById('undo').click()")
        again.wait(f"{PAGE}.model.anchored[0].size === 3")

    def test_settings_and_exports(self):
        page = self.open(self.studio())
        page.do("document.getElementById('open-settings').click()")
        page.do("document.querySelector('input[value=fast]').click()")
        page.wait(f"{PAGE}.model.state.choices.preset === 'fast' && {READY}")
        page.do("document.getElementById('open-export').click()")
        command = page.do("document.querySelector('.command').textContent")
        self.assertIn("anchormatch match", command)
        self.assertIn("--preset fast", command)
        for name, words in (("pairs.csv", "source,target,confidence"), ("report.html", "<html")):
            script = (
                f"fetch([...document.querySelectorAll('a[download]')].find(a => a.download === '{name}').href)"
                ".then(r => r.text())"
            )
            self.assertIn(words, page.do(script))
        page.key("Escape")
        page.wait("!document.getElementById('export').open")


class People(access.Access, Case):
    """The tour, tooltips, the keyboard."""

    def truth(self):
        return HOUSE_TRUTH

    def overlap(self, one, two):
        return OVERLAP.format(one, two)


class Questions(Case):
    """Being asked."""

    def test_to_the_end(self):
        write_pair(self.folder, 14, seed=5)
        page = self.open(self.studio("a.csv", "b.csv", "--anchors", "known.csv"))
        page.key("q")
        page.wait("document.querySelector('[data-key=y]')")
        page.wait(f"{PAGE}.ask.question.number === {PAGE}.model.summary.number")
        # No, back, unsure, no partner, and yes to the rest.
        asked = page.do("document.querySelector('.asking').textContent")
        page.key("n")
        page.wait(f"{PAGE}.model.state.rejected.length === 1")
        page.key("b")
        page.wait(f"{PAGE}.model.state.rejected.length === 0")
        page.wait("document.querySelector('[data-key=y]')")
        self.assertEqual(asked.split()[1], page.do("document.querySelector('.asking').textContent").split()[1])
        self.assertNotIn("%", page.do("document.getElementById('question').textContent"))
        page.key("s")
        page.wait("document.getElementById('question').textContent.includes('%')")
        page.key("u")
        page.wait(f"{PAGE}.model.unsure.size === 1")
        page.wait("document.querySelector('[data-key=x]')")
        page.key("x")
        page.wait(f"{PAGE}.model.alone[0].size === 1")
        for settled in range(3, 15):
            page.wait("document.querySelector('[data-key=y]')")
            # The candidate may be replaced by the match that is under way, and a key then counts a moment later.
            page.wait(f"{PAGE}.model.isCurrent && {PAGE}.ask.question?.number === {PAGE}.model.summary.number")
            time.sleep(0.4)
            page.key("y")
            page.wait(
                f"{PAGE}.model.anchored[0].size + {PAGE}.model.alone[0].size + {PAGE}.model.unsure.size === {settled}"
            )
        page.wait("document.querySelector('[data-end=yes]')")
        self.assertEqual(page.do(f"{PAGE}.model.state.asked"), 14)
        rows = self.saved("known.csv").splitlines()
        self.assertEqual(len(rows), 14)
        self.assertEqual(sum(row.endswith(",") for row in rows), 1)
        self.assertEqual(page.faults, [])


class Hostile(Case):
    """Ids that would like to be more than text."""

    def test_ids_stay_text(self):
        evil = [
            "<img src=x onerror=window.hacked=1>",
            '"><script>window.hacked=1</script>',
            "javascript:window.hacked=1",
            "{{constructor.constructor('window.hacked=1')()}}",
            "\u202eright to left\u202c",
            "a" * 400,
            "' onmouseover='window.hacked=1",
        ]

        def names(side, k):
            return evil[k] if k < len(evil) else f"{side}{k}"

        write_pair(self.folder, 20, names=names)
        page = self.open(self.studio("a.csv", "b.csv"))
        for node in range(20):
            page.do(f"{PAGE}.model.show({{ side: {node % 2}, node: {node} }})")
            time.sleep(0.02)
        page.key("q")
        page.wait("document.querySelector('[data-key=y]')")
        page.key("y")
        self.settled(page)
        page.do("document.getElementById('search').focus()")
        page.call("Input.insertText", text="<img")
        page.wait("document.querySelector('#found button')")
        page.do("document.querySelector('#found button').click()")
        page.wait(f"{PAGE}.model.shown !== null")
        self.assertIsNone(page.do("window.hacked ?? null"))
        self.assertEqual(page.do("document.querySelectorAll('img').length"), 1)
        self.assertEqual(page.do("document.querySelectorAll('script').length"), 1)
        self.assertEqual(page.faults, [])

    def test_no_token_no_page(self):
        studio = self.studio()
        page = self.browser.page()
        self.pages.append(page)
        page.open(studio.url.partition("?")[0])
        page.wait("document.body?.textContent.includes('token')")
        # The page itself runs nothing that is not its own.
        page = self.open(studio)
        page.do(
            "(() => { const s = document.createElement('script'); s.id = 'mine'; "
            "try { s.textContent = 'window.hacked = 1'; document.body.append(s); } catch (e) { } })()"
        )
        self.assertIsNone(page.do("window.hacked ?? null"))


class Report(Case):
    """The report, whose picture is drawn by the page's code."""

    def report(self, *arguments):
        command = [*COMMAND, "match", "a.csv", "b.csv", "--output", "pairs.csv", "--report", "report.html", *arguments]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        page = self.browser.page()
        self.pages.append(page)
        page.size(1280, 1000)
        page.open(f"file://{self.folder}/report.html")
        page.wait("document.querySelectorAll('#picture .labels text').length > 0")
        return page

    def test_marks_lines_and_ids_are_those_of_the_page(self):
        write_pair(self.folder, 40, anchors=4)
        # In this order: what is not in front is not drawn.
        studio = self.open(self.studio("a.csv", "b.csv", "--anchors", "anchors.csv"))
        page = self.report("--anchors", "anchors.csv")
        marks = "[...document.querySelectorAll('#picture .shapes .body')].map(b => b.getAttribute('class'))"
        self.assertIn("body anchor", page.do(f"JSON.stringify({marks})"))
        colour = "getComputedStyle(document.documentElement).getPropertyValue('--{}').trim()"
        for name in ("paper", "edge", "anchor", "sure", "doubtful"):
            self.assertEqual(page.do(colour.format(name)), studio.do(colour.format(name)))
        # Nodes grow less than the view does; and what is pointed at has a ring, its edges and its id.
        radius = "document.querySelector('.nodes.source circle').getBoundingClientRect().width"
        before = page.do(radius)
        page.do("[1, 2, 3, 4].forEach(() => document.querySelector('[data-zoom=in]').click())")
        page.wait(f"{radius} > {before}")
        self.assertLess(page.do(radius), 2 * before)
        page.do("document.querySelector('[data-zoom=home]').click()")
        page.wait(f"Math.abs({radius} - {before}) < 0.1")
        at = json.loads(
            page.do(
                "(() => { const b = document.querySelector('.nodes.source circle').getBoundingClientRect(); "
                "return JSON.stringify([b.left + b.width / 2, b.top + b.height / 2]); })()"
            )
        )
        page.mouse("mouseMoved", *at)
        page.wait("document.querySelectorAll('#picture .labels circle').length === 2")
        page.wait("document.getElementById('readout').textContent.includes('→')")
        page.do("document.querySelector('[data-layer=labels]').click()")
        page.wait("document.querySelectorAll('#picture .labels text').length < 8")
        self.assertEqual(page.faults, [])

    def test_ids_stay_text(self):
        evil = ["</title></svg><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>", "\u202ea"]

        def names(side, k):
            return evil[k] if k < len(evil) else f"{side}{k}"

        write_pair(self.folder, 12, names=names)
        page = self.report()
        page.do("document.getElementById('picture').dispatchEvent(new KeyboardEvent('keydown', { key: 'n' }))")
        page.wait("document.getElementById('readout').textContent")
        self.assertIsNone(page.do("window.hacked ?? null"))
        self.assertEqual(page.do("document.querySelectorAll('img').length"), 0)
        self.assertEqual(page.do("document.querySelectorAll('script').length"), 3)
        self.assertEqual(page.faults, [])


class Large(Case):
    """50 000 nodes on either side."""

    def test_fifty_thousand(self):
        write_pair(self.folder, 50_000, anchors=500)
        page = self.open(self.studio("a.csv", "b.csv", "--anchors", "anchors.csv"), seconds=300)
        page.wait(f"{PAGE}.model.layout === {PAGE}.model.summary.number", 120)
        nodes = page.do(f"{PAGE}.model.graphs[0].nodes + {PAGE}.model.graphs[1].nodes")
        self.assertGreater(nodes, 99_900)
        self.assertEqual(page.do(f"{PAGE}.stage.drawn"), nodes)
        found = page.do(f"{PAGE}.model.summary.counts[3]")
        self.assertEqual(found, 500)
        page.do(f"{PAGE}.model.show({{ side: 0, node: 77 }}); {PAGE}.stage.reveal(77, {PAGE}.model.partner[77])")
        page.wait(f"{PAGE}.stage.drawn < 20000")
        page.wait("document.getElementById('detail').textContent.includes('Evidence')")
        page.click(*self.pixel(page, 0, 77))
        page.wait(f"{PAGE}.model.pending?.node === 77")
        self.assertEqual(page.do("document.querySelectorAll('.row').length < 80"), True)
        target = page.do(f"{PAGE}.model.partner[77]")
        page.click(*self.pixel(page, 1, target))
        page.wait(f"{PAGE}.model.anchored[0].size === 501 || {PAGE}.model.anchored[0].has(77)")
        frames = json.loads(page.do(FRAMES))
        words = f"{statistics.median(frames):.0f} ms a frame while zooming (median), {max(frames):.0f} ms (slowest)"
        print(f"\n  50 000 nodes: {words}, software rendering", file=sys.stderr)
        # A sample while the view moves, and everything once it rests.
        self.assertLess(page.do("window.drawnWhileMoving"), 20_000)
        page.wait(f"{PAGE}.stage.isWhole", 60)
        self.assertEqual(page.do(f"{PAGE}.stage.drawn"), nodes)
        # Pointing at nodes leaves the picture alone.
        page.do(f"{PAGE}.stage.renderer.show = () => {{ window.painted = true; }}")
        page.mouse("mouseMoved", *self.pixel(page, 0, 78))
        page.wait("!document.getElementById('tip').hidden")
        page.do("new Promise(requestAnimationFrame)")
        self.assertIsNone(page.do("window.painted ?? null"))
        self.assertEqual(page.faults, [])

    def test_a_hub_of_ten_thousand(self):
        write_hub(self.folder, 10_000)
        page = self.open(self.studio("a.csv", "b.csv", "--anchors", "anchors.csv", "--preset", "fast"), seconds=300)
        hub = page.do(f"{PAGE}.model.graphs[0].find('s0')")
        self.assertEqual(page.do(f"{PAGE}.model.graphs[0].degrees[{hub}]"), 10_000)
        page.do(f"{PAGE}.model.show({{ side: 0, node: {hub} }})")
        page.wait("document.getElementById('detail').textContent.includes('Evidence')")
        frames = json.loads(page.do(FRAMES))
        words = f"{statistics.median(frames):.0f} ms a frame while zooming (median), {max(frames):.0f} ms (slowest)"
        print(f"\n  a hub of 10 000 neighbours selected: {words}, software rendering", file=sys.stderr)
        page.wait(f"{PAGE}.stage.isWhole", 60)
        self.assertEqual(page.faults, [])


#: The true pairs of the house: the target's ids are numbered, and its places tell which is which.
HOUSE_TRUTH = f"""(() => {{
  const m = {PAGE}.model;
  return JSON.stringify(HOUSE.map((t, s) => [s, m.graphs[1].find('t' + t)]));
}})()"""

#: Whether two elements have a pixel in common.
OVERLAP = """(() => {{
  const [a, b] = ["{}", "{}"].map((id) => document.getElementById(id).getBoundingClientRect());
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}})()"""


def apart(page, pairs, count):
    """Pairs whose nodes are so far from all others that a click cannot miss them."""
    script = f"JSON.stringify([0, 1].map(s => [...Array(51).keys()].map(k => {PAGE}.stage.pixel(s, k))))"
    pixels = json.loads(page.do(script))

    def lonely(side, node):
        x, y = pixels[side][node]
        others = (pixels[side][k] for k in range(51) if k != node)
        return min((x - u) ** 2 + (y - v) ** 2 for u, v in others)

    pairs = sorted(pairs, key=lambda pair: -min(lonely(0, pair[0]), lonely(1, pair[1])))
    return pairs[:count]


def house_truth():
    """Where the command's own generator puts the landmarks of the built-in pair."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["generate", "house", "--out", folder, "--force", "--pan", "20", "--tilt", "10"]
        subprocess.run([*COMMAND, *arguments], check=True, capture_output=True)
        with open(os.path.join(folder, "truth.csv")) as file:
            rows = [line.strip().rpartition(",") for line in file][1:]
        with open(os.path.join(folder, "source.csv")) as file:
            ids = [line.split(",")[0] for line in file][1:]
    target = {source.strip('"'): name.removeprefix("t") for source, _, name in rows}
    return [int(target[name.strip('"')]) for name in ids]


def main():
    global COMMAND, PICTURES, HOUSE_TRUTH
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", help="the anchormatch command [default: target/debug/anchormatch]")
    parser.add_argument("--pictures", help="the folder for the documentation's screenshots")
    parser.add_argument("--speed", action="store_true", help="measure instead: from a change to the refreshed match")
    parser.add_argument("rest", nargs="*", help="names of tests, as unittest takes them")
    options = parser.parse_args()
    if options.command:
        COMMAND = [os.path.abspath(options.command)]
    if not chromium.find():
        words = "Chromium is not installed (`make chromium`, or CHROMIUM=its path): the page was NOT tested in a browser"
        print(words, file=sys.stderr)
        return 1 if os.environ.get("CI") else 0
    HOUSE_TRUTH = HOUSE_TRUTH.replace("HOUSE", json.dumps(house_truth()))
    if options.pictures:
        import pictures

        return pictures.take(COMMAND, options.pictures, HOUSE_TRUTH)
    if options.speed:
        import speed

        return speed.measure(COMMAND)
    result = unittest.main(argv=[sys.argv[0], *options.rest], exit=False, verbosity=2).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
