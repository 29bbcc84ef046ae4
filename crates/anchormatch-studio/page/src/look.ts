// Colours: near those of Okabe and Ito, and tested to be told apart by people with any colour vision; shapes say the same.

import { MARKS } from "./drawing/marks";
import { variable } from "./drawing/pen";
import { edgeOpacity } from "./drawing/rules";
import type { Look } from "./gl";

type Theme = "auto" | "light" | "dark";

const KEY = "anchormatch-theme";
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

let theme: Theme = (["light", "dark"] as const).find((name) => stored() === name) ?? "auto";

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function isDark(): boolean {
  return theme === "auto" ? prefersDark.matches : theme === "dark";
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}

/** Applies the theme now and whenever the system changes its own. */
export function startTheme(changed: () => void): void {
  apply();
  prefersDark.addEventListener("change", () => {
    apply();
    changed();
  });
}

export function switchTheme(): void {
  theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Not kept, then.
  }
  apply();
}

/** A colour of the style sheet as numbers from 0 to 1. */
function colour(name: string): [number, number, number] {
  const text = variable(name).replace("#", "");
  const at = (k: number): number => parseInt(text.slice(2 * k, 2 * k + 2), 16) / 255;
  return [at(0), at(1), at(2)];
}

/** The variables of the standings, in their order. */
export const VARIABLES = MARKS.map(({ name }) => `--${name}`);

export function look(edges: number, zoom: number): Look {
  const paper = colour("--paper");
  const [r, g, b] = colour("--edge");
  return { colours: VARIABLES.map(colour), edge: [r, g, b, edgeOpacity(edges, zoom)], paper };
}
