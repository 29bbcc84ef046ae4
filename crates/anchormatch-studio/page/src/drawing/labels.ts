// Ids beside nodes, where they do not cover each other.

import { short } from "../dom";
import type { Pen } from "./pen";

type Box = [left: number, top: number, right: number, bottom: number];

export interface Labelled {
  name: (node: number) => string;
  at: (node: number) => [number, number];
  /** Pixels between a node and its label. */
  gap: number;
  /** The left and right edges, which no label crosses. */
  left: number;
  right: number;
  /** What stands before the name: the rank of a candidate. */
  rank: (node: number) => number;
}

/** How far from its gap a label may be put, with a thin line to its node, before it covers another. */
const AWAY = [0, 12, 26, 42, 60, 80, 104];

/** Writes the ids of the `wanted` in any case, and those of others where there is room. */
export function writeLabels(pen: Pen, wanted: Set<number>, others: number[], of: Labelled): void {
  const taken: Box[] = [];
  const isFree = (box: Box): boolean =>
    !taken.some((o) => box[0] < o[2] && box[2] > o[0] && box[1] < o[3] && box[3] > o[1]);
  const put = (node: number, always: boolean): void => {
    const [x, y] = of.at(node);
    const rank = of.rank(node);
    const text = rank > 0 ? `${rank}  ${short(of.name(node), 22)}` : short(of.name(node), 22);
    const wide = pen.measure(text, always);
    const boxes = places(x, y, wide, of.gap, always ? AWAY : [0]);
    const inside = boxes.filter(([left, , right]) => left >= of.left && right <= of.right - 4);
    const free = inside.find(isFree);
    if (!free && !always) return;
    const box = free ?? inside[0] ?? boxes[0];
    taken.push(box);
    const middle = (box[1] + box[3]) / 2;
    const near: [number, number] = [Math.min(Math.max(x, box[0]), box[2]), Math.min(Math.max(y, box[1] + 3), box[3] - 3)];
    const far = Math.hypot(near[0] - x, near[1] - y);
    if (far > of.gap + 6) {
      const from = of.gap / far;
      const begin: [number, number] = [x + (near[0] - x) * from, y + (near[1] - y) * from];
      pen.lines([[begin, near]], { colour: "--faint", width: 1 });
    }
    pen.text(text, [box[0], middle], always);
  };
  // A label may cover a line, but not the ring about a node that is pointed out.
  for (const node of wanted) {
    const [x, y] = of.at(node);
    taken.push([x - of.gap + 1, y - of.gap + 1, x + of.gap - 1, y + of.gap - 1]);
  }
  for (const node of wanted) put(node, true);
  for (const node of others) {
    const [x, y] = of.at(node);
    taken.push([x - 4, y - 4, x + 4, y + 4]);
  }
  for (const node of others) if (!wanted.has(node)) put(node, false);
}

/** Where a label of this width may stand, the best place first. */
function places(x: number, y: number, wide: number, gap: number, away: number[]): Box[] {
  const box = (left: number, middle: number): Box => [left, middle - 8, left + wide, middle + 8];
  return away.flatMap((more) => {
    const out = gap + more;
    const beside = [box(x + out, y), box(x - out - wide, y)];
    if (away.length === 1) return beside;
    const slant = 0.75 * out;
    return [
      ...beside,
      box(x - wide / 2, y - out - 8),
      box(x - wide / 2, y + out + 8),
      box(x + slant, y - slant),
      box(x + slant, y + slant),
      box(x - slant - wide, y - slant),
      box(x - slant - wide, y + slant),
    ];
  });
}
