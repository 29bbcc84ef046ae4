// Everything that the page knows, and who has to hear when it changes.

import * as api from "./api";
import { MARKS } from "./drawing/marks";

export enum Standing {
  Unmatched = 0,
  Doubtful = 1,
  Sure = 2,
  Anchor = 3,
  Suspicious = 4,
  Alone = 5,
}

/** The words for each standing, in its order. */
export const STANDINGS = MARKS.map(({ word }) => word);

export interface Spot {
  side: 0 | 1;
  node: number;
}

export const SIDES: [api.SideName, api.SideName] = ["source", "target"];

/** One graph: its places, the edges that are drawn, and how its nodes stand. */
export class Graph {
  readonly nodes: number;
  readonly edges: Uint32Array;
  readonly degrees: Uint32Array;
  places: Float32Array;
  standing: Uint8Array;
  readonly names: string[];
  /** The match that it was laid out by. */
  readonly layout: number;
  private byName: Map<string, number> | null = null;

  constructor(bytes: ArrayBuffer, names: string[]) {
    const [n, e, layout] = new Uint32Array(bytes, 0, 3);
    this.nodes = n;
    this.layout = layout;
    this.places = new Float32Array(bytes, 12, 2 * n).slice();
    this.edges = new Uint32Array(bytes, 12 + 8 * n, 2 * e);
    this.degrees = new Uint32Array(bytes, 12 + 8 * n + 8 * e, n);
    this.standing = new Uint8Array(n);
    this.names = names;
  }

  find(name: string): number | undefined {
    this.byName ??= new Map(this.names.map((other, node) => [other, node]));
    return this.byName.get(name);
  }
}

type Topic = "state" | "match" | "places" | "focus" | "questions" | "progress" | "line" | "look";

export class Model {
  about!: api.About;
  graphs!: [Graph, Graph];
  state: api.State | null = null;
  summary: api.Summary | null = null;
  curve: [number, number][] = [];
  partner: Int32Array = new Int32Array(0);
  source: Int32Array = new Int32Array(0);
  confidence: Float32Array = new Float32Array(0);
  anchored: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
  alone: [Set<number>, Set<number>] = [new Set(), new Set()];
  unsure = new Set<number>();
  questions: { source: number; gain: number }[] = [];
  failure: string | null = null;
  progress: { stage: string; done: number; total: number | null } | null = null;
  isOpen = true;
  /** The match that the target is laid out by. */
  layout = 0;
  /** The node whose partner the next click names. */
  pending: Spot | null = null;
  /** The node that the panels are about. */
  shown: Spot | null = null;
  /** Candidates that are pointed out on the right, by rank, which of them is in question, and of whom. */
  marked: number[] = [];
  markedAt = 0;
  asking: number | null = null;
  /** How many nodes on the left have each standing, with what was said since the last match. */
  counts: number[] = STANDINGS.map(() => 0);
  lines: "none" | "selected" | "all" = "selected";
  linked = true;
  private heard = new Map<Topic, (() => void)[]>();
  private fetching = false;
  private wanted = 0;

  on(topics: Topic[], listener: () => void): void {
    for (const topic of topics) {
      const list = this.heard.get(topic) ?? [];
      list.push(listener);
      this.heard.set(topic, list);
    }
  }

  tell(topic: Topic): void {
    for (const listener of this.heard.get(topic) ?? []) listener();
  }

  async load(): Promise<void> {
    this.about = await api.json<api.About>("/api/about");
    const side = async (name: api.SideName): Promise<Graph> => {
      const [bytes, names] = await Promise.all([
        api.binary(`/api/graph/${name}`),
        api.json<string[]>(`/api/labels/${name}`),
      ]);
      return new Graph(bytes, names);
    };
    this.graphs = await Promise.all([side("source"), side("target")]);
    this.partner = new Int32Array(this.graphs[0].nodes).fill(-1);
    this.source = new Int32Array(this.graphs[1].nodes).fill(-1);
    this.confidence = new Float32Array(this.graphs[0].nodes);
    this.layout = this.graphs[1].layout;
  }

  listen(): void {
    api.listen(
      (told) => this.hear(told),
      (isOpen) => {
        this.isOpen = isOpen;
        this.tell("line");
      },
    );
  }

