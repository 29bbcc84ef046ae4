// What is always in sight: how the match stands, what was said, and how the expected accuracy rose.

import { byId, count, el, fill, percent, svg } from "./dom";
import { mark } from "./drawing/marks";
import { type Model, Standing, STANDINGS } from "./model";

const EXPLAINED = [
  "Nodes without a partner so far",
  "Pairs that the match is less than 90 % sure of",
  "Pairs that the match is at least 90 % sure of",
  "Pairs that you said",
  "Anchors that the rest of the evidence speaks against: look at them again",
  "Nodes of which you said that they have no partner",
];

/** The order in which people want to read it. */
const ORDER = [3, 2, 1, 0, 4, 5];

export class Meter {
  constructor(private readonly model: Model) {
    model.on(["state", "match", "progress", "line"], () => this.show());
  }

  show(): void {
    this.status();
    this.numbers();
    this.legend();
  }

  private status(): void {
    const { model } = this;
    const box = byId("status");
    const { progress, summary, failure } = model;
    box.className = "status";
    let words: string;
    if (!model.isOpen) {
      box.classList.add("bad");
      words = "no connection";
    } else if (failure) {
      box.classList.add("bad");
      words = "no match";
    } else if (!model.isCurrent) {
      box.classList.add("busy");
      const share = progress?.total ? ` ${Math.min(100, Math.round((100 * progress.done) / progress.total))} %` : "";
      words = progress ? `matching: ${progress.stage}${share}` : "matching…";
    } else {
      box.classList.add("good");
      words = summary ? `matched in ${seconds(summary.seconds)}` : "";
    }
    fill(box, el("span", { class: "dot" }), words);
    box.title = summary?.notes.join("\n") ?? "";
    const banner = byId("banner");
    banner.hidden = model.isOpen && !failure;
    if (!model.isOpen) {
      banner.textContent =
        "The program does not answer. Nothing is lost: start it again with the same command, and open the address that it prints.";
    } else if (failure) banner.textContent = `No match: ${failure}`;
  }

  private numbers(): void {
    const { model } = this;
    const { summary, state } = model;
    if (!state) return;
    const settled = model.anchored[0].size + model.alone[0].size;
    const share = summary && summary.pairs > 0 ? summary.expected / summary.pairs : null;
    const figure = (value: string, words: string, title: string): HTMLElement =>
      el("div", { class: "figure", title }, el("b", {}, value), el("span", {}, words));
    const pairs = summary ? `of ${count(summary.pairs)} pairs expected right` : "expected right";
    fill(
      byId("figures"),
      figure(
        share === null ? "–" : percent(share),
        pairs,
        "The sum of all confidences: as many pairs are right as the match itself expects",
      ),
      figure(
        count(settled),
        `of ${count(model.graphs[0].nodes)} settled`,
        "Nodes on the left of which you said the partner, or that they have none",
      ),
      figure(count(state.asked), state.asked === 1 ? "question answered" : "questions answered", "Answers in the panel below"),
      this.curve(),
    );
  }

  /** How the expected share rose with what was said. */
  private curve(): SVGElement {
    const points = this.model.curve;
    const [w, h] = [92, 40];
    const most = Math.max(1, ...points.map(([settled]) => settled));
    const least = Math.min(...points.map(([settled]) => settled), most - 1);
    const x = (settled: number): number => 3 + ((w - 6) * (settled - least)) / Math.max(1, most - least);
    const y = (share: number): number => h - 4 - (h - 8) * share;
    const d = points.map(([settled, share], k) => `${k ? "L" : "M"}${x(settled).toFixed(1)} ${y(share).toFixed(1)}`).join("");
    const last = points[points.length - 1];
    const words = points.map(([settled, share]) => `${settled} settled: ${percent(share)}`).join("\n");
    const drawing = svg(
      "svg",
      { viewBox: `0 0 ${w} ${h}`, class: "curve", role: "img", "aria-label": "Expected accuracy by settled nodes" },
      svg("title", {}, words || "The expected accuracy after each answer will be drawn here"),
      svg("path", { d: `M3 ${y(0)}H${w - 3}M3 ${y(1)}H${w - 3}`, class: "grid" }),
      svg("path", { d: d || "M0 0", class: "line" }),
    );
    if (last) drawing.append(svg("circle", { cx: String(x(last[0])), cy: String(y(last[1])), r: "3", class: "end" }));
    return drawing;
  }

  private legend(): void {
    const { counts, summary } = this.model;
    const items = ORDER.map((k) => {
      const isSaid = k === Standing.Anchor || k === Standing.Alone;
      const many = summary || isSaid ? count(counts[k]) : "–";
      return el(
        "li",
        { title: EXPLAINED[k] },
        mark(k),
        el("span", {}, STANDINGS[k]),
        el("b", {}, many),
      );
    });
    fill(byId("legend"), ...items);
  }
}

function seconds(value: number): string {
  return value < 1 ? `${Math.max(1, Math.round(1000 * value))} ms` : `${value.toFixed(1)} s`;
}
