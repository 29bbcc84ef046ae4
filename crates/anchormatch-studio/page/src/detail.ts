// One pair: how sure it is, who else it could be, and which neighbours speak for it.

import * as api from "./api";
import { byId, el, fill, isolated, percent, refill, whole } from "./dom";
import { mark } from "./drawing/marks";
import { type Model, SIDES, type Spot, Standing, STANDINGS } from "./model";
import { toast } from "./notices";
import type { Stage } from "./stage";

export class Detail {
  private readonly box = byId("detail");
  private asked = 0;
  private written: Spot | null = null;

  constructor(
    private readonly model: Model,
    private readonly stage: Stage,
  ) {
    model.on(["focus", "match", "state"], () => void this.show());
    void this.show();
  }

  private async show(): Promise<void> {
    const { model } = this;
    const spot = model.shown;
    const ask = ++this.asked;
    if (!spot) {
      fill(
        this.box,
        el("p", { class: "empty" }, "Click a node, or a row of the table, to see its partner, who else it could be, and which neighbours speak for it."),
      );
      return;
    }
    let about: api.NodeAbout;
    try {
      about = await api.json<api.NodeAbout>(`/api/node?side=${SIDES[spot.side]}&node=${spot.node}`);
    } catch {
      return;
    }
    if (ask === this.asked) this.write(spot, about);
  }

  private write(spot: Spot, about: api.NodeAbout): void {
    const { model } = this;
    const partner = model.partnerOf(spot);
    const standing = model.graphs[spot.side].standing[spot.node];
    const pair: [number, number] = spot.side === 0 ? [spot.node, partner] : [partner, spot.node];
    const said = model.anchored[spot.side].has(spot.node) || model.alone[spot.side].has(spot.node);
    const title = el("h3", {}, mark(standing), el("bdi", {}, model.name(spot.side, spot.node)));
    if (partner >= 0) title.append(" ↔ ", el("bdi", {}, model.name(spot.side === 0 ? 1 : 0, partner)));
    const parts: HTMLElement[] = [title];
    const sure = about.confidence !== null && partner >= 0 && !said ? `: ${percent(about.confidence)} probable` : "";
    parts.push(el("p", { class: "dim" }, `${STANDINGS[standing]}${sure}`));
    if (standing === Standing.Suspicious && about.suspicion) {
      const { preferred, probability } = about.suspicion;
      const where = preferred === null ? "it would stay alone" : `it would go to ${isolated(model.name(1, preferred))}`;
      parts.push(
        el("p", { class: "warning" }, `This anchor is probably wrong (${percent(probability)}): by everything else ${where}.`),
      );
    }
    parts.push(this.buttons(spot, pair, said));
    if (about.evidence && about.pair && about.pair[0] === pair[0] && about.pair[1] === pair[1]) {
      parts.push(...this.evidence(about.evidence));
    }
    if (about.others.length > 0) parts.push(...this.others(spot, about.others));
    const isSame = this.written?.side === spot.side && this.written.node === spot.node;
    this.written = spot;
    // A match that arrives takes nobody away from where they are.
    if (isSame) refill(this.box, "button", ...parts);
    else fill(this.box, ...parts);
  }

  private buttons(spot: Spot, [source, target]: [number, number], said: boolean): HTMLElement {
    const { model } = this;
    const button = (text: string, key: string, title: string, change: api.Change): HTMLElement =>
      el("button", { title: `${title} (${key})`, onclick: () => void this.tell(change) }, text);
    const row = el("div", { class: "buttons" });
    if (target >= 0 && source >= 0 && !model.anchored[0].has(source)) {
      row.append(button("Anchor", "a", "These two are partners", { do: "anchor", source, target }));
    }
    if (target >= 0 && source >= 0) {
      row.append(button("Not partners", "d", "These two are no partners, and the match may not pair them", { do: "reject", source, target }));
    }
    const side = SIDES[spot.side];
    if (!model.alone[spot.side].has(spot.node)) {
      row.append(button("Has no partner", "x", "This node has no partner on the other side", { do: "alone", side, node: spot.node }));
    }
    if (said) row.append(button("Forget", "Delete", "Take back what you said of this node", { do: "release", side, node: spot.node }));
    return row;
  }

