// Words that come and go, and those that stay until something changes.

import { byId, el } from "./dom";

const SECONDS = 7;

/** A sentence at the lower edge; errors stay a little longer and are read out at once. */
export function toast(text: string, isError = false): void {
  const note = el("div", { class: isError ? "toast error" : "toast", role: isError ? "alert" : "status" }, text);
  const close = el("button", { class: "quiet", "aria-label": "Close", title: "Close", onclick: () => note.remove() }, "×");
  note.append(close);
  byId("toasts").append(note);
  setTimeout(() => note.remove(), 1000 * (isError ? 2 * SECONDS : SECONDS));
}
