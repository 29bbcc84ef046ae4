// The marks of how nodes stand, by the table that the report draws them from as well.

import table from "../../../../anchormatch-report/src/assets/standings.tsv";
import { svg } from "../dom";
import { rows } from "./tables";

type Outline = { disc: number } | { corners: [number, number][] };

interface Mark {
  name: string;
  word: string;
  /** How much larger than a node. */
  size: number;
  body: Outline;
  hole: Outline | null;
  /** Of its match line: pixels, and its opacity against that of others. */
  width: number;
  strength: number;
}

function outline(text: string): Outline | null {
  const [kind, ...rest] = text.split(" ");
  const numbers = rest.map(Number);
  if (kind === "disc") return { disc: numbers[0] };
  if (kind !== "polygon") return null;
  const corners: [number, number][] = [];
  for (let k = 0; k < numbers.length; k += 2) corners.push([numbers[k], numbers[k + 1]]);
  return { corners };
}

/** By standing. */
export const MARKS: Mark[] = rows(table).map(([name, word, size, body, hole, width, strength]) => {
  const whole = outline(body);
  if (!whole) throw new Error(`the mark ${name} has no body`);
  return {
    name,
    word,
    size: Number(size),
    body: whole,
    hole: outline(hole),
    width: Number(width),
    strength: Number(strength),
  };
});

function path(of: Outline, [x, y] = [0, 0], radius = 1): string {
  if ("disc" in of) {
    const r = of.disc * radius;
    return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }
  return `M${of.corners.map(([dx, dy]) => `${x + dx * radius} ${y + dy * radius}`).join("L")}z`;
}

/** Marks of one standing at places, for nodes of these radii: their bodies in one path, their holes in another. */
export function marks(standing: number, places: [number, number][], radii: number[]): SVGElement[] {
  const { name, size, body, hole } = MARKS[standing];
  if (places.length === 0) return [];
  const all = (of: Outline): string => places.map((at, k) => path(of, at, size * radii[k])).join("");
  const made = [svg("path", { class: `body ${name}`, d: all(body) })];
  if (hole) made.push(svg("path", { class: "hole", d: all(hole) }));
  return made;
}

/** The mark beside a word; with a title where there is no word. */
export function mark(standing: number, title = ""): SVGElement {
  const { name, body, hole } = MARKS[standing];
  const made = svg("svg", { class: "mark", viewBox: "-1.05 -1.05 2.1 2.1", "aria-hidden": "true" });
  if (title) made.append(svg("title", {}, title));
  made.append(svg("path", { class: `body ${name}`, d: path(body) }));
  if (hole) made.append(svg("path", { class: "hole", d: path(hole) }));
  return made;
}

/** Pixels of a side of a picture of a mark, and how far it reaches beyond the mark. */
const PICTURE = 64;
export const REACH = 1.2;

/** All marks as pictures: red where a body is, green where its hole is. */
export function pictures(): ImageData[] {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = PICTURE;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error("this browser draws no pictures");
  const scale = PICTURE / 2 / REACH;
  return MARKS.map(({ body, hole }) => {
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = "#000";
    pen.fillRect(0, 0, PICTURE, PICTURE);
    pen.setTransform(scale, 0, 0, scale, PICTURE / 2, PICTURE / 2);
    pen.fillStyle = "#f00";
    pen.fill(new Path2D(path(body)));
    if (hole) {
      pen.fillStyle = "#ff0";
      pen.fill(new Path2D(path(hole)));
    }
    return pen.getImageData(0, 0, PICTURE, PICTURE);
  });
}
