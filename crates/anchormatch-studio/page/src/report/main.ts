// The report's picture and its tools: zoom, layers, the slider that hides what is not sure enough, and switching among runs.

import { all, Picture } from "./picture";
import { View } from "./view";

function start(): void {
  const svg = document.querySelector<SVGSVGElement>("#picture");
  const readout = document.getElementById("readout");
  const tools = document.querySelector<HTMLElement>(".tools");
  if (!svg || !readout || !tools) return;
  const view = new View(svg);
  const picture = new Picture(svg, readout, view);
  const steps = new Map([
    ["in", () => view.zoomBy(1.5)],
    ["out", () => view.zoomBy(1 / 1.5)],
    ["home", () => view.reset()],
  ]);
  for (const button of all("[data-zoom]", tools)) {
    button.addEventListener("click", () => steps.get(button.dataset.zoom ?? "")?.());
  }
  const offer = layers(svg, tools, picture);
  const sift = slider(svg, picture);
  runs(() => {
    picture.show();
    offer();
    sift();
  });
  tools.hidden = false;
  offer();
  sift();
}

/** Boxes that take layers away; what it returns offers those that the shown run has. */
function layers(svg: SVGSVGElement, tools: HTMLElement, picture: Picture): () => void {
  const boxes = all<HTMLInputElement>("[data-layer]", tools);
  for (const box of boxes) {
    const toggle = (): void => {
      svg.classList.toggle(`no-${box.dataset.layer}`, !box.checked);
      picture.draw();
    };
    box.addEventListener("change", toggle);
    // A browser may remember the box of an earlier visit.
    toggle();
  }
  return () => {
    for (const box of boxes) {
      const label = box.closest("label");
      if (label) label.hidden = !svg.querySelector(`.layer.${box.dataset.layer}:not([hidden])`);
    }
  };
}

/** Hides lines, ellipses and rows that are less sure than the slider says. */
function slider(svg: SVGSVGElement, picture: Picture): () => void {
  const floor = document.querySelector<HTMLInputElement>("#floor");
  const kept = document.getElementById("kept");
  if (!floor || !kept) return () => undefined;
  const sift = (): void => {
    const least = Number(floor.value);
    const hide = (element: HTMLElement | SVGElement, isBelow: boolean): void => {
      element.classList.toggle("below", isBelow);
    };
    const isBelow = ({ dataset }: HTMLElement | SVGElement): boolean => Number(dataset.c) < least;
    const lines = all<SVGElement>(".lines:not([hidden]) .m", svg);
    for (const line of lines) hide(line, isBelow(line));
    const hidden = new Set(lines.filter(isBelow).map((line) => line.dataset.s));
    for (const ellipse of all<SVGElement>(".ellipses:not([hidden]) ellipse", svg)) hide(ellipse, hidden.has(ellipse.dataset.s));
    const rows = all("[data-run]:not([hidden]) table.pairs tbody tr");
    for (const row of rows) hide(row, isBelow(row));
    kept.textContent = `${least.toFixed(2)}: ${rows.filter((row) => !isBelow(row)).length} of ${rows.length} pairs`;
    picture.draw();
    document.dispatchEvent(new Event("sift"));
  };
  floor.addEventListener("input", sift);
  return sift;
}

/** Buttons and rows that show a run. */
function runs(shown: () => void): void {
  const buttons = all("[data-pick]");
  const rows = all("tr[data-row]");
  const show = (run = ""): void => {
    for (const element of all("[data-run]")) element.toggleAttribute("hidden", element.dataset.run !== run);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.pick === run));
    for (const row of rows) row.classList.toggle("current", row.dataset.row === run);
    shown();
    document.dispatchEvent(new Event("run"));
  };
  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.pick));
  for (const row of rows) {
    row.classList.add("pickable");
    row.addEventListener("click", () => show(row.dataset.row));
  }
  for (const group of all(".switch")) group.hidden = false;
}

start();
