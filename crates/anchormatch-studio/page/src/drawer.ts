// Parameters, things to take home, and help.

import * as api from "./api";
import { byId, el, fill, refill } from "./dom";
import type { Model } from "./model";
import { toast } from "./notices";

const MODELS: [string, string][] = [
  ["auto", "whichever the points speak for"],
  ["distances", "distances among the points of each set alone"],
  ["similarity", "shifted, turned, scaled"],
  ["affine", "also sheared: something flat from far away"],
  ["projective", "something flat in two photographs"],
  ["views", "a solid object in two photographs"],
  ["smooth", "a smooth deformation"],
];

const KEYS: [string, string][] = [
  ["click, click", "a node on one side, then its partner on the other"],
  ["drag", "from a node to its partner; along one side, to move a partner"],
  ["Esc", "cancel"],
  ["Ctrl Z, Ctrl Y", "undo, redo"],
  ["wheel, drag", "zoom and move; by keyboard + and −, Shift and arrows, 0 for everything"],
  ["Tab, arrows, Enter", "go to a pane, from node to node, choose"],
  ["/", "search by id"],
  ["q", "the next question: y yes, n no, u unsure, x has no partner, b back, s scores"],
  ["a d x Delete", "anchor, not partners, no partner, forget: the node shown"],
  ["l", "match lines: none, anchors, all"],
  ["t", "both panes together, or each by itself"],
  ["?", "this help"],
];

/** Of a control whose words stand beside it: they are told to readers, and shown to nobody twice. */
function beside(words: string): Record<string, string> {
  return { "aria-description": words, "data-tip": "" };
}

export class Drawer {
  constructor(private readonly model: Model) {
    for (const name of ["settings", "export", "help"] as const) {
      byId(`open-${name}`).addEventListener("click", () => this.toggle(name));
      byId(`close-${name}`).addEventListener("click", () => this.close());
    }
    model.on(["state"], () => this.write());
    this.helpText();
  }

  toggle(name: "settings" | "export" | "help"): void {
    const dialog = byId<HTMLDialogElement>(name);
    const wasOpen = dialog.open;
    this.close();
    if (!wasOpen) {
      dialog.show();
      this.write();
    }
    byId(`open-${name}`).setAttribute("aria-expanded", String(!wasOpen));
    if (wasOpen) return;
    const first = ["input:checked", "input, select, a, button"].map((kind) => byId(`${name}-body`).querySelector<HTMLElement>(kind));
    (first.find((found) => found) ?? byId(`close-${name}`)).focus();
  }

  /** Closes whatever is open; whether something was. */
  close(): boolean {
    let closed = false;
    for (const dialog of document.querySelectorAll("dialog")) {
      if (dialog.open) {
        dialog.close();
        byId(`open-${dialog.id}`).setAttribute("aria-expanded", "false");
        byId(`open-${dialog.id}`).focus();
        closed = true;
      }
    }
    return closed;
  }

  /** What is open; the rest is written when it is opened. */
  private write(): void {
    const { state } = this.model;
    if (!state) return;
    const isOpen = (name: string): boolean => byId<HTMLDialogElement>(name).open;
    if (isOpen("settings")) this.settings(state.choices);
    if (isOpen("export")) this.exports(state.command);
  }

  private settings(choices: api.Choices): void {
    const { about } = this.model;
    const box = byId("settings-body");
    if (box.contains(document.activeElement) && document.activeElement?.tagName === "SELECT") return;
    const choose = async (change: Partial<api.Choices>): Promise<void> => {
      try {
        await api.act({ act: "choose", choices: { ...choices, ...change } });
      } catch (error) {
        toast((error as Error).message, true);
      }
    };
    const preset = about.presets.find((one) => one.name === choices.preset);
    const radios = about.presets.map((one) => {
      const input = el("input", { type: "radio", name: "preset", value: one.name, ...beside(one.about), onchange: () => void choose({ preset: one.name }) });
      input.checked = one.name === choices.preset;
      return el("label", { class: "choice" }, input, el("span", {}, el("b", {}, one.name), " ", el("span", { class: "dim" }, one.about)));
    });
    const parts: HTMLElement[] = [el("fieldset", {}, el("legend", {}, "Preset"), ...radios)];
    const check = (text: string, words: string, checked: boolean, change: (on: boolean) => Partial<api.Choices>): HTMLElement => {
      const input = el("input", { type: "checkbox", ...beside(words) });
      input.checked = checked;
      input.addEventListener("change", () => void choose(change(input.checked)));
      return el("label", { class: "choice" }, input, el("span", {}, el("b", {}, text), " ", el("span", { class: "dim" }, words)));
    };
    if (preset?.allow_unmatched) {
      parts.push(
        check("Allow unmatched", "nodes may stay alone where nothing speaks for a partner", choices.allow_unmatched, (on) => ({ allow_unmatched: on })),
      );
    }
    if (about.points && preset?.points_model) {
      const select = el("select", { id: "points-model", title: "The family of maps that the match looks among; auto takes the likeliest" });
      for (const [name, words] of MODELS) {
        const option = el("option", { value: name }, `${name}: ${words}`);
        option.selected = name === choices.points_model;
        select.append(option);
      }
      select.addEventListener("change", () => void choose({ points_model: select.value }));
      parts.push(el("label", { class: "stack", for: "points-model" }, el("b", {}, "How the two sets lie to each other"), select));
    }
    if (about.attributes) {
      const words = `what nodes carry: ${about.attributes.join(", ")}`;
      parts.push(check("Compare attributes", words, choices.attributes, (on) => ({ attributes: on })));
    }
    refill(box, "input, select", ...parts);
  }

  private exports(command: string): void {
    const link = (name: string, words: string): HTMLElement =>
      el("li", {}, el("a", { href: api.address(`/export/${name}`), download: name, ...beside(words) }, name), el("span", { class: "dim" }, words));
    const text = el("code", { class: "command", tabindex: "0", title: "Gives the same match in a terminal, in the folder where the studio was started" }, command);
    const copy = el(
      "button",
      {
        title: "Copy the command",
        onclick: () => {
          navigator.clipboard.writeText(command).then(
            () => toast("The command is copied"),
            () => toast("The browser does not allow to copy: select the text and copy it by hand", true),
          );
        },
      },
      "Copy",
    );
    fill(
      byId("export-body"),
      el(
        "ul",
        { class: "exports" },
        link("pairs.csv", "all pairs with their confidences"),
        link("pairs.json", "the same with everything that the match says of itself"),
        link("report.html", "a page to send to others"),
        link("anchors.csv", "what you said"),
      ),
      el("h4", {}, "The command that gives the same"),
      text,
      copy,
      el("p", { class: "dim" }, `Every change is saved in ${this.model.about.saved}.`),
    );
  }

  private helpText(): void {
    const rows = KEYS.map(([keys, words]) => el("tr", {}, el("th", {}, keys), el("td", {}, words)));
    const { notes } = this.model.about;
    const parts: HTMLElement[] = [el("table", { class: "keys" }, el("tbody", {}, ...rows))];
    if (notes.length > 0) parts.push(el("h4", {}, "About these files"), el("ul", {}, ...notes.map((note) => el("li", {}, note))));
    fill(byId("help-body"), ...parts);
  }
}
