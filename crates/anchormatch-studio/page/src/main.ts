// The page, put together.

import * as api from "./api";
import { Ask } from "./ask";
import { Detail } from "./detail";
import { byId, count, el, fill, isolated, short, whole } from "./dom";
import { Drawer } from "./drawer";
import { startTheme, switchTheme } from "./look";
import { Meter } from "./meter";
import { Model } from "./model";
import { toast } from "./notices";
import { Stage } from "./stage";
import { Table } from "./table";
import { startTips } from "./tips";
import { Tour } from "./tour";

const LINES = ["none", "selected", "all"] as const;

async function start(): Promise<void> {
  startTheme(() => undefined);
  startTips();
  const model = new Model();
  await model.load();
  document.title = `${model.about.title} · anchormatch studio`;
  byId("title").textContent = model.about.title;
  model.about.sides.forEach((side, k) => {
    const what = side.points ? "points" : "nodes";
    const edges = side.points ? "" : `, ${count(side.edges)} ${side.directed ? "arcs" : "edges"}`;
    fill(byId(["name-source", "name-target"][k]), el("b", { title: side.name }, side.name), ` ${count(side.nodes)} ${what}${edges}`);
  });
  void leftOut();
  const stage = new Stage(model);
  const table = new Table(model, stage);
  const detail = new Detail(model, stage);
  const ask = new Ask(model, stage);
  const drawer = new Drawer(model);
  const meter = new Meter(model);
  const tour = new Tour(model);
  startTheme(() => stage.draw());
  wire(model, stage, detail, ask, drawer, tour);
  hints(model);
  for (const note of model.about.notes.slice(0, 3)) toast(note);
  let isFirst = true;
  model.on(["state"], () => {
    if (isFirst) tour.maybe();
    isFirst = false;
  });
  model.listen();
  meter.show();
  byId("loading").remove();
  // For scripts that drive the page: where nodes are, and how things stand.
  Object.defineProperty(window, "anchormatchStudio", { value: Object.freeze({ model, stage, table, ask }) });
}

/** What is not drawn is said beside the names. */
async function leftOut(): Promise<void> {
  const words = await api.json<string[]>("/api/left-out");
  words.forEach((text, k) => {
    if (text) byId(["name-source", "name-target"][k]).append(` · ${text}`);
  });
}

function panel(name: string, ask: Ask): void {
  for (const tab of document.querySelectorAll<HTMLElement>("[role=tab]")) {
    const isThis = tab.dataset.panel === name;
    tab.setAttribute("aria-selected", String(isThis));
    tab.tabIndex = isThis ? 0 : -1;
    byId(`panel-${tab.dataset.panel}`).hidden = !isThis;
  }
  if (name === "ask") ask.start();
  else ask.stop();
}

function wire(model: Model, stage: Stage, detail: Detail, ask: Ask, drawer: Drawer, tour: Tour): void {
  const undo = (): void => void tell({ act: "undo" });
  const redo = (): void => void tell({ act: "redo" });
  byId("undo").addEventListener("click", undo);
  byId("redo").addEventListener("click", redo);
  byId("fit").addEventListener("click", () => stage.fit());
  byId("theme").addEventListener("click", () => {
    switchTheme();
    stage.draw();
  });
  byId("open-tour").addEventListener("click", () => {
    drawer.close();
    tour.start();
  });
  const linked = byId("linked");
  const link = (): void => {
    model.linked = !model.linked;
    linked.setAttribute("aria-pressed", String(model.linked));
  };
  linked.addEventListener("click", link);
  const lines = byId("lines");
  const turn = (): void => {
    model.lines = LINES[(LINES.indexOf(model.lines) + 1) % LINES.length];
    lines.textContent = `Lines: ${{ none: "none", selected: "anchors", all: "all" }[model.lines]}`;
    model.tell("look");
  };
  lines.addEventListener("click", turn);
  const tabs = [...document.querySelectorAll<HTMLElement>("[role=tab]")];
  tabs.forEach((tab, k) => {
    tab.addEventListener("click", () => panel(tab.dataset.panel ?? "pairs", ask));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = tabs[(k + by + tabs.length) % tabs.length];
      next.click();
      next.focus();
    });
  });
  model.on(["state"], () => {
    byId<HTMLButtonElement>("undo").disabled = !model.state?.undo;
    byId<HTMLButtonElement>("redo").disabled = !model.state?.redo;
  });
  search(model, stage);
  panel("pairs", ask);
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input:not([type=radio]):not([type=checkbox]), select, textarea");
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && !isTyping) {
      const key = event.key.toLowerCase();
      if (key === "z") (event.shiftKey ? redo : undo)();
      else if (key === "y") redo();
      else return;
      event.preventDefault();
      return;
    }
    if (event.key === "Escape") {
      if (tour.isOpen) tour.end();
      else if (!drawer.close()) stage.cancel();
      if (isTyping) target.blur();
      return;
    }
    if (isTyping || isCommand || event.altKey || tour.isOpen) return;
    const keys: Record<string, () => void> = {
      "/": () => byId("search").focus(),
      "?": () => drawer.toggle("help"),
      "+": () => stage.zoom(1.3),
      "=": () => stage.zoom(1.3),
      "-": () => stage.zoom(1 / 1.3),
      "0": () => stage.fit(),
      l: turn,
      t: link,
      q: () => panel("ask", ask),
    };
    if (ask.press(event.key) || detail.press(event.key)) event.preventDefault();
    else if (keys[event.key]) {
      keys[event.key]();
      event.preventDefault();
    }
  });
}

