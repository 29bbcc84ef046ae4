// The question: the node whose partner would settle the most, beside one candidate after the other.

import * as api from "./api";
import { byId, el, fill, percent, short, svg, whole } from "./dom";
import type { Model } from "./model";
import { toast } from "./notices";
import type { Stage } from "./stage";

const SIZE = 178;
const MOST = 12;
/** Keys within so many milliseconds after the candidate in sight was replaced were meant for the old one. */
const BLINK = 350;

export class Ask {
  private readonly box = byId("question");
  private question: api.Question | null = null;
  private at = 0;
  /** The candidate that the person turned to; the match may not take it from under their eyes. */
  private picked: number | null = null;
  /** When the match last put another candidate in the place of the one in sight. */
  private swapped = -Infinity;
  private scores = false;
  private gain = 0;
  private back: number | null = null;
  private answering: number | null = null;
  private loading = false;
  active = false;

  constructor(
    private readonly model: Model,
    private readonly stage: Stage,
  ) {
    model.on(["questions"], () => {
      const listed = model.questions.find((question) => question.source === this.question?.source);
      if (listed && listed.gain !== this.gain) {
        this.gain = listed.gain;
        this.write();
      }
      void this.next(false);
    });
    model.on(["match"], () => {
      void this.renew();
      void this.next(false);
    });
    model.on(["state"], () => {
      if (this.answering !== null && model.isSettled(this.answering)) this.answering = null;
      if (this.question && model.isSettled(this.question.source)) this.leave();
      void this.next(false);
    });
  }

  start(): void {
    this.active = true;
    void this.next(true);
  }

  stop(): void {
    this.active = false;
    this.model.mark([]);
  }

  /** The candidates of the question in sight, by a match that is newer and not only a quick one. */
  private async renew(): Promise<void> {
    const { model, question } = this;
    const isNewer = question && model.summary && model.isCurrent && question.number < model.summary.number;
    if (!this.active || this.loading || !isNewer) return;
    let found: api.Question;
    try {
      found = await api.json<api.Question>(`/api/question?source=${question.source}`);
    } catch {
      return;
    }
    // It may have been answered on the way.
    if (this.question !== question || found.number <= question.number) return;
    const before = question.candidates[this.at]?.target;
    const kept = found.candidates.findIndex((candidate) => candidate.target === this.picked);
    this.question = found;
    this.at = Math.max(0, kept);
    if (found.candidates[this.at]?.target !== before) this.swapped = performance.now();
    this.write();
    this.point();
  }

  /** Goes on to the next question, unless one is being looked at. */
  private async next(again: boolean): Promise<void> {
    const { model } = this;
    if (!this.active || this.loading) return;
    if (this.question && !again) return;
    const listed = model.questions.find((question) => this.isOpen(question.source));
    const { back } = this;
    const source = back ?? this.question?.source ?? listed?.source;
    this.back = null;
    if (source === undefined) {
      this.question = null;
      this.rest();
      return;
    }
    this.gain = listed?.source === source ? listed.gain : 0;
    this.loading = true;
    try {
      const question = await api.json<api.Question>(`/api/question?source=${source}`);
      this.question = this.isOpen(source) ? question : null;
    } catch (error) {
      fill(this.box, el("p", { class: "empty" }, (error as Error).message));
      return;
    } finally {
      this.loading = false;
    }
    if (!this.question) {
      // It was answered on the way, or what takes the answer back is still on its way.
      this.back = back;
      if (back === null) await this.next(false);
      return;
    }
    this.at = 0;
    this.picked = null;
    this.scores = false;
    this.write();
    this.point();
    await this.renew();
  }

  /** Whether a node waits for an answer, and none is being sent. */
  private isOpen(source: number): boolean {
    return source !== this.answering && !this.model.isSettled(source);
  }

