// The two panes: drawing, pointing, clicking, dragging, and the keyboard for all of it.

import { address, say } from "./api";
import { Camera } from "./camera";
import { byId, isolated } from "./dom";
import { lineOpacity, radius, size } from "./drawing/rules";
import { type Frame, Renderer } from "./gl";
import { ahead, Index } from "./index";
import { look } from "./look";
import { type Model, SIDES, type Spot, STANDINGS, Standing } from "./model";
import { toast } from "./notices";
import { spread } from "./pieces";
import { Sheet } from "./sheet";

const REACH = 14;
/** Edges of graphs with fewer nodes and edges than this are smoothed. */
const SMOOTH = 40_000;
/** After so many milliseconds of rest a view that moved is drawn whole again. */
const REST = 150;
const GLIDE = 380;
/** Pixels that the view moves by a key. */
const STEP = 60;
/** What stays in sight while the view moves, whatever is left out. */
const NOTABLE = new Set<number>([Standing.Anchor, Standing.Suspicious, Standing.Alone]);

type Drag = { from: [number, number]; at: [number, number]; spot: Spot | null; side: 0 | 1; moved: boolean };

export class Stage {
  readonly cameras: [Camera, Camera] = [new Camera(), new Camera()];
  private readonly canvas = byId<HTMLCanvasElement>("drawing");
  private readonly pads = [byId("pad-source"), byId("pad-target")] as const;
  private readonly tip = byId("tip");
  private readonly live = byId("live");
  private readonly renderer: Renderer;
  private readonly sheet: Sheet;
  private indices!: [Index, Index];
  private now!: [Float32Array, Float32Array];
  private hover: Spot | null = null;
  private cursor: [number, number] = [-1, -1];
  private keyboard = false;
  private drag: Drag | null = null;
  private lineCount = 0;
  /** What the next frame has to do, and whether there will be one. */
  private due = { frame: false, picture: false };
  private resting = 0;
  private isPainting = false;
  private glide: { from: Float32Array; to: Float32Array; start: number } | null = null;

  constructor(private readonly model: Model) {
    const most = Math.max(...model.graphs.map(({ nodes, edges }) => nodes + edges.length / 2));
    this.renderer = new Renderer(this.canvas, most < SMOOTH);
    for (const side of [0, 1] as const) this.setGraph(side);
    this.sheet = new Sheet(model, this.cameras, {
      at: (side, node) => this.at(side, node),
      radius: (side) => this.radius(side),
      inSight: (side, most) => (this.glide ? null : this.indices[side].nodesInSight(this.cameras[side], most)),
    });
    this.loadImages();
    this.resize();
    this.fit();
    new ResizeObserver(() => this.resize()).observe(byId("stage"));
    this.pads.forEach((pad, side) => this.listen(pad, side as 0 | 1));
    model.on(["match", "state"], () => {
      for (const side of [0, 1] as const) this.renderer.setStanding(side, model.graphs[side].standing, NOTABLE);
      this.setLines();
      // What the pointer rests on may stand otherwise now.
      if (this.hover && !this.tip.hidden) this.tip.textContent = this.words(this.hover);
      this.draw();
    });
    model.on(["places"], () => this.follow());
    model.on(["look"], () => {
      this.setLines();
      this.draw();
    });
    model.on(["focus"], () => this.mark());
  }

  private setGraph(side: 0 | 1): void {
    const graph = this.model.graphs[side];
    this.now ??= [graph.places, graph.places];
    this.now[side] = graph.places;
    this.indices ??= [] as unknown as [Index, Index];
    this.indices[side] = new Index(graph.places, graph.edges);
    const { points: isPoints, nodes } = this.model.about.sides[side];
    const sizes = Float32Array.from(graph.degrees, (degree) => (isPoints ? 1 : size(degree, nodes)));
    this.renderer.setPane(side, this.indices[side], sizes);
    this.renderer.setPlaces(side, graph.places);
    this.renderer.setStanding(side, graph.standing, NOTABLE);
  }

  private loadImages(): void {
    this.model.about.sides.forEach((side, k) => {
      if (!side.image) return;
      const image = new Image();
      image.onload = () => {
        this.renderer.setImage(k, image, side.image as number[]);
        this.draw();
      };
      image.src = address(`/api/image/${SIDES[k]}`);
    });
  }

  /** The target glides to where its partners are. */
  private follow(): void {
    const to = this.model.graphs[1].places;
    const from = this.now[1];
    // What is not painted anew in every frame cannot glide.
    if (!this.renderer.isCalm(this.cameras) || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.settle(to);
      return;
    }
    this.glide = { from: from.slice(), to, start: performance.now() };
    this.draw();
  }