  private hear(told: api.Told): void {
    switch (told.kind) {
      case "state":
        this.state = told;
        this.anchored = [new Map(told.anchors), new Map(told.anchors.map(([s, t]) => [t, s]))];
        this.alone = [new Set(told.alone[0]), new Set(told.alone[1])];
        this.unsure = new Set(told.unsure);
        this.failure = null;
        this.stand();
        this.tell("state");
        break;
      case "matched":
        this.summary = told.summary;
        this.curve = told.curve;
        this.wanted = told.summary.number;
        this.progress = null;
        if (told.arrays) this.takeArrays(told.arrays);
        else void this.fetchMatch();
        break;
      case "questions":
        this.questions = told.list;
        this.tell("questions");
        break;
      case "progress":
        this.progress = told;
        this.tell("progress");
        break;
      case "places":
        if (told.number > this.layout) void this.fetchPlaces();
        break;
      case "failed":
        this.failure = told.message;
        this.progress = null;
        this.tell("progress");
        break;
    }
  }

  private takeArrays({ partner, confidence, standing }: api.Arrays): void {
    this.take(Int32Array.from(partner), Float32Array.from(confidence), [Uint8Array.from(standing[0]), Uint8Array.from(standing[1])]);
  }

  private take(partner: Int32Array, confidence: Float32Array, standing: [Uint8Array, Uint8Array]): void {
    this.partner = partner;
    this.confidence = confidence;
    for (const side of [0, 1] as const) this.graphs[side].standing = standing[side];
    this.source = new Int32Array(this.graphs[1].nodes).fill(-1);
    partner.forEach((t, s) => {
      if (t >= 0) this.source[t] = s;
    });
    this.stand();
    this.tell("match");
  }

  private async fetchMatch(): Promise<void> {
    if (this.fetching) return;
    this.fetching = true;
    try {
      let got = 0;
      while (got < this.wanted) {
        const bytes = await api.binary("/api/match");
        const [number, n, m] = new Uint32Array(bytes, 0, 3);
        got = number;
        if (got < this.wanted) continue;
        const partner = new Int32Array(bytes, 12, n);
        const confidence = new Float32Array(bytes, 12 + 4 * n, n);
        const standing = (first: number, many: number): Uint8Array => new Uint8Array(bytes, 12 + 8 * n + first, many).slice();
        this.take(partner, confidence, [standing(0, n), standing(n, m)]);
      }
    } catch (error) {
      this.failure = String((error as Error).message);
      this.tell("progress");
    } finally {
      this.fetching = false;
    }
  }

  private async fetchPlaces(): Promise<void> {
    const bytes = await api.binary("/api/places");
    this.graphs[1].places = new Float32Array(bytes, 4);
    this.layout = new Uint32Array(bytes, 0, 1)[0];
    this.tell("places");
  }

  /** What was said shows at once, before the match has followed. */
  private stand(): void {
    if (!this.state) return;
    for (const side of [0, 1] as const) {
      const standing = this.graphs[side].standing;
      for (let node = 0; node < standing.length; node++) {
        const was = standing[node];
        const said = was === Standing.Anchor || was === Standing.Alone || was === Standing.Suspicious;
        if (said && !this.anchored[side].has(node) && !this.alone[side].has(node)) {
          standing[node] = Standing.Doubtful;
        }
      }
      for (const node of this.anchored[side].keys()) {
        if (standing[node] !== Standing.Suspicious) standing[node] = Standing.Anchor;
      }
      for (const node of this.alone[side]) standing[node] = Standing.Alone;
    }
    this.counts.fill(0);
    for (const standing of this.graphs[0].standing) this.counts[standing]++;
  }

  /** The partner as far as is known: what was said, else what the last match found. */
  partnerOf(spot: Spot): number {
    const said = this.anchored[spot.side].get(spot.node);
    if (said !== undefined) return said;
    if (this.alone[spot.side].has(spot.node)) return -1;
    return spot.side === 0 ? this.partner[spot.node] : this.source[spot.node];
  }

  name(side: 0 | 1, node: number): string {
    return this.graphs[side].names[node];
  }

  isSettled(source: number): boolean {
    return this.anchored[0].has(source) || this.alone[0].has(source) || this.unsure.has(source);
  }

  get isCurrent(): boolean {
    return !!this.summary && !!this.state && this.summary.change === this.state.change && !this.summary.quick;
  }

  show(spot: Spot | null, pending: Spot | null = null): void {
    this.shown = spot;
    this.pending = pending;
    this.tell("focus");
  }

  mark(targets: number[], at = 0, asking: number | null = null): void {
    this.marked = targets;
    this.markedAt = at;
    this.asking = asking;
    this.tell("look");
  }
}