  private rest(): void {
    const { model } = this;
    model.mark([]);
    const open = Array.from({ length: model.graphs[0].nodes }, (_, s) => s).filter((s) => !model.isSettled(s)).length;
    const isBusy = !model.isCurrent || (open > 0 && model.questions.length === 0);
    const words = isBusy ? "The next question is being chosen…" : "Nothing is left to ask: every node on the left is settled.";
    fill(this.box, el("p", { class: "empty", "data-end": isBusy ? "no" : "yes" }, words));
  }

  /** Shows the node and its candidates in the picture. */
  private point(): void {
    const { question, model } = this;
    if (!question) return;
    const targets = question.candidates.map((candidate) => candidate.target);
    model.mark(targets, this.at, question.source);
    model.show({ side: 0, node: question.source }, { side: 0, node: question.source });
    this.stage.reveal(question.source, targets[this.at] ?? -1);
  }

  private write(): void {
    const { question, model } = this;
    if (!question) return;
    const candidate = question.candidates[this.at];
    const name = model.name(0, question.source);
    const bold = (id: string): HTMLElement => el("b", { title: id }, el("bdi", {}, short(id, 34)));
    const parts: Element[] = [];
    if (candidate) {
      const other = model.name(1, candidate.target);
      parts.push(
        el("p", { class: "asking" }, "Is ", bold(name), " the same as ", bold(other), "?"),
        this.neighbourhoods(question.source, candidate),
        this.buttons(true),
        this.list(question),
      );
    } else {
      parts.push(
        el("p", { class: "asking" }, "Who is the partner of ", bold(name), "?"),
        el("p", { class: "dim" }, "No other candidate is likely. Click the right one in the picture, say that it has none, or leave it open."),
        this.buttons(false),
      );
    }
    const worth = this.gain >= 0.05 ? `The answer is expected to set ${this.gain.toFixed(1)} pairs right.` : "The match is sure of the rest: you may stop here.";
    parts.push(el("p", { class: "dim" }, worth));
    fill(this.box, ...parts);
  }

  private buttons(hasCandidate: boolean): HTMLElement {
    const button = (key: string, text: string, title: string, kind = ""): HTMLElement =>
      el("button", { class: kind, title: `${title} (${key})`, "data-key": key, onclick: () => this.press(key) }, el("kbd", {}, key), text);
    const row = el("div", { class: "answers" });
    if (hasCandidate) {
      row.append(button("y", "Yes", "They are partners", "yes"), button("n", "No", "They are not: show the next candidate", "no"));
    }
    row.append(
      button("u", "Unsure", "Leave it open, and do not ask again"),
      button("x", "Has no partner", "It has no partner on the other side"),
      button("b", "Back", "Take the last answer back"),
    );
    return row;
  }

  private list(question: api.Question): HTMLElement {
    const { model } = this;
    const list = el("ol", { class: "candidates" });
    question.candidates.forEach((candidate, k) => {
      const name = model.name(1, candidate.target);
      const both = candidate.evidence.totals[0];
      const all = both + candidate.evidence.totals[1];
      const score = this.scores
        ? `${candidate.probability === null ? "not ranked" : percent(candidate.probability)}, ${both} of ${all} neighbours agree`
        : "";
      const go = (): void => this.turnTo(k);
      list.append(
        el(
          "li",
          { class: k === this.at ? "chosen" : "" },
          el("button", { class: "link", title: name, "aria-current": k === this.at ? "true" : "false", onclick: go }, whole(name)),
          el("span", { class: "dim" }, score),
        ),
      );
    });
    const toggle = (): void => {
      this.scores = !this.scores;
      this.write();
    };
    const title = "Judge by eye first: what the match thinks is hidden until you ask (s)";
    const text = this.scores ? "Hide scores" : "Show scores";
    return el("div", {}, el("div", { class: "listhead" }, el("h4", {}, "Candidates"), el("button", { class: "link", title, onclick: toggle }, text)), list);
  }

