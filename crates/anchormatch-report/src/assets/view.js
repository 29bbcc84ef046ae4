// Zoom and pan, layers, and the slider that hides what is not sure enough.
(() => {
  "use strict";
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const svg = document.getElementById("picture");
  const tools = document.querySelector(".tools");
  const { x, y, width, height } = svg.viewBox.baseVal;
  const home = { x, y, width, height };
  const MOST = 40;
  let box = { ...home };

  // Nodes keep their size on the screen, so that what lies close together comes apart.
  const dots = all(".nodes circle, .marks circle", svg);
  const radii = dots.map((circle) => circle.r.baseVal.value);

  function apply() {
    const zoom = home.width / box.width;
    svg.dataset.zoom = String(zoom);
    svg.classList.toggle("zoomed", zoom > 1.001);
    svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
    dots.forEach((circle, k) => circle.setAttribute("r", String(radii[k] / zoom)));
  }

  // Within the whole picture, and never larger than it.
  function set(next) {
    const wide = Math.min(home.width, Math.max(home.width / MOST, next.width));
    const high = (wide * home.height) / home.width;
    const inside = (value, low, room) => Math.min(Math.max(value, low), low + room);
    box = {
      x: inside(next.x, home.x, home.width - wide),
      y: inside(next.y, home.y, home.height - high),
      width: wide,
      height: high,
    };
    requestAnimationFrame(apply);
  }

  // Zooms by a factor, and what lies at a place stays there.
  function zoom(factor, at) {
    const wide = Math.min(home.width, Math.max(home.width / MOST, box.width / factor));
    const share = wide / box.width;
    const middle = at ?? { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    set({ x: middle.x - (middle.x - box.x) * share, y: middle.y - (middle.y - box.y) * share, width: wide });
  }

  const pan = (dx, dy) => set({ x: box.x + dx, y: box.y + dy, width: box.width });
  const reset = () => set(home);

  function place(event) {
    const matrix = svg.getScreenCTM();
    return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : null;
  }

  svg.addEventListener(
    "wheel",
    (event) => {
      // The page scrolls on where there is nothing to zoom out of.
      if (event.deltaY > 0 && box.width >= home.width) return;
      event.preventDefault();
      zoom(Math.exp(-0.0015 * event.deltaY * (event.deltaMode === 1 ? 20 : 1)), place(event));
    },
    { passive: false },
  );

  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    svg.dataset.dragged = "no";
    if (event.button === 0 && event.pointerType !== "touch") drag = { id: event.pointerId, x: event.clientX, y: event.clientY };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!svg.classList.contains("dragging")) {
      if (Math.hypot(dx, dy) < 4) return;
      svg.classList.add("dragging");
      svg.dataset.dragged = "yes";
      svg.setPointerCapture(drag.id);
    }
    const matrix = svg.getScreenCTM();
    if (matrix) pan(-dx / matrix.a, -dy / matrix.d);
    [drag.x, drag.y] = [event.clientX, event.clientY];
  });
  for (const name of ["pointerup", "pointercancel"]) {
    svg.addEventListener(name, () => {
      drag = null;
      svg.classList.remove("dragging");
    });
  }
  svg.addEventListener("dblclick", reset);

  const keys = {
    "+": () => zoom(1.3),
    "=": () => zoom(1.3),
    "-": () => zoom(1 / 1.3),
    0: reset,
    ArrowLeft: () => pan(-box.width / 10, 0),
    ArrowRight: () => pan(box.width / 10, 0),
    ArrowUp: () => pan(0, -box.height / 10),
    ArrowDown: () => pan(0, box.height / 10),
  };
  svg.addEventListener("keydown", (event) => {
    const known = Object.hasOwn(keys, event.key) && !event.ctrlKey && !event.metaKey && !event.altKey;
    // The arrows belong to the page unless there is something to pan over.
    if (!known || (event.key.startsWith("Arrow") && box.width >= home.width)) return;
    event.preventDefault();
    keys[event.key]();
  });
  const steps = { in: () => zoom(1.5), out: () => zoom(1 / 1.5), home: reset };
  for (const button of all("[data-zoom]", tools)) button.addEventListener("click", steps[button.dataset.zoom]);

  const layers = all("[data-layer]", tools);
  for (const input of layers) {
    const toggle = () => svg.classList.toggle(`no-${input.dataset.layer}`, !input.checked);
    input.addEventListener("change", toggle);
    // A browser may remember the box of an earlier visit.
    toggle();
  }

  // A run without a map has no grid to take away.
  function offer() {
    for (const input of layers) {
      input.closest("label").hidden = !svg.querySelector(`.layer.${input.dataset.layer}:not([hidden])`);
    }
  }

  const floor = document.getElementById("floor");
  const kept = document.getElementById("kept");
  function sift() {
    if (!floor) return;
    const least = Number(floor.value);
    const hidden = new Set();
    for (const line of all(".lines:not([hidden]) .m", svg)) {
      const below = Number(line.dataset.c) < least;
      line.classList.toggle("below", below);
      if (below) hidden.add(line.dataset.s);
    }
    for (const ellipse of all(".ellipses:not([hidden]) ellipse", svg)) {
      ellipse.classList.toggle("below", hidden.has(ellipse.dataset.s));
    }
    let [shown, count] = [0, 0];
    for (const row of all("[data-run]:not([hidden]) table.pairs tbody tr")) {
      const below = Number(row.dataset.c) < least;
      row.classList.toggle("below", below);
      count += 1;
      shown += below ? 0 : 1;
    }
    kept.textContent = `${least.toFixed(2)}: ${shown} of ${count} pairs`;
    document.dispatchEvent(new Event("sift"));
  }
  if (floor) floor.addEventListener("input", sift);

  document.addEventListener("run", () => {
    offer();
    sift();
  });
  tools.hidden = false;
  offer();
  sift();
})();
