// Which part of the report's picture is seen: zoom and pan.

import type { Spot } from "../drawing/pen";

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const MOST = 40;

export class View {
  private readonly home: Box;
  private box: Box;
  private changed: () => void = () => undefined;

  constructor(private readonly picture: SVGSVGElement) {
    const { x, y, width, height } = picture.viewBox.baseVal;
    this.home = { x, y, width, height };
    this.box = { ...this.home };
    this.listen();
  }

  onChange(changed: () => void): void {
    this.changed = changed;
  }

  get zoom(): number {
    return this.home.width / this.box.width;
  }

  /** Sizes of what is seen, in pixels: units of the whole picture. */
  get width(): number {
    return this.home.width;
  }

  get height(): number {
    return this.home.height;
  }

  /** Where the left graph ends and the right one begins. */
  get middle(): number {
    const [x] = this.pixel([this.home.x + this.home.width / 2, 0]);
    return Math.min(this.width, Math.max(0, x));
  }

  pixel([x, y]: Spot): Spot {
    return [(x - this.box.x) * this.zoom, (y - this.box.y) * this.zoom];
  }

  /** Makes units of the picture out of pixels. */
  get transform(): string {
    return `translate(${this.box.x} ${this.box.y}) scale(${1 / this.zoom})`;
  }

  /** The place under the pointer. */
  place(event: MouseEvent): DOMPoint | null {
    const matrix = this.picture.getScreenCTM();
    return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : null;
  }

  private apply(): void {
    const { picture, box } = this;
    picture.classList.toggle("zoomed", this.zoom > 1.001);
    picture.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
    this.changed();
  }

  /** Within the whole picture, and never larger than it. */
  private set(next: Omit<Box, "height">): void {
    const { home } = this;
    const width = Math.min(home.width, Math.max(home.width / MOST, next.width));
    const height = (width * home.height) / home.width;
    const inside = (value: number, low: number, room: number): number => Math.min(Math.max(value, low), low + room);
    const x = inside(next.x, home.x, home.width - width);
    const y = inside(next.y, home.y, home.height - height);
    this.box = { x, y, width, height };
    requestAnimationFrame(() => this.apply());
  }

  /** Zooms by a factor, and what lies at a place stays there. */
  zoomBy(factor: number, at: { x: number; y: number } | null = null): void {
    const { home, box } = this;
    const width = Math.min(home.width, Math.max(home.width / MOST, box.width / factor));
    const share = width / box.width;
    const still = at ?? { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    this.set({ x: still.x - (still.x - box.x) * share, y: still.y - (still.y - box.y) * share, width });
  }

  private pan(dx: number, dy: number): void {
    this.set({ x: this.box.x + dx, y: this.box.y + dy, width: this.box.width });
  }

  reset(): void {
    this.set(this.home);
  }

  private listen(): void {
    const { picture } = this;
    const isWhole = (): boolean => this.box.width >= this.home.width;
    picture.addEventListener(
      "wheel",
      (event) => {
        // The page scrolls on where there is nothing to zoom out of.
        if (event.deltaY > 0 && isWhole()) return;
        event.preventDefault();
        this.zoomBy(Math.exp(-0.0015 * event.deltaY * (event.deltaMode === 1 ? 20 : 1)), this.place(event));
      },
      { passive: false },
    );
    this.drag();
    picture.addEventListener("dblclick", () => this.reset());
    const step = (x: number, y: number) => (): void => this.pan((x * this.box.width) / 10, (y * this.box.height) / 10);
    const keys = new Map([
      ["+", () => this.zoomBy(1.3)],
      ["=", () => this.zoomBy(1.3)],
      ["-", () => this.zoomBy(1 / 1.3)],
      ["0", () => this.reset()],
      ["ArrowLeft", step(-1, 0)],
      ["ArrowRight", step(1, 0)],
      ["ArrowUp", step(0, -1)],
      ["ArrowDown", step(0, 1)],
    ]);
    picture.addEventListener("keydown", (event) => {
      const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys.get(event.key);
      // The arrows belong to the page unless there is something to pan over.
      if (!act || (event.key.startsWith("Arrow") && isWhole())) return;
      event.preventDefault();
      act();
    });
  }

  private drag(): void {
    const { picture } = this;
    let drag: { id: number; x: number; y: number } | null = null;
    picture.addEventListener("pointerdown", (event) => {
      picture.dataset.dragged = "no";
      if (event.button === 0 && event.pointerType !== "touch") drag = { id: event.pointerId, x: event.clientX, y: event.clientY };
    });
    picture.addEventListener("pointermove", (event) => {
      if (!drag || event.pointerId !== drag.id) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!picture.classList.contains("dragging")) {
        if (Math.hypot(dx, dy) < 4) return;
        picture.classList.add("dragging");
        picture.dataset.dragged = "yes";
        picture.setPointerCapture(drag.id);
      }
      const matrix = picture.getScreenCTM();
      if (matrix) this.pan(-dx / matrix.a, -dy / matrix.d);
      drag = { ...drag, x: event.clientX, y: event.clientY };
    });
    for (const name of ["pointerup", "pointercancel"]) {
      picture.addEventListener(name, () => {
        drag = null;
        picture.classList.remove("dragging");
      });
    }
  }
}
