// Elements by hand. Text from outside goes through textContent and is never read as HTML.

type Child = Node | string;
type Props = Record<string, string | boolean | ((event: Event) => void)>;

/** An element with attributes, listeners (`onclick` and the like) and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  set(made, props);
  made.append(...children);
  return made;
}

/** The same for SVG. */
export function svg(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const made = document.createElementNS("http:" + "//www.w3.org/2000/svg", tag) as SVGElement;
  set(made, props);
  made.append(...children);
  return made;
}

function set(made: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false) made.setAttribute(name, value);
  }
}

/** The element of the page with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...children);
}

/** The same, with the focus on the control of the same place where one of these had it. */
export function refill(box: HTMLElement, controls: string, ...parts: HTMLElement[]): void {
  const all = (): HTMLElement[] => [...box.querySelectorAll<HTMLElement>(controls)];
  const at = all().indexOf(document.activeElement as HTMLElement);
  fill(box, ...parts);
  all()[at]?.focus();
}

/** Characters of a name's end that are always in sight. */
const END = 8;

/** A name that fits, cut in the middle: ids often begin alike. The whole of it stands in a title. */
export function short(text: string, most = 24): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const end = Math.min(END, Math.floor(most / 2));
  return `${letters.slice(0, most - end - 1).join("")}…${letters.slice(-end).join("")}`;
}

/** A name within a sentence, whose direction it cannot turn (U+2068 and U+2069 set it apart). */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

/** The whole of a name, of which the middle is cut where there is no room for it. */
export function whole(text: string): HTMLElement {
  const letters = [...text];
  const at = letters.length > 2 * END ? letters.length - END : letters.length;
  const parts = [el("bdi", {}, letters.slice(0, at).join(""))];
  if (at < letters.length) parts.push(el("bdi", {}, letters.slice(at).join("")));
  return el("span", { class: "whole" }, ...parts);
}

export function count(n: number): string {
  return n.toLocaleString("en").replaceAll(",", "\u202f");
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0.995 && share < 1 ? 1 : 0)} %`;
}
