// What a picture is made of, in the order in which it is painted: images, edges, match lines, nodes. All of it where the view
// rests, and while it moves no more than the slowest machine paints between two frames.

import type { Camera } from "./camera";
import type { Index, Range } from "./index";

export type Kind = "image" | "edges" | "lines" | "nodes";

/** Some of one kind, to be painted by one call. */
export interface Piece {
  kind: Kind;
  side: 0 | 1;
  first: number;
  many: number;
  /** Which of the nodes: those in a row, the sample of the grid, or those that stand out. */
  of: "all" | "picks" | "notable";
  /** Long edges are fainter the more there are. */
  isLong: boolean;
}

/** What there is to paint: the images, grids, and nodes that stand out, by side; lines of pairs, and after them of anchors. */
export interface Scene {
  images: [boolean, boolean];
  indices: [Index, Index];
  notable: [number, number];
  lines: [pairs: number, anchors: number];
}

/** What painting one of a kind takes, in nodes. A match line crosses the page, and a long edge much of its pane. */
const COST = { image: 4_000, edges: 1, long: 3, lines: 20, nodes: 1 };

/** A picture of this cost is painted anew in every frame. */
export const CALM = 24_000;

/** While a larger one moves: nodes of a side, edges of a side (all or none), and lines, of pairs and of anchors each. */
const SKETCH = { nodes: 6_000, edges: 5_000, lines: 150 };
/** Nodes of a side that stand out and are never left out, at the most. */
export const NOTABLE = 600;

export function cost(pieces: Piece[]): number {
  return pieces.reduce((sum, piece) => sum + costOf(piece), 0);
}

function costOf({ kind, many, isLong }: Piece): number {
  return many * (isLong ? COST.long : COST[kind]);
}

const BOTH = [0, 1] as const;

function piece(kind: Kind, side: 0 | 1, [first, many]: Range, of: Piece["of"] = "all", isLong = false): Piece {
  return { kind, side, first, many, of, isLong };
}

function images(scene: Scene): Piece[] {
  return BOTH.filter((side) => scene.images[side]).map((side) => piece("image", side, [0, 1]));
}

function edges(scene: Scene, cameras: [Camera, Camera], side: 0 | 1): Piece[] {
  const index = scene.indices[side];
  const near = index.visibleEdges(cameras[side]).map((range) => piece("edges", side, range));
  return [piece("edges", side, index.longEdges, "all", true), ...near].filter(({ many }) => many > 0);
}

/** Everything in sight. */
export function whole(scene: Scene, cameras: [Camera, Camera]): Piece[] {
  const [pairs, anchors] = scene.lines;
  return [
    ...images(scene),
    ...BOTH.flatMap((side) => edges(scene, cameras, side)),
    ...(pairs + anchors > 0 ? [piece("lines", 0, [0, pairs + anchors])] : []),
    ...BOTH.flatMap((side) => scene.indices[side].visible(cameras[side]).map((range) => piece("nodes", side, range))),
  ];
}

/** A sample of what is in sight, as evenly spread as all of it. */
export function sketch(scene: Scene, cameras: [Camera, Camera]): Piece[] {
  const [pairs, anchors] = scene.lines;
  const lines: Range[] = [
    [0, Math.min(pairs, SKETCH.lines)],
    [pairs, Math.min(anchors, SKETCH.lines)],
  ];
  return [
    ...images(scene),
    ...BOTH.flatMap((side) => {
      const all = edges(scene, cameras, side);
      return cost(all) <= SKETCH.edges ? all : [];
    }),
    ...lines.filter(([, many]) => many > 0).map((range) => piece("lines", 0, range)),
    ...BOTH.flatMap((side) => {
      const inSight = scene.indices[side].visible(cameras[side]);
      const { ranges, isPicked } = scene.indices[side].thinned(inSight, SKETCH.nodes);
      const some = ranges.map((range) => piece("nodes", side, range, isPicked ? "picks" : "all"));
      return isPicked ? [...some, piece("nodes", side, [0, scene.notable[side]], "notable")] : some;
    }),
  ].filter(({ many }) => many > 0);
}

/** Takes pieces worth `budget` from the front of a list, cutting the last of them. */
export function take(pieces: Piece[], budget: number): Piece[] {
  const taken: Piece[] = [];
  let left = budget;
  while (pieces.length > 0 && left > 0) {
    const next = pieces[0];
    const each = costOf(next) / next.many;
    const many = Math.min(next.many, Math.max(1, Math.floor(left / each)));
    taken.push({ ...next, many });
    left -= many * each;
    if (many === next.many) pieces.shift();
    else pieces[0] = { ...next, first: next.first + many, many: next.many - many };
  }
  return taken;
}

/** The order in which the lines of n pairs are kept, so that the first few are spread over all: steps of the golden section. */
export function spread(n: number): Uint32Array {
  let step = Math.max(1, Math.round(0.618 * n));
  const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b));
  while (common(step, n) > 1) step++;
  return Uint32Array.from({ length: n }, (_, k) => (k * step) % n);
}

