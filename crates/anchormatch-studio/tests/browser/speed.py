"""From a change to the refreshed match on the page, in a browser."""

import json
import statistics
import tempfile

import chromium
from studio import Studio, write_pair

PAGE = "window.anchormatchStudio"

#: Milliseconds from an anchor to the first match that knows it, and to the whole one, both drawn.
CHANGE = f"""(source, target) => new Promise((done) => {{
  const {{ model, stage }} = {PAGE};
  const wanted = model.state.change + 1;
  const start = performance.now();
  let first = 0;
  const look = () => {{
    const knows = model.summary.change >= wanted && model.anchored[0].get(source) === target;
    if (knows && !first) first = performance.now() - start;
    if (knows && model.isCurrent) requestAnimationFrame(() => done([first, performance.now() - start]));
  }};
  model.on(["match"], look);
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
    finally:
        browser.close()
    return 0


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
    first = [pair[0] for pair in found]
    whole = [pair[1] for pair in found]
    return (
        f"{nodes} nodes, {len(found)} anchors placed one after the other: refreshed after "
        f"{statistics.median(first):.0f} ms (median), {max(first):.0f} ms (slowest); "
        f"the whole match drawn after {statistics.median(whole):.0f} ms, {max(whole):.0f} ms"
    )
