// The picture of the report: nodes, edges, marks, lines and ids are drawn by the code of the page; and what one looks at is
// linked among lines, nodes, the drawing of the map, and rows of the table.

import { svg } from "../dom";
import { join } from "../drawing/attention";
import { SvgPen } from "../drawing/pen";
import { lineOpacity } from "../drawing/rules";
import { Panel, type Side, SIDES } from "./panel";
import type { View } from "./view";

/** Lines, or a node with its lines, and what is said of them. */
interface Look {
  found: SVGLineElement[];
  node: { side: Side; n: string } | null;
  words: string;
}

const NOTHING: Look = { found: [], node: null, words: "" };
/** How near the pointer has to be to a line, in pixels: thin ones are hard to hit. */
const REACH = 7;

export function all<T extends Element = HTMLElement>(selector: string, root: ParentNode = document): T[] {
  return [...root.querySelectorAll<T>(selector)];
}

const isSeen = (line: Element): boolean => !line.classList.contains("below");
const isAny = ({ found, node }: Look): boolean => found.length > 0 || node !== null;
const text = (element: Element): string => element.textContent ?? "";
const ofLines = (found: SVGLineElement[]): Look => ({ found, node: null, words: found.map(text).join("; ") });

export class Picture {
  private readonly panels: Panel[];
  private readonly sheet = svg("g", { class: "layer labels", "pointer-events": "none" });
  private readonly pen = new SvgPen(this.sheet);
  private lines: SVGLineElement[] = [];
  private hot: Element[] = [];
  private at: Look = NOTHING;
  /** What was clicked stays until something else is, or Escape. */
  private pinned: Look | null = null;
  private due = false;

  constructor(
    private readonly picture: SVGSVGElement,
    private readonly readout: HTMLElement,
    private readonly view: View,
  ) {
    this.panels = SIDES.map((side) => new Panel(picture, side, view));
    picture.append(this.sheet);
    this.takeLines();
    this.listen();
    // In the same frame, or nodes would be seen in the wrong size for a moment.
    view.onChange(() => this.drawNow());
    this.draw();
  }

