// All pairs: sorted, filtered, and only the rows in sight are made.

import { byId, count, el, fill, whole } from "./dom";
import { mark } from "./drawing/marks";
import { type Model, STANDINGS, Standing } from "./model";
import type { Stage } from "./stage";

const ROW = 30;

type Column = "source" | "target" | "confidence" | "standing";

export class Table {
  private rows: number[] = [];
  private by: Column = "confidence";
  private down = false;
  private text = "";
  private only = "";
  private isDue = false;
  /** The ranks of all ids of a side among each other, once they are asked for. */
  private readonly ranks: (Uint32Array | undefined)[] = [];
  private readonly body = byId("rows");
  private readonly room = byId("rows-room");

  constructor(
    private readonly model: Model,
    private readonly stage: Stage,
  ) {
    const filter = byId<HTMLInputElement>("filter");
    filter.addEventListener("input", () => {
      this.text = filter.value.trim().toLowerCase();
      this.arrange();
    });
    const only = byId<HTMLSelectElement>("only");
    only.append(
      el("option", { value: "" }, "all"),
      ...STANDINGS.map((name, k) => el("option", { value: String(k) }, name)),
    );
    only.addEventListener("change", () => {
      this.only = only.value;
      this.arrange();
    });
    for (const head of document.querySelectorAll<HTMLElement>("[data-column]")) {
      head.addEventListener("click", () => this.sort(head.dataset.column as Column));
    }
    this.body.addEventListener("scroll", () => this.draw());
    this.body.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.body);
    model.on(["match", "state"], () => this.arrangeSoon());
    model.on(["focus"], () => this.follow());
  }

  private sort(column: Column): void {
    this.down = this.by === column ? !this.down : false;
    this.by = column;
    this.arrange();
  }

  private standing(s: number): number {
    return this.model.graphs[0].standing[s];
  }

  /** With the next frame: what was said and the match of it often come together. */
  private arrangeSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.arrange();
    });
  }

  private arrange(): void {
    const { model } = this;
    const n = model.graphs[0].nodes;
    const rows: number[] = [];
    for (let s = 0; s < n; s++) {
      if (this.only !== "" && this.standing(s) !== Number(this.only)) continue;
      if (this.text) {
        const t = model.partnerOf({ side: 0, node: s });
        const names = `${model.name(0, s)}\n${t >= 0 ? model.name(1, t) : ""}`.toLowerCase();
        if (!names.includes(this.text)) continue;
      }
      rows.push(s);
    }
    const target = (s: number): number => {
      const t = model.partnerOf({ side: 0, node: s });
      return t < 0 ? -1 : this.rank(1)[t];
    };
    const order: Record<Column, (a: number, b: number) => number> = {
      source: (a, b) => this.rank(0)[a] - this.rank(0)[b],
      target: (a, b) => target(a) - target(b) || a - b,
      confidence: (a, b) => model.confidence[a] - model.confidence[b] || a - b,
      standing: (a, b) => this.standing(a) - this.standing(b) || a - b,
    };
    rows.sort(order[this.by]);
    if (this.down) rows.reverse();
    this.rows = rows;
    for (const head of document.querySelectorAll<HTMLElement>("[data-column]")) {
      const isThis = head.dataset.column === this.by;
      head.parentElement?.setAttribute("aria-sort", isThis ? (this.down ? "descending" : "ascending") : "none");
    }
    byId("rows-count").textContent = `${count(rows.length)} of ${count(n)}`;
    this.room.style.height = `${rows.length * ROW}px`;
    this.body.setAttribute("aria-rowcount", String(rows.length));
    this.draw();
  }

  /** Letters are compared once for all, since that is slow. */
  private rank(side: 0 | 1): Uint32Array {
    const { names } = this.model.graphs[side];
    return (this.ranks[side] ??= ranked(names));
  }

  private draw(): void {
    const { model } = this;
    const first = Math.max(0, Math.floor(this.body.scrollTop / ROW) - 4);
    const last = Math.min(this.rows.length, first + Math.ceil(this.body.clientHeight / ROW) + 9);
    const chosen = this.chosen();
    const made: HTMLElement[] = [];
    for (let k = first; k < last; k++) {
      const s = this.rows[k];
      const t = model.partnerOf({ side: 0, node: s });
      const standing = this.standing(s);
      const name = t >= 0 ? model.name(1, t) : "–";
      const sure = t < 0 ? "" : standing === Standing.Anchor || standing === Standing.Suspicious ? "1" : model.confidence[s].toFixed(2);
      const row = el(
        "div",
        {
          class: s === chosen ? "row chosen" : "row",
          role: "row",
          "aria-rowindex": String(k + 1),
          "aria-selected": s === chosen ? "true" : "false",
          onclick: () => this.pick(s),
        },
        el("span", { role: "cell", title: model.name(0, s) }, whole(model.name(0, s))),
        el("span", { role: "cell", title: name }, whole(name)),
        el("span", { role: "cell", class: "number" }, sure),
        el("span", { role: "cell" }, mark(standing), STANDINGS[standing]),
      );
      row.style.transform = `translateY(${k * ROW}px)`;
      made.push(row);
    }
    fill(this.room, ...made);
  }

  private chosen(): number {
    const { shown } = this.model;
    if (!shown) return -1;
    return shown.side === 0 ? shown.node : this.model.partnerOf(shown);
  }

  private pick(source: number): void {
    this.model.show({ side: 0, node: source });
    this.stage.reveal(source, this.model.partnerOf({ side: 0, node: source }));
  }

  /** Scrolls to the row of the node that is shown. */
  private follow(): void {
    const place = this.rows.indexOf(this.chosen());
    if (place >= 0) {
      const top = place * ROW;
      const { scrollTop, clientHeight } = this.body;
      if (top < scrollTop || top + ROW > scrollTop + clientHeight) this.body.scrollTop = top - clientHeight / 2;
    }
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 }[event.key];
    if (by === undefined || this.rows.length === 0) return;
    event.preventDefault();
    const at = this.rows.indexOf(this.chosen());
    const next = Math.min(this.rows.length - 1, Math.max(0, at < 0 ? 0 : at + by));
    this.pick(this.rows[next]);
  }
}

const collator = new Intl.Collator("en", { numeric: true });

/** The rank of every name in the order of letters, in which 9 comes before 10. */
function ranked(names: string[]): Uint32Array {
  const order = Uint32Array.from(names, (_, k) => k);
  order.sort((a, b) => collator.compare(names[a], names[b]) || a - b);
  const ranks = new Uint32Array(names.length);
  order.forEach((node, k) => (ranks[node] = k));
  return ranks;
}