  /** Both neighbourhoods; neighbours that are partners have the same number. */
  private neighbourhoods(source: number, candidate: api.Question["candidates"][number]): HTMLElement {
    const { evidence } = candidate;
    const both = evidence.both.slice(0, MOST);
    const left = evidence.source_only.slice(0, MOST - Math.min(both.length, MOST - 4)).map(([s]) => s);
    const right = evidence.target_only.slice(0, MOST - Math.min(both.length, MOST - 4)).map(([t]) => t);
    const one = this.neighbourhood(0, source, both.map(([s]) => s), left, evidence);
    const two = this.neighbourhood(1, candidate.target, both.map(([, t]) => t), right, evidence);
    const all = evidence.totals[0] + evidence.totals[1];
    const what = evidence.edges ? "neighbours" : "nearest points";
    const caption = all === 0 ? `It has no ${what}.` : `The same number on both sides: ${what} that are partners.`;
    return el("figure", { class: "around" }, el("div", { class: "two" }, one, two), el("figcaption", { class: "dim" }, caption));
  }

  private neighbourhood(side: 0 | 1, node: number, shared: number[], others: number[], evidence: api.Evidence): SVGElement {
    const { model } = this;
    const middle = SIZE / 2;
    const all = [...shared, ...others];
    const at = evidence.edges ? round(shared.length, others.length) : lying(model.graphs[side].places, node, all);
    const drawing = svg("svg", {
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      role: "img",
      "aria-label": `${model.name(side, node)} with ${evidence.degrees[side]} ${evidence.edges ? "neighbours" : "points around it"}`,
    });
    all.forEach((_, k) => {
      const [x, y] = at[k];
      const kind = k < shared.length ? "edge" : "edge other";
      drawing.append(svg("line", { x1: String(middle), y1: String(middle), x2: String(x), y2: String(y), class: kind }));
    });
    all.forEach((other, k) => {
      const [x, y] = at[k];
      const isShared = k < shared.length;
      const group = svg("g", {}, svg("title", {}, model.name(side, other)));
      group.append(svg("circle", { cx: String(x), cy: String(y), r: isShared ? "9" : "5", class: isShared ? "shared" : "other" }));
      if (isShared) group.append(svg("text", { x: String(x), y: String(y + 3.5), class: "badge" }, String(k + 1)));
      drawing.append(group);
    });
    drawing.append(
      svg("circle", { cx: String(middle), cy: String(middle), r: "11", class: "middle" }),
      svg("text", { x: String(middle), y: String(SIZE - 5), class: "name" }, short(model.name(side, node), 21)),
    );
    const more = evidence.degrees[side] - all.length;
    if (more > 0) drawing.append(svg("text", { x: String(SIZE - 6), y: "14", class: "more" }, `+${more}`));
    return drawing;
  }

  /** The keys of the question. */
  press(key: string): boolean {
    const { question } = this;
    if (!this.active) return false;
    if (key === "b") {
      void this.goBack();
      return true;
    }
    if (!question) return false;
    const { source } = question;
    const candidate = question.candidates[this.at];
    if ((key === "y" || key === "n") && performance.now() - this.swapped < BLINK) return true;
    if (key === "y" && candidate) void this.answer({ do: "anchor", source, target: candidate.target });
    else if (key === "n" && candidate) void this.reject(source, candidate.target);
    else if (key === "u") void this.answer({ do: "unsure", source });
    else if (key === "x") void this.answer({ do: "alone", side: "source", node: source });
    else if (key === "s") {
      this.scores = !this.scores;
      this.write();
    } else if (/^[1-6]$/.test(key) && question.candidates[Number(key) - 1]) this.turnTo(Number(key) - 1);
    else return false;
    return true;
  }

  private turnTo(k: number): void {
    this.at = k;
    this.picked = this.question?.candidates[k]?.target ?? null;
    this.write();
    this.point();
  }

  /** The question is done with: its buttons go. */
  private leave(): void {
    this.question = null;
    fill(this.box, el("p", { class: "empty" }, "The next question is being chosen…"));
  }

