// One graph of the report's picture, as its SVG has it.

import { gap, ring, star } from "../drawing/attention";
import { writeLabels } from "../drawing/labels";
import { MARKS, marks } from "../drawing/marks";
import type { Pen, Spot } from "../drawing/pen";
import { edgeOpacity, LABELLED, radius } from "../drawing/rules";
import type { View } from "./view";

export const SIDES = ["source", "target"] as const;
export type Side = (typeof SIDES)[number];

export class Panel {
  private readonly circles: SVGCircleElement[];
  private readonly places: Spot[];
  /** As they were written, for the whole picture. */
  private readonly radii: number[];
  private readonly order = new Map<string, number>();
  private readonly edgePath: SVGPathElement | null;
  private readonly edges: [Spot, Spot][] = [];

  constructor(
    picture: SVGSVGElement,
    readonly side: Side,
    private readonly view: View,
  ) {
    this.circles = [...picture.querySelectorAll<SVGCircleElement>(`.nodes.${side} circle`)];
    this.places = this.circles.map(({ cx, cy }) => [cx.baseVal.value, cy.baseVal.value]);
    this.radii = this.circles.map(({ r }) => r.baseVal.value);
    this.circles.forEach((circle, k) => this.order.set(circle.dataset.n ?? "", k));
    this.edgePath = picture.querySelector(`.edges[data-side="${side}"]`);
    for (const edge of (this.edgePath?.getAttribute("d") ?? "").split("M").slice(1)) {
      const [x, y, u, v] = edge.split(/[ L]/).map(Number);
      this.edges.push([
        [x, y],
        [u, v],
      ]);
    }
  }

  /** What a radius of the whole picture is now, in its units. */
  private get growth(): number {
    const { zoom } = this.view;
    const nodes = this.circles.length;
    return radius(nodes, zoom) / radius(nodes) / zoom;
  }

  /** Nodes and edges by how near one looks. */
  draw(): void {
    const { growth } = this;
    this.circles.forEach((circle, k) => circle.setAttribute("r", String(this.radii[k] * growth)));
    this.edgePath?.setAttribute("stroke-opacity", String(edgeOpacity(this.edges.length, this.view.zoom)));
  }

  /** The marks of nodes that stand so, a digit each. */
  marks(standings: string): SVGElement[] {
    const { growth } = this;
    return MARKS.flatMap((_, standing) => {
      const nodes = [...standings].flatMap((digit, k) => (Number(digit) === standing ? [k] : []));
      const radii = nodes.map((k) => this.radii[k] * growth);
      return marks(standing, nodes.map((k) => this.places[k]), radii);
    });
  }

  private index(node: string): number {
    return this.order.get(node) ?? -1;
  }

  /** Where a node is, and its radius, in pixels of the whole picture. */
  private spot(k: number): [Spot, number] {
    return [this.view.pixel(this.places[k]), this.radii[k] * this.growth * this.view.zoom];
  }

  at(node: string): [Spot, number] | null {
    const k = this.index(node);
    return k < 0 ? null : this.spot(k);
  }

  /** The ring about a node, and its edges. */
  point(pen: Pen, node: string): void {
    const k = this.index(node);
    if (k < 0) return;
    const [x, y] = this.places[k];
    const is = ([u, v]: Spot): boolean => Math.abs(u - x) < 0.05 && Math.abs(v - y) < 0.05;
    const ends = this.edges.flatMap(([from, to]) => (is(from) ? [to] : is(to) ? [from] : []));
    const [at, size] = this.spot(k);
    star(pen, at, size, ends.map((end) => this.view.pixel(end)));
    ring(pen, at, size);
  }

  /** The ids of `wanted` nodes, and of others where there is room and they are asked for. */
  label(pen: Pen, wanted: string[], isAskedFor: boolean): void {
    const { width, height, middle } = this.view;
    const [left, right] = this.side === "source" ? [0, middle] : [middle, width];
    const spots = this.circles.map((_, k) => this.spot(k));
    const inSight = spots.flatMap(([[x, y]], k) => (x >= 0 && y >= 0 && x <= width && y <= height ? [k] : []));
    const others = isAskedFor && inSight.length <= LABELLED ? inSight : [];
    const nodes = wanted.map((node) => this.index(node)).filter((k) => k >= 0);
    writeLabels(pen, new Set(nodes), others, {
      name: (k) => this.circles[k].textContent ?? "",
      at: (k) => spots[k][0],
      gap: gap(radius(this.circles.length, this.view.zoom)),
      left,
      right,
      rank: () => 0,
    });
  }
}
