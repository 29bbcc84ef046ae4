// Switching among runs, and the link between lines, nodes, what is drawn of the map, and table rows.
(() => {
  "use strict";
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const svg = document.getElementById("picture");
  const readout = document.getElementById("readout");
  const buttons = all("[data-pick]");
  let lines = [];
  let hot = [];
  // What was clicked stays until something else is, or Escape.
  let pinned = null;

  const seen = (line) => !line.classList.contains("below");
  const text = (line) => line.textContent;

  function cool() {
    for (const element of hot) element.classList.remove("hot");
    hot = [];
    svg.classList.remove("looking");
    readout.textContent = "";
  }

  // Lines, the nodes at their ends, and the places where the map expects the partners of the source's nodes.
  function heat({ found, node, words }) {
    cool();
    if (found.length === 0 && !node) return;
    const sources = new Set(found.map((line) => line.dataset.s));
    if (node && node.side === "s") sources.add(node.n);
    for (const line of found) {
      hot.push(line, dot("source", line.dataset.s), dot("target", line.dataset.t));
    }
    if (node) hot.push(dot(node.side === "s" ? "source" : "target", node.n));
    for (const source of sources) {
      hot.push(...all(`.ellipses:not([hidden]) [data-s="${source}"], .epipolar:not([hidden]) [data-s="${source}"]`, svg));
    }
    hot = hot.filter(Boolean);
    for (const element of hot) element.classList.add("hot");
    svg.classList.toggle("looking", found.length > 0);
    readout.textContent = words;
  }

  const dot = (side, n) => svg.querySelector(`.nodes.${side} [data-n="${n}"]`);

  // All that is known of a node: its lines, or why it has none.
  function ofNode(circle) {
    const side = circle.parentNode.classList.contains("source") ? "s" : "t";
    const n = circle.dataset.n;
    const found = lines.filter((line) => line.dataset[side] === n);
    const lone = svg.querySelector(`.marks:not([hidden]) .lone[data-${side}="${n}"]`);
    const why = lone ? text(lone) : `${text(circle)} · no line`;
    return { found, node: { side, n }, words: found.length > 0 ? found.map(text).join("; ") : why };
  }

  const ofLines = (found) => ({ found, node: null, words: found.map(text).join("; ") });
  const nothing = { found: [], node: null, words: "" };
  const look = (at) => heat(at.found.length > 0 || at.node ? at : (pinned ?? nothing));

  function show(run) {
    pinned = null;
    cool();
    for (const element of all("[data-run]")) element.toggleAttribute("hidden", element.dataset.run !== run);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.pick === run));
    for (const row of all("tr[data-row]")) row.classList.toggle("current", row.dataset.row === run);
    lines = all(".lines:not([hidden]) .m", svg);
    document.dispatchEvent(new Event("run"));
  }

  // The line nearest to the pointer, within a few units: thin lines are hard to hit.
  function nearest(x, y) {
    let best = null;
    let least = 7 / Number(svg.dataset.zoom ?? 1);
    if (svg.classList.contains("no-lines")) return best;
    for (const line of lines.filter(seen)) {
      const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((name) => line[name].baseVal.value);
      const [dx, dy] = [x2 - x1, y2 - y1];
      const square = dx * dx + dy * dy;
      const along = square > 0 ? Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / square)) : 0;
      const distance = Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
      if (distance < least) {
        least = distance;
        best = line;
      }
    }
    return best;
  }

  function under(event) {
    const node = event.target.closest("[data-n]");
    if (node) return ofNode(node);
    const matrix = svg.getScreenCTM();
    if (!matrix) return nothing;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const line = nearest(at.x, at.y);
    return line ? ofLines([line]) : nothing;
  }

  svg.addEventListener("pointermove", (event) => {
    if (!svg.classList.contains("dragging")) look(under(event));
  });
  svg.addEventListener("pointerleave", () => look(nothing));
  svg.addEventListener("click", (event) => {
    if (svg.dataset.dragged === "yes") return;
    const at = under(event);
    pinned = at.found.length > 0 || at.node ? at : null;
    look(nothing);
  });
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      pinned = null;
      look(nothing);
    }
    if (event.key !== "n" && event.key !== "p") return;
    const shown = lines.filter(seen);
    if (shown.length === 0) return;
    const step = event.key === "n" ? 1 : -1;
    const here = pinned ? shown.indexOf(pinned.found[0]) : -1;
    const next = here < 0 ? (step > 0 ? 0 : shown.length - 1) : (here + step + shown.length) % shown.length;
    pinned = ofLines([shown[next]]);
    look(nothing);
  });

  for (const table of all("table.pairs")) {
    table.addEventListener("pointerover", (event) => {
      const row = event.target.closest("tr[data-s]");
      const same = (line) => line.dataset.s === row.dataset.s && line.dataset.t === row.dataset.t;
      look(row ? ofLines(lines.filter(same)) : nothing);
    });
    table.addEventListener("pointerleave", () => look(nothing));
  }

  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.pick));
  for (const row of all("tr[data-row]")) {
    row.classList.add("pickable");
    row.addEventListener("click", () => show(row.dataset.row));
  }
  for (const group of all(".switch")) group.hidden = false;
  lines = all(".lines:not([hidden]) .m", svg);
})();