  private settle(places: Float32Array): void {
    this.glide = null;
    this.model.graphs[1].places = places;
    this.setGraph(1);
    this.fitCameras();
    this.setLines();
    this.draw();
  }

  private step(time: number): void {
    if (!this.glide) return;
    const { from, to, start } = this.glide;
    const t = Math.min(1, (time - start) / GLIDE);
    if (t >= 1) {
      this.settle(to);
      return;
    }
    const ease = t * t * (3 - 2 * t);
    this.now[1] = from.map((x, k) => x + (to[k] - x) * ease);
    this.renderer.setPlaces(1, this.now[1]);
    this.setLines();
    this.draw();
  }

  private resize(): void {
    const { width, height } = byId("stage").getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.sheet.canvas]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    const half = width / 2;
    this.cameras[0].pane = { left: 0, top: 0, width: half, height };
    this.cameras[1].pane = { left: half, top: 0, width: half, height };
    this.fitCameras();
    // A canvas of another size is empty.
    this.stir();
  }

  private fitCameras(): void {
    this.cameras.forEach((camera, side) => {
      const image = this.model.about.sides[side].image;
      const [left, top, right, bottom] = this.indices[side].bounds;
      const frame = image
        ? [Math.min(left, 0), Math.min(top, 0), Math.max(right, image[2]), Math.max(bottom, image[3])]
        : [left, top, right, bottom];
      camera.fit(frame);
    });
  }

  /** Everything in sight. */
  fit(): void {
    for (const camera of this.cameras) camera.relative = { zoom: 1, x: 0, y: 0 };
    this.stir();
  }

  /** The view moves: of large graphs only a sample is drawn until it rests. */
  private stir(): void {
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => {
      this.resting = 0;
      this.draw();
    }, REST);
    this.draw();
  }

  private pan(side: 0 | 1, dx: number, dy: number): void {
    this.cameras[side].move(dx, dy);
    if (this.model.linked) this.cameras[1 - side].move(dx, dy);
    this.stir();
  }

  zoom(factor: number): void {
    for (const camera of this.cameras) {
      const { left, top, width, height } = camera.pane;
      camera.zoomAt(factor, left + width / 2, top + height / 2);
    }
    this.stir();
  }

  /** Brings a pair into sight, nearer where the graphs are large. */
  reveal(source: number, target: number): void {
    const closer = (side: 0 | 1, node: number): void => {
      if (node < 0) return;
      const camera = this.cameras[side];
      const places = this.now[side];
      const nodes = this.model.graphs[side].nodes;
      const place: [number, number] = [places[2 * node], places[2 * node + 1]];
      if (nodes > 400) {
        camera.centreOn(...place, Math.max(camera.relative.zoom, Math.sqrt(nodes / 60)));
        return;
      }
      // No further than it has to: the rest of a small graph stays in sight.
      const [x, y] = camera.toPixel(...place);
      const { left, top, width, height } = camera.pane;
      const into = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value)) - value;
      camera.move(into(x, left + 40, left + width - 40), into(y, top + 60, top + height - 90));
    };
    closer(0, source);
    closer(1, target);
    this.stir();
  }

  /** The pixel of a node, in the window. */
  pixel(side: 0 | 1, node: number): [number, number] {
    const box = byId("stage").getBoundingClientRect();
    const [x, y] = this.cameras[side].toPixel(this.now[side][2 * node], this.now[side][2 * node + 1]);
    return [box.left + x, box.top + y];
  }

  /** Nodes of the picture in sight. */
  get drawn(): number {
    return this.renderer.drawn;
  }

  /** Whether everything in sight is drawn, and nothing more is to come. */
  get isWhole(): boolean {
    return this.renderer.isWhole && !this.due.picture && this.resting === 0;
  }

  get isGliding(): boolean {
    return this.glide !== null;
  }

  private setLines(): void {
    const { model } = this;
    const [from, to] = this.now;
    const { standing } = model.graphs[0];
    const anchors = model.lines === "none" ? [] : [...model.anchored[0]];
    const pairs: [number, number][] = [];
    if (model.lines === "all") {
      for (const s of spread(model.graphs[0].nodes)) {
        const t = model.anchored[0].has(s) ? -1 : model.partnerOf({ side: 0, node: s });
        if (t >= 0) pairs.push([s, t]);
      }
    }
    this.lineCount = pairs.length + anchors.length;
    const values = new Float32Array(5 * this.lineCount);
    [...pairs, ...anchors].forEach(([s, t], k) => {
      values.set([from[2 * s], from[2 * s + 1], to[2 * t], to[2 * t + 1], standing[s]], 5 * k);
    });
    this.renderer.setLines(values, [pairs.length, anchors.length]);
  }

  /** Draws both the picture and what lies over it, with the next frame. */
  draw(): void {
    this.due.picture = true;
    this.mark();
  }

  /** Draws what lies over the picture: rings, labels, the line that is being drawn. */
  private mark(): void {
    if (this.due.frame) return;
    this.due.frame = true;
    requestAnimationFrame((time) => {
      this.due.frame = false;
      this.step(time);
      this.render();
    });
  }

  private radius(side: 0 | 1): number {
    return radius(this.model.graphs[side].nodes, this.cameras[side].relative.zoom);
  }

  private render(): void {
    if (this.due.picture) {
      this.due.picture = false;
      this.picture();
    }
    const shown = [0, 1].map((side) => document.activeElement === this.pads[side] && this.keyboard);
    this.sheet.write({
      hover: this.hover,
      cursor: this.cursor.map((node, side) => (shown[side] ? node : -1)) as [number, number],
      line: this.drag?.spot && this.drag.moved ? { from: this.drag.spot, to: this.drag.at } : null,
      isMoving: this.resting !== 0,
    });
  }

  private picture(): void {
    const edges = Math.max(...this.model.graphs.map((graph) => graph.edges.length / 2));
    const frame: Frame = {
      cameras: this.cameras,
      radius: [this.radius(0), this.radius(1)],
      look: look(edges, this.cameras[0].relative.zoom),
      alpha: lineOpacity(this.lineCount),
    };
    if (this.resting !== 0 && !this.renderer.isCalm(this.cameras)) {
      this.renderer.sketch(frame);
      return;
    }
    this.renderer.show(frame);
    if (this.renderer.isAtWork) this.goOn();
  }

  /** Paints a large picture, slice by slice. */
  private goOn(): void {
    if (this.isPainting) return;
    this.isPainting = true;
    const step = (now: number): void => {
      this.isPainting = this.renderer.step(now);
      if (this.isPainting) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  private at(side: 0 | 1, node: number): [number, number] {
    return this.cameras[side].toPixel(this.now[side][2 * node], this.now[side][2 * node + 1]);
  }

  // Pointing and clicking.

  private local(event: MouseEvent): [number, number] {
    const box = byId("stage").getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private sideAt(x: number): 0 | 1 {
    return this.cameras[1].contains(x, 1) ? 1 : 0;
  }

  private spotAt([x, y]: [number, number]): Spot | null {
    const side = this.sideAt(x);
    const node = this.indices[side].nearest(this.cameras[side], this.now[side], x, y, Math.max(REACH, this.radius(side) + 4));
    return node < 0 ? null : { side, node };
  }

  private listen(pad: HTMLElement, side: 0 | 1): void {
    pad.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      pad.setPointerCapture(event.pointerId);
      pad.focus({ preventScroll: true });
      this.keyboard = false;
      const at = this.local(event);
      this.drag = { from: at, at, spot: this.spotAt(at), side, moved: false };
    });
    pad.addEventListener("pointermove", (event) => this.moved(this.local(event), event));
    pad.addEventListener("pointerup", (event) => this.released(this.local(event)));
    pad.addEventListener("pointercancel", () => {
      this.drag = null;
      this.mark();
    });
    pad.addEventListener("pointerleave", () => this.point(null));
    pad.addEventListener("dblclick", (event) => {
      if (!this.spotAt(this.local(event))) this.fit();
    });
    pad.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const at = this.local(event);
        const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016));
        const offset = side === 0 ? this.cameras[1].pane.left : -this.cameras[1].pane.left;
        this.cameras[side].zoomAt(factor, ...at);
        if (this.model.linked) this.cameras[1 - side].zoomAt(factor, at[0] + offset, at[1]);
        this.stir();
      },
      { passive: false },
    );
    pad.addEventListener("keydown", (event) => this.key(event, side));
    pad.addEventListener("focus", () => {
      if (!pad.matches(":focus-visible")) return;
      this.keyboard = true;
      if (this.cursor[side] < 0) this.moveCursor(side, this.first(side));
      this.mark();
    });
    pad.addEventListener("blur", () => this.mark());
  }

  private moved(at: [number, number], event: MouseEvent): void {
    const { drag } = this;
    if (!drag) {
      this.point(this.spotAt(at), event);
      return;
    }
    const far = Math.hypot(at[0] - drag.from[0], at[1] - drag.from[1]);
    if (!drag.moved && far < 5) return;
    drag.moved = true;
    if (drag.spot) {
      const over = this.spotAt(at);
      const isSame = over && over.side === drag.spot.side && over.node === drag.spot.node;
      this.hover = isSame ? null : over;
    } else {
      this.pan(drag.side, at[0] - drag.at[0], at[1] - drag.at[1]);
    }
    drag.at = at;
    this.tip.hidden = true;
    this.mark();
  }

  private released(at: [number, number]): void {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    if (!drag.moved) {
      const spot = this.spotAt(at);
      if (spot) this.choose(spot);
      else this.cancel();
    } else if (drag.spot) {
      const over = this.spotAt(at);
      if (over) this.dropped(drag.spot, over);
    }
    this.mark();
  }

  /** A line was drawn from one node to another: across it is an anchor, along a side it moves the partner. */
  private dropped(from: Spot, to: Spot): void {
    if (from.side === to.side) {
      const partner = this.model.partnerOf(from);
      if (from.node === to.node) return;
      if (partner < 0) {
        toast(`${isolated(this.model.name(from.side, from.node))} has no partner that could be moved`);
        return;
      }
      const pair = to.side === 1 ? [partner, to.node] : [to.node, partner];
      void this.anchor(pair[0], pair[1]);
      return;
    }
    const [source, target] = from.side === 0 ? [from.node, to.node] : [to.node, from.node];
    void this.anchor(source, target);
  }

  private point(spot: Spot | null, event?: MouseEvent): void {
    this.hover = spot;
    this.tip.hidden = !spot;
    if (spot && event) {
      this.tip.textContent = this.words(spot);
      const box = byId("stage").getBoundingClientRect();
      const wide = this.tip.offsetWidth;
      const x = Math.min(event.clientX - box.left + 16, box.width - wide - 8);
      this.tip.style.transform = `translate(${x}px, ${event.clientY - box.top + 18}px)`;
    }
    this.mark();
  }

  /** A node in words. */
  words(spot: Spot): string {
    const { model } = this;
    const standing = model.graphs[spot.side].standing[spot.node];
    const name = isolated(model.name(spot.side, spot.node));
    const partner = model.partnerOf(spot);
    if (standing === Standing.Alone) return `${name}: has no partner, you said so`;
    if (partner < 0) return `${name}: unmatched`;
    const other = isolated(model.name(spot.side === 0 ? 1 : 0, partner));
    const what = STANDINGS[standing];
    const hint = standing === Standing.Suspicious ? ", the rest of the evidence speaks against it" : "";
    return `${name} ↔ ${other}: ${what}${hint}`;
  }

  /** A click: the first names a node, the second on the other side its partner. */
  choose(spot: Spot): void {
    const { model } = this;
    this.cursor[spot.side] = spot.node;
    const { pending } = model;
    if (pending && pending.side !== spot.side) {
      const [source, target] = pending.side === 0 ? [pending.node, spot.node] : [spot.node, pending.node];
      void this.anchor(source, target);
      return;
    }
    model.show(spot, spot);
    this.announce(`${this.words(spot)}. Now choose its partner on the ${spot.side === 0 ? "right" : "left"}.`);
  }

  async anchor(source: number, target: number): Promise<void> {
    const { model } = this;
    model.mark([]);
    model.show({ side: 0, node: source });
    try {
      await say({ do: "anchor", source, target });
      this.announce(`Anchor: ${isolated(model.name(0, source))} and ${isolated(model.name(1, target))}.`);
    } catch (error) {
      toast((error as Error).message, true);
    }
  }

  cancel(): void {
    if (this.model.pending) this.model.show(this.model.shown);
    else this.model.show(null);
  }

  announce(text: string): void {
    this.live.textContent = text;
  }

  // The keyboard: arrows go from node to node, Enter clicks.

  private first(side: 0 | 1): number {
    const shown = this.model.shown;
    if (shown?.side === side) return shown.node;
    if (shown && this.model.partnerOf(shown) >= 0) return this.model.partnerOf(shown);
    return this.model.graphs[side].nodes > 0 ? 0 : -1;
  }

  private moveCursor(side: 0 | 1, node: number): void {
    this.cursor[side] = node;
    if (node < 0) return;
    const [x, y] = this.at(side, node);
    const { left, top, width, height } = this.cameras[side].pane;
    if (x < left + 20 || x > left + width - 20 || y < top + 40 || y > top + height - 60) {
      this.cameras[side].centreOn(this.now[side][2 * node], this.now[side][2 * node + 1]);
      this.stir();
    }
    this.announce(this.words({ side, node }));
    this.mark();
  }

  private key(event: KeyboardEvent, side: 0 | 1): void {
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const way = arrows[event.key];
    if (way && event.shiftKey) {
      this.pan(side, -STEP * way[0], -STEP * way[1]);
      event.preventDefault();
    } else if (way) {
      this.keyboard = true;
      const at = this.cursor[side] < 0 ? this.first(side) : this.cursor[side];
      this.moveCursor(side, ahead(this.now[side], at, way));
      event.preventDefault();
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.cursor[side] >= 0) this.choose({ side, node: this.cursor[side] });
      event.preventDefault();
    }
  }
}
