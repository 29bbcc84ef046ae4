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

/** A name that fits; the whole of it stands in a title. */
export function short(text: string, most = 24): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

export function count(n: number): string {
  return n.toLocaleString("en").replaceAll(",", "\u202f");
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0.995 && share < 1 ? 1 : 0)} %`;
}
