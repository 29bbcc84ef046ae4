// What lies over the picture: rings, the edges of the node in question, ids, and the line that is being drawn.

import type { Camera } from "./camera";
import { byId } from "./dom";
import { gap, join, ring, rubber, star } from "./drawing/attention";
import { writeLabels } from "./drawing/labels";
import { CanvasPen, type Pen } from "./drawing/pen";
import { LABELLED } from "./drawing/rules";
import { VARIABLES } from "./look";
import type { Model, Spot } from "./model";

/** Where nodes are, how large, and which can be seen, unless they are more than `most`. */
interface Places {
  at: (side: 0 | 1, node: number) => [number, number];
  radius: (side: 0 | 1) => number;
  inSight: (side: 0 | 1, most: number) => number[] | null;
}

export interface Marks {
  hover: Spot | null;
  /** Where the keyboard is, on either side; -1 for nowhere. */
  cursor: [number, number];
  line: { from: Spot; to: [number, number] } | null;
  isMoving: boolean;
}

/** Edges of a hub that are drawn, evenly chosen of all: at rest, and while the view moves. */
const RAYS = [1000, 150];

export class Sheet {
  readonly canvas = byId<HTMLCanvasElement>("sheet");
  private isBlank = true;
  /** The ends of the edges of the nodes that were asked for last. */
  private readonly ends: [{ node: number; ends: number[] }, { node: number; ends: number[] }] = [
    { node: -1, ends: [] },
    { node: -1, ends: [] },
  ];

  constructor(
    private readonly model: Model,
    private readonly cameras: [Camera, Camera],
    private readonly places: Places,
  ) {}

  write(marks: Marks): void {
    const { model, places } = this;
    // By the processor: a few hundred lines take a graphics card that is none seconds, and others little longer.
    const sheet = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!sheet) return;
    const labelled = [0, 1].map((side) => places.inSight(side as 0 | 1, LABELLED) ?? []);
    const hasMarks = model.shown || model.pending || model.marked.length > 0 || marks.hover || marks.line;
    const isBlank = !hasMarks && Math.max(...marks.cursor) < 0 && labelled.every((some) => some.length === 0);
    // An empty sheet that was empty costs nothing.
    if (isBlank && this.isBlank) return;
    this.isBlank = isBlank;
    const ratio = window.devicePixelRatio || 1;
    sheet.setTransform(ratio, 0, 0, ratio, 0, 0);
    sheet.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const pen = new CanvasPen(sheet);
    const within = (side: 0 | 1, draw: () => void): void => {
      const { left, top, width, height } = this.cameras[side].pane;
      sheet.save();
      sheet.beginPath();
      sheet.rect(left, top, width, height);
      sheet.clip();
      draw();
      sheet.restore();
    };
    const about = (side: 0 | 1, node: number, width: number, isFaint = false): void => {
      if (node < 0) return;
      within(side, () => ring(pen, places.at(side, node), places.radius(side), width, isFaint));
    };
    const { shown } = model;
    if (shown) {
      const other = model.partnerOf(shown);
      const pair: [number, number] = shown.side === 0 ? [shown.node, other] : [other, shown.node];
      for (const side of [0, 1] as const) within(side, () => this.star(pen, side, pair[side], marks.isMoving));
      if (pair[0] >= 0 && pair[1] >= 0 && !model.pending) this.join(pen, pair);
      for (const side of [0, 1] as const) about(side, pair[side], 2.5);
    }
    model.marked.forEach((target, k) => about(1, target, k === model.markedAt ? 3 : 1.5, k !== model.markedAt));
    if (model.pending) about(model.pending.side, model.pending.node, 4);
    if (marks.hover) about(marks.hover.side, marks.hover.node, 2);
    for (const side of [0, 1] as const) about(side, marks.cursor[side], 3);
    if (marks.line) rubber(pen, places.at(marks.line.from.side, marks.line.from.node), marks.line.to);
    for (const side of [0, 1] as const) within(side, () => this.labels(pen, side, labelled[side], marks.hover));
  }

  /** The edges of a node, as far as they are drawn. */
  private star(pen: Pen, side: 0 | 1, node: number, isMoving: boolean): void {
    if (node < 0) return;
    const all = this.endsOf(side, node);
    const every = Math.max(1, Math.ceil(all.length / RAYS[isMoving ? 1 : 0]));
    const some = every > 1 ? all.filter((_, k) => k % every === 0) : all;
    star(
      pen,
      this.places.at(side, node),
      this.places.radius(side),
      some.map((other) => this.places.at(side, other)),
    );
  }

  private endsOf(side: 0 | 1, node: number): number[] {
    const known = this.ends[side];
    if (known.node !== node) {
      const { edges } = this.model.graphs[side];
      known.node = node;
      known.ends = [];
      for (let e = 0; e < edges.length; e += 2) {
        if (edges[e] === node) known.ends.push(edges[e + 1]);
        else if (edges[e + 1] === node) known.ends.push(edges[e]);
      }
    }
    return known.ends;
  }

  private join(pen: Pen, [s, t]: [number, number]): void {
    const { places } = this;
    const [a, b] = [places.at(0, s), places.at(1, t)];
    if (!this.cameras[0].contains(...a) || !this.cameras[1].contains(...b)) return;
    join(pen, [a, places.radius(0)], [b, places.radius(1)], VARIABLES[this.model.graphs[0].standing[s]]);
  }

  private labels(pen: Pen, side: 0 | 1, others: number[], hover: Spot | null): void {
    const { model, places } = this;
    const wanted = new Set<number>();
    // The candidate in question has the first choice of a place.
    if (side === 1 && model.marked.length > 0) wanted.add(model.marked[model.markedAt]);
    for (const spot of [model.pending, model.shown, hover]) {
      if (!spot) continue;
      if (spot.side === side) wanted.add(spot.node);
      else if (model.partnerOf(spot) >= 0) wanted.add(model.partnerOf(spot));
    }
    if (side === 1) model.marked.forEach((target) => wanted.add(target));
    const { left, width } = this.cameras[side].pane;
    writeLabels(pen, wanted, others, {
      name: (node) => model.name(side, node),
      at: (node) => places.at(side, node),
      gap: gap(places.radius(side)),
      left,
      right: left + width,
      rank: (node) => (side === 1 ? model.marked.indexOf(node) + 1 : 0),
    });
  }
}
