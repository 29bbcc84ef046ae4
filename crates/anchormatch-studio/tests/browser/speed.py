"""From a change to the refreshed match on the page, and how long a frame of large graphs takes, in a browser."""

import json
import statistics
import tempfile
import time

import chromium
from studio import FRAMES, PAGE, READY, Studio, write_pair

#: Nodes a side of the graphs whose frames are measured.
LARGE = (50_000, 100_000)

#: Of one anchor: milliseconds until the first match that knows it is drawn, and the whole one; and of the first, what its parts took.
CHANGE = f"""(source, target) => new Promise((done) => {{
  const {{ model, stage }} = {PAGE};
  const wanted = model.state.change + 1;
  const start = performance.now();
  const now = () => performance.now() - start;
  const times = {{}};
  const look = () => {{
    if (model.state.change >= wanted && times.said === undefined) times.said = now();
    if (!model.summary || model.summary.change < wanted || model.anchored[0].get(source) !== target) return;
    if (times.arrived === undefined) {{
      times.arrived = now();
      [times.waited, times.matched] = [1000 * model.summary.waited, 1000 * model.summary.seconds];
      requestAnimationFrame(() => setTimeout(() => (times.first = now())));
    }}
    if (model.isCurrent) requestAnimationFrame(() => setTimeout(() => done({{ ...times, whole: now() }})));
  }};
  model.on(["state", "match"], look);
  void stage.anchor(source, target);
}})"""


def measure(command, nodes=300, changes=20):
    browser = chromium.Chromium()
    try:
        with tempfile.TemporaryDirectory() as folder:
            partner = write_pair(folder, nodes, kept=0.9, anchors=10)
            studio = Studio(command, folder, "a.csv", "b.csv", "--anchors", "anchors.csv")
            try:
                print(words(times(browser, studio, partner, nodes, changes), nodes))
            finally:
                studio.end()
        for nodes in LARGE:
            print(frames(browser, command, nodes), flush=True)
    finally:
        browser.close()
    return 0


def frames(browser, command, nodes):
    """What a page of so many nodes a side takes: to open, while it moves, and until it is whole again."""
    with tempfile.TemporaryDirectory() as folder:
        write_pair(folder, nodes, anchors=nodes // 100)
        start = time.monotonic()
        studio = Studio(command, folder, "a.csv", "b.csv", "--anchors", "anchors.csv")
        try:
            page = browser.page()
            page.size(1440, 860)
            page.open(studio.url)
            page.wait(f"{PAGE} && {PAGE}.model.layout && {PAGE}.stage.isWhole", 300)
            opened = time.monotonic() - start
            page.wait(f"{READY} && {PAGE}.model.layout === {PAGE}.model.summary.number && {PAGE}.stage.isWhole", 600)
            page.key("Escape")
            lines = [f"{nodes} nodes a side: open after {opened:.1f} s; ms of a frame while zooming, median and slowest:"]
            for shown in ("selected", "all"):
                page.do(f"(() => {{ while ({PAGE}.model.lines !== '{shown}') document.getElementById('lines').click(); }})()")
                times = json.loads(page.do(FRAMES))
                rested = time.monotonic()
                page.wait(f"{PAGE}.stage.isWhole", 120)
                whole = time.monotonic() - rested
                took = f"{statistics.median(times):>4.0f}  {max(times):>4.0f}; whole again after {whole:.1f} s"
                lines.append(f"{'lines: ' + shown:>16}  {took}")
            return "\n".join(lines)
        finally:
            studio.end()


def times(browser, studio, partner, nodes, changes):
    page = browser.page()
    page.size(1440, 860)
    page.open(studio.url)
    page.wait(f"{PAGE} && {PAGE}.model.isCurrent && {PAGE}.model.questions.length > 0", 120)
    page.key("Escape")
    found = []
    for k in range(changes):
        source = (k * 37) % nodes
        script = (
            f"(() => {{ const m = {PAGE}.model; const s = m.graphs[0].find('s{source}'), "
            f"t = m.graphs[1].find('t{partner[source]}'); return ({CHANGE})(s, t); }})()"
        )
        found.append(page.do(f"{script}.then(JSON.stringify)"))
        page.wait(f"{PAGE}.model.isCurrent")
    return [json.loads(pair) for pair in found]


def words(found, nodes):
    """The median and the slowest, and what the first answer is made of."""
    first = [one["first"] for one in found]
    whole = [one["whole"] for one in found]
    lines = [
        f"{nodes} nodes, {len(found)} anchors placed one after the other: refreshed after "
        f"{statistics.median(first):.0f} ms (median), {max(first):.0f} ms (slowest); "
        f"the whole match drawn after {statistics.median(whole):.0f} ms, {max(whole):.0f} ms",
        f"{'ms':>10}  to the match  matched  to the page  drawn    sum",
    ]
    slowest = max(found, key=lambda one: one["first"])
    for name, some in (("median", found), ("slowest", [slowest])):
        parts = [[part(one) for one in some] for part in PARTS]
        values = [statistics.median(each) for each in parts]
        lines.append("{:>10}  {:>12.0f}  {:>7.0f}  {:>11.0f}  {:>5.0f}  {:>5.0f}".format(name, *values))
    return "\n".join(lines)


#: What a refresh is made of. The program's clock begins when it has the request: the way there is in the third part.
PARTS = (
    lambda one: one["waited"],
    lambda one: one["matched"],
    lambda one: one["arrived"] - one["waited"] - one["matched"],
    lambda one: one["first"] - one["arrived"],
    lambda one: one["first"],
)
