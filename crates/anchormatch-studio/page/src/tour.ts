// Three steps for who is here for the first time.

import { byId, el, fill } from "./dom";
import type { Model } from "./model";

const STEPS: { title: string; text: string; at: string }[] = [
  {
    title: "Click left, then right",
    text: "Choose a node on the left and its partner on the right: that is an anchor. The match follows at once, and colours say how sure it is of every node.",
    at: "middle",
  },
  {
    title: "Or answer questions",
    text: "The panel asks for the nodes whose partners would settle the most. Look at both neighbourhoods and press y or n.",
    at: "panel",
  },
  {
    title: "Nothing is lost",
    text: "Every change is saved in a file that the command line reads. Undo takes anything back, also after a restart; Export has pairs, a report and the command.",
    at: "top",
  },
];

const KEY = "anchormatch-tour";

export class Tour {
  private at = 0;
  private readonly box = byId("tour");

  constructor(private readonly model: Model) {}

  /** Begins where nothing was ever said here. */
  maybe(): void {
    const { state } = this.model;
    let seen = false;
    try {
      seen = localStorage.getItem(KEY) === "seen";
    } catch {
      // Shown again, then.
    }
    if (!seen && state && state.undo + state.redo === 0 && state.anchors.length === 0) this.start();
  }

  start(): void {
    this.at = 0;
    this.show();
  }

  get isOpen(): boolean {
    return !this.box.hidden;
  }

  end(): void {
    this.box.hidden = true;
    try {
      localStorage.setItem(KEY, "seen");
    } catch {
      // Shown again, then.
    }
  }

  private show(): void {
    const step = STEPS[this.at];
    const isLast = this.at === STEPS.length - 1;
    const next = { class: "primary", title: isLast ? "To the graphs" : "The next step", onclick: () => (isLast ? this.end() : this.go(1)) };
    const go = el("button", next, isLast ? "Start" : "Next");
    const back = this.at > 0 ? [el("button", { title: "The step before", onclick: () => this.go(-1) }, "Back")] : [];
    this.box.dataset.at = step.at;
    fill(
      this.box,
      el("p", { class: "dim" }, `${this.at + 1} of ${STEPS.length}`),
      el("h3", {}, step.title),
      el("p", {}, step.text),
      el("div", { class: "buttons" }, el("button", { class: "quiet", title: "Not now: Help has it (Esc)", onclick: () => this.end() }, "Skip"), ...back, go),
    );
    this.box.hidden = false;
    go.focus();
  }

  private go(by: number): void {
    this.at += by;
    this.show();
  }
}
