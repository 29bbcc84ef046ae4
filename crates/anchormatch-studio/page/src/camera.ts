// How the coordinates of a graph become pixels of its pane: first all of it fits, then a person zooms and moves.

export interface Pane {
  left: number;
  top: number;
  width: number;
  height: number;
}

const MARGIN = 34;
/** Room for the name above and the hints below. */
const HEAD = 44;
const FOOT = 66;

/** A zoom and a shift relative to the view of everything, which both panes may share. */
export interface Relative {
  zoom: number;
  x: number;
  y: number;
}

export class Camera {
  pane: Pane = { left: 0, top: 0, width: 1, height: 1 };
  relative: Relative = { zoom: 1, x: 0, y: 0 };
  private centre = [0, 0];
  private fitted = 1;

  /** Fits a frame: left, top, right, bottom. */
  fit([left, top, right, bottom]: number[]): void {
    this.centre = [(left + right) / 2, (top + bottom) / 2];
    const wide = Math.max(right - left, 1e-9);
    const high = Math.max(bottom - top, 1e-9);
    const room = [this.pane.width - 2 * MARGIN, this.pane.height - HEAD - FOOT];
    this.fitted = Math.max(1e-9, Math.min(room[0] / wide, room[1] / high));
  }

  get scale(): number {
    return this.fitted * this.relative.zoom;
  }

  private get middle(): [number, number] {
    const { left, top, width, height } = this.pane;
    return [left + width / 2 + this.relative.x, top + HEAD + (height - HEAD - FOOT) / 2 + this.relative.y];
  }

  /** Shift and scale of both axes: pixel = shift + scale · place. */
  numbers(): [number, number, number, number] {
    const [x, y] = this.middle;
    const s = this.scale;
    return [x - s * this.centre[0], y - s * this.centre[1], s, s];
  }

  toPixel(x: number, y: number): [number, number] {
    const [dx, dy, s] = this.numbers();
    return [dx + s * x, dy + s * y];
  }

  toPlace(x: number, y: number): [number, number] {
    const [dx, dy, s] = this.numbers();
    return [(x - dx) / s, (y - dy) / s];
  }

  contains(x: number, y: number): boolean {
    const { left, top, width, height } = this.pane;
    return x >= left && y >= top && x < left + width && y < top + height;
  }

  /** What can be seen: left, top, right, bottom, and a margin of so many pixels. */
  seen(margin = 0): [number, number, number, number] {
    const { left, top, width, height } = this.pane;
    const [a, b] = this.toPlace(left - margin, top - margin);
    const [c, d] = this.toPlace(left + width + margin, top + height + margin);
    return [a, b, c, d];
  }

  /** Zooms about a pixel. */
  zoomAt(factor: number, x: number, y: number): void {
    const zoom = Math.min(2000, Math.max(0.2, this.relative.zoom * factor));
    const by = zoom / this.relative.zoom;
    const [mx, my] = this.middle;
    this.relative = {
      zoom,
      x: this.relative.x + (x - mx) * (1 - by),
      y: this.relative.y + (y - my) * (1 - by),
    };
  }

  move(dx: number, dy: number): void {
    this.relative = { ...this.relative, x: this.relative.x + dx, y: this.relative.y + dy };
  }

  /** Brings a place to the middle. */
  centreOn(x: number, y: number, zoom = this.relative.zoom): void {
    const s = this.fitted * zoom;
    this.relative = { zoom, x: -s * (x - this.centre[0]), y: -s * (y - this.centre[1]) };
  }
}