  private async tell(change: api.Change): Promise<void> {
    try {
      await api.say(change);
    } catch (error) {
      toast((error as Error).message, true);
    }
  }

  /** What the keys say of the node that is shown. */
  press(key: string): boolean {
    const spot = this.model.shown;
    if (!spot) return false;
    const partner = this.model.partnerOf(spot);
    const [source, target] = spot.side === 0 ? [spot.node, partner] : [partner, spot.node];
    const side = SIDES[spot.side];
    if (key === "Delete" || key === "Backspace") void this.tell({ do: "release", side, node: spot.node });
    else if (key === "x") void this.tell({ do: "alone", side, node: spot.node });
    else if (key === "a" && source >= 0 && target >= 0) void this.tell({ do: "anchor", source, target });
    else if (key === "d" && source >= 0 && target >= 0) void this.tell({ do: "reject", source, target });
    else return false;
    return true;
  }

  private link(side: 0 | 1, node: number): HTMLElement {
    const { model, stage } = this;
    const name = model.name(side, node);
    const go = (): void => {
      const spot: Spot = { side, node };
      model.show(spot);
      const other = model.partnerOf(spot);
      if (side === 0) stage.reveal(node, other);
      else stage.reveal(other, node);
    };
    return el("button", { class: "link", title: name, onclick: go }, whole(name));
  }

  private evidence(found: api.Evidence): HTMLElement[] {
    const [both, here, there] = found.totals;
    const what = found.edges ? "neighbours" : "nearest points";
    const head = el("h4", {}, "Evidence");
    const all = both + here;
    const words = all === 0 ? `It has no ${what}.` : `${both} of ${all} ${what} speak for it: their partners are ${what} of its partner.`;
    const bar = el("div", { class: "bar", role: "img", "aria-label": words });
    const part = (many: number, kind: string): void => {
      const piece = el("span", { class: kind });
      piece.style.flexGrow = String(many);
      if (many > 0) bar.append(piece);
    };
    part(both, "for");
    part(here, "against");
    const list = el("ul", { class: "pairs" });
    for (const [s, t] of found.both.slice(0, 8)) {
      list.append(el("li", { class: "for" }, this.link(0, s), " ↔ ", this.link(1, t)));
    }
    for (const [s, t] of found.source_only.slice(0, 6)) {
      const to = t === null ? [" is unmatched"] : [" ↔ ", this.link(1, t), " elsewhere"];
      list.append(el("li", { class: "against" }, this.link(0, s), ...to));
    }
    const more = Math.max(0, both - 8) + Math.max(0, here - 6);
    if (more > 0) list.append(el("li", { class: "dim" }, `and ${more} more`));
    const other = there > 0 ? [el("p", { class: "dim" }, `Of the partner's ${what}, ${there} ${there === 1 ? "has its" : "have their"} partner elsewhere.`)] : [];
    return [head, el("p", {}, words), bar, list, ...other];
  }

  private others(spot: Spot, others: [number, number | null][]): HTMLElement[] {
    const { model } = this;
    const list = el("ul", { class: "others" });
    const side = spot.side === 0 ? 1 : 0;
    for (const [node, probability] of others) {
      const [source, target] = spot.side === 0 ? [spot.node, node] : [node, spot.node];
      const anchor = el(
        "button",
        { title: "Make this the partner", onclick: () => void this.tell({ do: "anchor", source, target }) },
        "Anchor",
      );
      const isNow = model.partnerOf(spot) === node;
      list.append(
        el("li", {}, this.link(side, node), el("span", { class: "dim" }, probability === null ? "" : percent(probability)), isNow ? el("span", { class: "dim" }, "now") : anchor),
      );
    }
    return [el("h4", {}, "Who else it could be"), list];
  }
}