async function tell(act: object): Promise<void> {
  try {
    await api.act(act);
  } catch (error) {
    toast((error as Error).message, true);
  }
}

/** Ids of both sides, while one types. */
function search(model: Model, stage: Stage): void {
  const field = byId<HTMLInputElement>("search");
  const list = byId("found");
  const go = (side: 0 | 1, node: number): void => {
    model.show({ side, node });
    const other = model.partnerOf({ side, node });
    stage.reveal(side === 0 ? node : other, side === 0 ? other : node);
    list.hidden = true;
    field.value = "";
  };
  const look = (): [0 | 1, number][] => {
    const text = field.value.trim().toLowerCase();
    if (!text) return [];
    const found: [0 | 1, number][] = [];
    for (const side of [0, 1] as const) {
      const exact = model.graphs[side].find(field.value.trim());
      if (exact !== undefined) found.push([side, exact]);
      let many = 0;
      model.graphs[side].names.some((name, node) => {
        if (node !== exact && name.toLowerCase().includes(text)) {
          found.push([side, node]);
          many++;
        }
        return many >= 8;
      });
    }
    return found;
  };
  field.addEventListener("input", () => {
    const found = look();
    const items = found.map(([side, node]) =>
      el(
        "button",
        { class: "hit", role: "option", title: model.name(side, node), onclick: () => go(side, node) },
        whole(model.name(side, node)),
        el("span", { class: "dim" }, side === 0 ? "left" : "right"),
      ),
    );
    fill(list, ...(items.length > 0 || !field.value ? items : [el("p", { class: "empty" }, "No id of either side has this in it.")]));
    list.hidden = field.value.trim() === "";
  });
  field.addEventListener("keydown", (event) => {
    const found = look();
    if (event.key === "Enter" && found.length > 0) go(...found[0]);
    if (event.key === "ArrowDown") {
      list.querySelector<HTMLElement>("button")?.focus();
      event.preventDefault();
    }
    if (event.key === "Escape") {
      field.value = "";
      list.hidden = true;
    }
  });
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const hits = [...list.querySelectorAll<HTMLElement>("button")];
    const at = hits.indexOf(document.activeElement as HTMLElement);
    if (by) (hits[at + by] ?? (by < 0 ? field : hits[at])).focus();
    else if (event.key === "Escape") {
      list.hidden = true;
      field.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const leave = (): void => void setTimeout(() => (list.hidden ||= ![field, ...list.children].includes(document.activeElement as HTMLElement)), 120);
  for (const part of [field, list]) part.addEventListener("focusout", leave);
}

/** The line that says what a click does now. */
function hints(model: Model): void {
  const hint = byId("hint");
  const show = (): void => {
    const { pending } = model;
    // A question says by itself what to do; a click is only another way to answer it.
    const isAsked = !!pending && pending.side === 0 && pending.node === model.asking;
    const name = pending ? isolated(short(model.name(pending.side, pending.node), 40)) : "";
    hint.textContent = isAsked
      ? `Answer the question, or click the partner of ${name} yourself.`
      : pending
        ? `Now click the partner of ${name} on the ${pending.side === 0 ? "right" : "left"}. Esc cancels.`
        : "Click a node on the left, then its partner on the right. Or press q to be asked.";
    hint.classList.toggle("now", !!pending && !isAsked);
  };
  model.on(["focus", "look"], show);
  show();
}

start().catch((error: Error) => {
  const loading = document.getElementById("loading");
  if (loading) loading.textContent = error.message;
  else toast(error.message, true);
});
