// A grid over the nodes of a graph: which are in sight, and which is under the pointer.

import type { Camera } from "./camera";

/** Nodes of a cell, about, and the most cells of a row: each row in sight is a call of the graphics card. */
const CROWD = 8;
const MOST_CELLS = 48;
/** An edge longer than so many cells is drawn always, and fainter. */
const LONG = 3;

export type Range = [first: number, many: number];

/** How many there are in ranges. */
export function total(ranges: Range[]): number {
  return ranges.reduce((sum, [, many]) => sum + many, 0);
}

export class Index {
  readonly bounds: [number, number, number, number];
  private readonly side: number;
  private readonly order: Uint32Array;
  private readonly starts: Uint32Array;
  private readonly edgeOrder: Uint32Array;
  private readonly edgeStarts: Uint32Array;
  /** Every second node in the order of the cells, then every fourth, and so on: samples that are spread as the nodes are. */
  readonly picks: Uint32Array;
  private readonly picksAt: number[] = [];

  constructor(
    private readonly places: Float32Array,
    private readonly edges: Uint32Array,
  ) {
    const n = places.length / 2;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < n; i++) {
      left = Math.min(left, places[2 * i]);
      right = Math.max(right, places[2 * i]);
      top = Math.min(top, places[2 * i + 1]);
      bottom = Math.max(bottom, places[2 * i + 1]);
    }
    this.bounds = n > 0 ? [left, top, right, bottom] : [0, 0, 1, 1];
    this.side = Math.min(MOST_CELLS, Math.max(1, Math.floor(Math.sqrt(n / CROWD))));
    const cells = this.side * this.side;
    [this.order, this.starts] = sorted(n, cells, (i) => this.cell(places[2 * i], places[2 * i + 1]));
    const reach = LONG * Math.max(this.step(0), this.step(1));
    // Long edges come last, in a cell of their own.
    const cellOf = (e: number): number => {
      const [u, v] = [2 * edges[2 * e], 2 * edges[2 * e + 1]];
      const [x, y] = [places[u], places[u + 1]];
      const isLong = Math.abs(places[v] - x) > reach || Math.abs(places[v + 1] - y) > reach;
      return isLong ? cells : this.cell(x, y);
    };
    [this.edgeOrder, this.edgeStarts] = sorted(edges.length / 2, cells + 1, cellOf);
    const picks: number[] = [];
    for (let every = 2; every < n; every *= 2) {
      this.picksAt.push(picks.length);
      for (let k = 0; k < n; k += every) picks.push(k);
    }
    this.picks = Uint32Array.from(picks);
  }

  /** Of ranges of nodes as few as `most`, about: as ranges of `picks`; the ranges themselves where they are not more. */
  thinned(ranges: Range[], most: number): { ranges: Range[]; isPicked: boolean } {
    const level = Math.min(this.picksAt.length, Math.ceil(Math.log2(Math.max(1, total(ranges) / most))));
    if (level <= 0) return { ranges, isPicked: false };
    const at = (k: number): number => Math.ceil(k / 2 ** level);
    const offset = this.picksAt[level - 1];
    const picked = ranges.map(([first, many]): Range => [offset + at(first), at(first + many) - at(first)]);
    return { ranges: picked.filter(([, many]) => many > 0), isPicked: true };
  }

  /** The nodes with one of these standings, by their numbers in the order of the cells, evenly thinned out to `most`. */
  having(standing: Uint8Array, wanted: Set<number>, most: number): Uint32Array {
    const found: number[] = [];
    this.order.forEach((node, k) => {
      if (wanted.has(standing[node])) found.push(k);
    });
    const every = Math.ceil(found.length / most);
    return Uint32Array.from(every > 1 ? found.filter((_, k) => k % every === 0) : found);
  }

  private step(axis: number): number {
    return (this.bounds[2 + axis] - this.bounds[axis]) / this.side;
  }

  private coordinate(value: number, axis: number): number {
    const step = this.step(axis);
    const at = step > 0 ? Math.floor((value - this.bounds[axis]) / step) : 0;
    return Math.min(this.side - 1, Math.max(0, at));
  }

  private cell(x: number, y: number): number {
    return this.coordinate(y, 1) * this.side + this.coordinate(x, 0);
  }

  /** Values of the nodes in the order of the cells. */
  ordered(values: Float32Array, width: number): Float32Array {
    const out = new Float32Array(values.length);
    this.order.forEach((node, k) => {
      for (let d = 0; d < width; d++) out[width * k + d] = values[width * node + d];
    });
    return out;
  }

  orderedBytes(values: Uint8Array): Uint8Array {
    return Uint8Array.from(this.order, (node) => values[node]);
  }

  /** Both ends of every edge, in the order of the cells. */
  edgePlaces(places: Float32Array): Float32Array {
    const out = new Float32Array(4 * this.edgeOrder.length);
    this.edgeOrder.forEach((edge, k) => {
      for (let end = 0; end < 2; end++) {
        const node = this.edges[2 * edge + end];
        out[4 * k + 2 * end] = places[2 * node];
        out[4 * k + 2 * end + 1] = places[2 * node + 1];
      }
    });
    return out;
  }

  private rows(camera: Camera, margin: number, wider: number): [number, number, number, number] {
    const [left, top, right, bottom] = camera.seen(margin);
    const clamp = (k: number): number => Math.min(this.side - 1, Math.max(0, k));
    return [
      clamp(this.coordinate(left, 0) - wider),
      clamp(this.coordinate(top, 1) - wider),
      clamp(this.coordinate(right, 0) + wider),
      clamp(this.coordinate(bottom, 1) + wider),
    ];
  }

  private ranges(starts: Uint32Array, camera: Camera, wider: number): Range[] {
    const [left, top, right, bottom] = this.rows(camera, 24, wider);
    const found: Range[] = [];
    for (let y = top; y <= bottom; y++) {
      const first = starts[y * this.side + left];
      const last = starts[y * this.side + right + 1];
      const before = found[found.length - 1];
      if (before && before[0] + before[1] === first) before[1] += last - first;
      else if (last > first) found.push([first, last - first]);
    }
    return found;
  }

  /** Ranges of nodes, in the order of the cells, that can be seen. */
  visible(camera: Camera): Range[] {
    return this.ranges(this.starts, camera, 0);
  }

  visibleEdges(camera: Camera): Range[] {
    return this.ranges(this.edgeStarts, camera, LONG + 1);
  }

  /** The edges that are too long for any cell, of which some may cross the view. */
  get longEdges(): Range {
    const cells = this.side * this.side;
    return [this.edgeStarts[cells], this.edgeStarts[cells + 1] - this.edgeStarts[cells]];
  }

  /** The nodes that can be seen, unless they are more than `most`. */
  nodesInSight(camera: Camera, most: number): number[] | null {
    const found: number[] = [];
    const [left, top, right, bottom] = camera.seen();
    for (const [first, many] of this.visible(camera)) {
      for (let k = first; k < first + many; k++) {
        const node = this.order[k];
        const [x, y] = [this.places[2 * node], this.places[2 * node + 1]];
        if (x >= left && x <= right && y >= top && y <= bottom) found.push(node);
        if (found.length > most) return null;
      }
    }
    return found;
  }

  /** The node nearest to a pixel, within so many pixels. */
  nearest(camera: Camera, places: Float32Array, px: number, py: number, reach: number): number {
    const [x, y] = camera.toPlace(px, py);
    const r = reach / camera.scale;
    let best = -1;
    let least = r * r;
    const [x0, x1] = [this.coordinate(x - r, 0), this.coordinate(x + r, 0)];
    const [y0, y1] = [this.coordinate(y - r, 1), this.coordinate(y + r, 1)];
    for (let cy = y0; cy <= y1; cy++) {
      for (let k = this.starts[cy * this.side + x0]; k < this.starts[cy * this.side + x1 + 1]; k++) {
        const node = this.order[k];
        const square = (places[2 * node] - x) ** 2 + (places[2 * node + 1] - y) ** 2;
        if (square <= least) [best, least] = [node, square];
      }
    }
    return best;
  }
}

/** Items by their cells: their order, and where each cell begins. */
function sorted(n: number, cells: number, cell: (i: number) => number): [Uint32Array, Uint32Array] {
  const starts = new Uint32Array(cells + 1);
  const of = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    of[i] = cell(i);
    starts[of[i] + 1]++;
  }
  for (let c = 0; c < cells; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[next[of[i]]++] = i;
  return [order, starts];
}

/** The nearest node in a direction, those straight ahead before those aside. */
export function ahead(places: Float32Array, at: number, [dx, dy]: [number, number]): number {
  let [best, least] = [at, Infinity];
  for (let node = 0; node < places.length / 2; node++) {
    const [x, y] = [places[2 * node] - places[2 * at], places[2 * node + 1] - places[2 * at + 1]];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy - y * dx);
    if (node === at || along <= 0 || aside > 1.2 * along) continue;
    const cost = along + 2 * aside;
    if (cost < least) [best, least] = [node, cost];
  }
  return best;
}
