// What one looks at: rings about nodes, the edges of a node, the line of a pair. Lines end at rings, so that marks stay in sight.

import type { Pen, Spot } from "./pen";

/** How far a ring stands off its node, and a label. */
const OFF = 5;
const GAP = 8;

/** The point so far from one on the way to another. */
function towards([x, y]: Spot, [u, v]: Spot, far: number): Spot {
  const share = Math.min(0.5, far / Math.max(1e-9, Math.hypot(u - x, v - y)));
  return [x + share * (u - x), y + share * (v - y)];
}

/** The ring about a node of this radius. */
export function ring(pen: Pen, at: Spot, radius: number, width = 2.5, isFaint = false): void {
  pen.circle(at, radius + OFF, { colour: isFaint ? "--faint" : "--ink", width });
}

/** The edges of a node of this radius to others of about the same. */
export function star(pen: Pen, at: Spot, radius: number, ends: Spot[]): void {
  const edges = ends.map((end): [Spot, Spot] => [towards(at, end, radius + OFF), towards(end, at, radius)]);
  pen.lines(edges, { colour: "--dim", width: 1.5 });
}

/** The line of a pair, each end a place and a radius. */
export function join(pen: Pen, [from, one]: [Spot, number], [to, other]: [Spot, number], colour: string): void {
  pen.lines([[towards(from, to, one + OFF), towards(to, from, other + OFF)]], { colour, width: 2.5 });
}

/** The line that is being drawn. */
export function rubber(pen: Pen, from: Spot, to: Spot): void {
  pen.lines([[from, to]], { colour: "--anchor", width: 2.5, dash: [6, 5] });
}

/** Pixels between a node of this radius and its label. */
export function gap(radius: number): number {
  return radius + GAP;
}
