// Switching among runs, and the link between lines, nodes and table rows.
(() => {
  "use strict";
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const svg = document.getElementById("picture");
  const readout = document.getElementById("readout");
  const buttons = all("[data-pick]");
  let lines = [];
  let hot = [];

  function cool() {
    for (const element of hot) element.classList.remove("hot");
    hot = [];
    svg.classList.remove("looking");
    readout.textContent = "";
  }

  function heat(found, words) {
    cool();
    if (found.length === 0) return;
    svg.classList.add("looking");
    for (const line of found) {
      hot.push(line);
      hot.push(svg.querySelector(`.nodes.source [data-n="${line.dataset.s}"]`));
      hot.push(svg.querySelector(`.nodes.target [data-n="${line.dataset.t}"]`));
    }
    hot = hot.filter(Boolean);
    for (const element of hot) element.classList.add("hot");
    readout.textContent = words ?? found.map((line) => line.textContent).join("; ");
  }

  function show(run) {
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
    let least = 7;
    for (const line of lines) {
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

  svg.addEventListener("pointermove", (event) => {
    const node = event.target.closest("[data-n]");
    if (node) {
      const end = node.parentNode.classList.contains("source") ? "s" : "t";
      const found = lines.filter((line) => line.dataset[end] === node.dataset.n);
      heat(found);
      if (found.length === 0) readout.textContent = `${node.textContent} · no line`;
      return;
    }
    const matrix = svg.getScreenCTM();
    if (!matrix) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const line = nearest(at.x, at.y);
    heat(line ? [line] : []);
  });
  svg.addEventListener("pointerleave", cool);

  for (const table of all("table.pairs")) {
    table.addEventListener("pointerover", (event) => {
      const row = event.target.closest("tr[data-s]");
      const same = (line) => line.dataset.s === row.dataset.s && line.dataset.t === row.dataset.t;
      heat(row ? lines.filter(same) : []);
    });
    table.addEventListener("pointerleave", cool);
  }

  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.pick));
  for (const row of all("tr[data-row]")) {
    row.classList.add("pickable");
    row.addEventListener("click", () => show(row.dataset.row));
  }
  for (const group of all(".switch")) group.hidden = false;
  lines = all(".lines:not([hidden]) .m", svg);
})();