  /** Draws with the next frame. */
  draw(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.drawNow();
    });
  }

  private drawNow(): void {
    for (const panel of this.panels) panel.draw();
    const marks = this.picture.querySelector<SVGElement>(".marks:not([hidden])");
    const shapes = marks?.querySelector(".shapes");
    shapes?.replaceChildren(...this.panels.flatMap((panel) => panel.marks(marks?.dataset[panel.side] ?? "")));
    const opacity = lineOpacity(this.lines.filter(isSeen).length);
    for (const bundle of all<SVGElement>(".lines:not([hidden]) .bundle", this.picture)) {
      bundle.setAttribute("stroke-opacity", String(Math.min(1, opacity * Number(bundle.dataset.strength))));
    }
    this.attend();
  }

  /** Rings, edges and lines of what is looked at, and ids. */
  private attend(): void {
    const { pen, at } = this;
    const [source, target] = this.panels;
    const wanted: Record<Side, Set<string>> = { source: new Set(), target: new Set() };
    if (at.node) wanted[at.node.side].add(at.node.n);
    for (const { dataset } of at.found) {
      wanted.source.add(dataset.s ?? "");
      wanted.target.add(dataset.t ?? "");
    }
    for (const line of at.found) {
      const ends = [source.at(line.dataset.s ?? ""), target.at(line.dataset.t ?? "")];
      // The first class says that it is a match line, the second its colour.
      if (ends[0] && ends[1]) join(pen, ends[0], ends[1], `--${line.classList[1]}`);
    }
    for (const panel of this.panels) for (const node of wanted[panel.side]) panel.point(pen, node);
    const isAskedFor = !this.picture.classList.contains("no-labels");
    for (const panel of this.panels) panel.label(pen, [...wanted[panel.side]], isAskedFor);
    pen.show();
    this.sheet.setAttribute("transform", this.view.transform);
  }

  private takeLines(): void {
    this.lines = all<SVGLineElement>(".lines:not([hidden]) .m", this.picture);
  }

  /** Another run is shown. */
  show(): void {
    this.takeLines();
    this.pinned = null;
    this.look(NOTHING);
    this.draw();
  }

  /** Looks at something; at nothing, what is pinned is looked at. */
  private look(at: Look): void {
    this.at = isAny(at) ? at : (this.pinned ?? NOTHING);
    for (const element of this.hot) element.classList.remove("hot");
    const sources = new Set(this.at.found.map((line) => line.dataset.s));
    if (this.at.node?.side === "source") sources.add(this.at.node.n);
    // Where the map expects the partners of the source's nodes.
    this.hot = [...sources].flatMap((s) =>
      all(`.ellipses:not([hidden]) [data-s="${s}"], .epipolar:not([hidden]) [data-s="${s}"]`, this.picture),
    );
    for (const element of this.hot) element.classList.add("hot");
    this.picture.classList.toggle("looking", this.at.found.length > 0);
    this.readout.textContent = this.at.words;
    this.draw();
  }

  /** All that is known of a node: its lines, or why it has none. */
  private ofNode(circle: SVGElement): Look {
    const side: Side = (circle.parentNode as Element).classList.contains("source") ? "source" : "target";
    const letter = side === "source" ? "s" : "t";
    const n = circle.dataset.n ?? "";
    const found = this.lines.filter((line) => line.dataset[letter] === n);
    const lone = this.picture.querySelector(`.marks:not([hidden]) .lone[data-${letter}="${n}"]`);
    const why = lone ? text(lone) : `${text(circle)} · no line`;
    return { found, node: { side, n }, words: found.length > 0 ? found.map(text).join("; ") : why };
  }

  private nearest({ x, y }: DOMPoint): SVGLineElement | null {
    let best: SVGLineElement | null = null;
    let least = REACH / this.view.zoom;
    if (this.picture.classList.contains("no-lines")) return best;
    for (const line of this.lines.filter(isSeen)) {
      const [x1, y1, x2, y2] = [line.x1, line.y1, line.x2, line.y2].map((end) => end.baseVal.value);
      const [dx, dy] = [x2 - x1, y2 - y1];
      const square = dx * dx + dy * dy;
      const along = square > 0 ? Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / square)) : 0;
      const distance = Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
      if (distance < least) [least, best] = [distance, line];
    }
    return best;
  }

  private under(event: MouseEvent): Look {
    const node = (event.target as Element).closest<SVGElement>("[data-n]");
    if (node) return this.ofNode(node);
    const place = this.view.place(event);
    const line = place ? this.nearest(place) : null;
    return line ? ofLines([line]) : NOTHING;
  }

  private listen(): void {
    const { picture } = this;
    picture.addEventListener("pointermove", (event) => {
      if (!picture.classList.contains("dragging")) this.look(this.under(event));
    });
    picture.addEventListener("pointerleave", () => this.look(NOTHING));
    picture.addEventListener("click", (event) => {
      if (picture.dataset.dragged === "yes") return;
      const at = this.under(event);
      this.pinned = isAny(at) ? at : null;
      this.look(NOTHING);
    });
    picture.addEventListener("keydown", (event) => this.key(event.key));
    for (const table of all("table.pairs")) {
      table.addEventListener("pointerover", (event) => {
        const row = (event.target as Element).closest<HTMLElement>("tr[data-s]");
        const isSame = (line: SVGLineElement): boolean => line.dataset.s === row?.dataset.s && line.dataset.t === row?.dataset.t;
        this.look(row ? ofLines(this.lines.filter(isSame)) : NOTHING);
      });
      table.addEventListener("pointerleave", () => this.look(NOTHING));
    }
  }

  private key(key: string): void {
    if (key === "Escape") {
      this.pinned = null;
      this.look(NOTHING);
    }
    const shown = this.lines.filter(isSeen);
    if ((key !== "n" && key !== "p") || shown.length === 0) return;
    const step = key === "n" ? 1 : -1;
    const here = this.pinned?.found[0] ? shown.indexOf(this.pinned.found[0]) : -1;
    const next = here < 0 ? (step > 0 ? 0 : shown.length - 1) : (here + step + shown.length) % shown.length;
    this.pinned = ofLines([shown[next]]);
    this.look(NOTHING);
  }
}
