// Tooltips: what a control does, beside it, for who points at it and for who comes to it by the keyboard.
//
// The words stand in `title`, which browsers show to those alone who point; where the words would cover what is pointed at,
// in `data-tip`, which is shown to the keyboard alone, and not at all where it is empty.

import { el } from "./dom";

/** Milliseconds that a pointer rests before it is told. */
const REST = 500;
const GAP = 6;

export function startTips(): void {
  const box = el("div", { class: "what", role: "tooltip", id: "what", hidden: true });
  document.body.append(box);
  let of: Element | null = null;
  let waiting = 0;
  const hide = (): void => {
    clearTimeout(waiting);
    of = null;
    box.hidden = true;
  };
  const show = (control: Element, words: string): void => {
    if (!control.isConnected || !words) return;
    of = control;
    box.textContent = words;
    box.hidden = false;
    const { left, top, bottom, width } = control.getBoundingClientRect();
    const x = Math.max(GAP, Math.min(left + width / 2 - box.offsetWidth / 2, window.innerWidth - box.offsetWidth - GAP));
    const below = bottom + GAP;
    const y = below + box.offsetHeight <= window.innerHeight ? below : Math.max(GAP, top - GAP - box.offsetHeight);
    box.style.transform = `translate(${x}px, ${y}px)`;
  };
  document.addEventListener("pointerover", (event) => {
    const control = (event.target as Element).closest?.("[title], [aria-description]");
    if (!control || control === of || control.hasAttribute("data-tip")) return;
    hide();
    const words = wordsOf(control);
    waiting = window.setTimeout(() => show(control, words), REST);
  });
  document.addEventListener("pointerout", (event) => {
    const to = event.relatedTarget as Element | null;
    if (of && to && of.contains(to)) return;
    hide();
  });
  document.addEventListener("focusin", (event) => {
    hide();
    const control = event.target as Element;
    if (control.matches(":focus-visible")) show(control, wordsOf(control));
  });
  for (const name of ["focusout", "pointerdown", "wheel"]) document.addEventListener(name, hide, { passive: true });
  document.addEventListener("keydown", (event) => {
    if (!["Tab", "Shift"].includes(event.key)) hide();
  });
}

/** The words of a control, which go where the browser does not show them a second time. */
function wordsOf(control: Element): string {
  const title = control.getAttribute("title");
  if (title !== null) {
    control.setAttribute("aria-description", title);
    control.removeAttribute("title");
  }
  return control.getAttribute("data-tip") ?? control.getAttribute("aria-description") ?? "";
}