  private async answer(change: api.Change): Promise<void> {
    // Until the studio has told that it is settled, the same is not asked again.
    this.answering = this.question?.source ?? null;
    this.leave();
    try {
      await api.say(change, true);
    } catch (error) {
      this.answering = null;
      toast((error as Error).message, true);
    }
    await this.next(false);
  }

  private async reject(source: number, target: number): Promise<void> {
    const { question } = this;
    if (!question) return;
    const candidates = question.candidates.filter((candidate) => candidate.target !== target);
    this.question = { ...question, candidates };
    this.at = Math.min(this.at, Math.max(0, candidates.length - 1));
    this.picked = null;
    this.write();
    this.point();
    try {
      await api.say({ do: "reject", source, target }, true);
    } catch (error) {
      toast((error as Error).message, true);
    }
  }

  private async goBack(): Promise<void> {
    const last = this.model.state?.last;
    if (!last || last.do === "read") {
      toast("There is no answer to go back to");
      return;
    }
    const of = "source" in last ? last.source : last.side === "source" ? last.node : this.question?.source;
    this.leave();
    this.answering = null;
    this.back = of ?? null;
    try {
      await api.act({ act: "undo" });
    } catch (error) {
      toast((error as Error).message, true);
    }
    // What was undone has told so already, and the question may be there.
    await this.next(false);
  }
}

/** Evenly around the middle, those that are shared first and at the same angles on both sides. */
function round(shared: number, others: number): [number, number][] {
  const middle = SIZE / 2;
  const place = (k: number, all: number, radius: number, shift: number): [number, number] => {
    const angle = (2 * Math.PI * (k + shift)) / Math.max(1, all) - Math.PI / 2;
    return [middle + radius * Math.cos(angle), middle - 6 + radius * Math.sin(angle)];
  };
  const inner = Array.from({ length: shared }, (_, k) => place(k, shared, 46, 0));
  const outer = Array.from({ length: others }, (_, k) => place(k, others, 72, 0.5));
  return [...inner, ...outer];
}

/** Where the points lie about the one in the middle. */
function lying(places: Float32Array, node: number, others: number[]): [number, number][] {
  const middle = SIZE / 2;
  const shift = others.map((k) => [places[2 * k] - places[2 * node], places[2 * k + 1] - places[2 * node + 1]]);
  const far = Math.max(1e-12, ...shift.map(([x, y]) => Math.hypot(x, y)));
  const at = shift.map(([x, y], k): [number, number] => {
    const length = Math.hypot(x, y);
    const drawn = length > 0 ? Math.max(24, (74 * length) / far) / length : 0;
    // Those in the same place leave it in different directions.
    return drawn > 0 ? [middle + x * drawn, middle - 6 + y * drawn] : [middle + 24 * Math.cos(k), middle - 6 + 24 * Math.sin(k)];
  });
  return spread(at, [middle, middle]);
}

/** Moves discs apart that would cover each other or the one in the middle, and keeps them on the sheet. */
function spread(at: [number, number][], middle: [number, number]): [number, number][] {
  const apart = (one: [number, number], two: [number, number], least: number, both: boolean, k: number): void => {
    let [x, y] = [two[0] - one[0], two[1] - one[1]];
    let length = Math.hypot(x, y);
    if (length >= least) return;
    if (length < 1e-6) [x, y, length] = [Math.cos(k), Math.sin(k), 1];
    const by = (least - Math.min(length, least)) / length / (both ? 2 : 1);
    two[0] += x * by;
    two[1] += y * by;
    if (both) {
      one[0] -= x * by;
      one[1] -= y * by;
    }
  };
  for (let round = 0; round < 60; round++) {
    at.forEach((one, j) => at.slice(0, j).forEach((other, k) => apart(other, one, 20, true, j + k)));
    for (const [k, one] of at.entries()) {
      apart(middle, one, 24, false, k);
      one[0] = Math.min(SIZE - 11, Math.max(11, one[0]));
      one[1] = Math.min(SIZE - 28, Math.max(11, one[1]));
    }
  }
  return at;
}
