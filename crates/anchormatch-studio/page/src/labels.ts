// Ids beside nodes, where they do not cover each other.

import { short } from "./dom";
import { variable } from "./look";

type Box = [left: number, top: number, right: number, bottom: number];

export interface Labelled {
  name: (node: number) => string;
  at: (node: number) => [number, number];
  /** Pixels between a node and its label. */
  gap: number;
  /** The right edge, which no label crosses. */
  right: number;
}

/** Writes the ids of the `wanted` in any case, and those of others where there is room. */
export function writeLabels(pen: CanvasRenderingContext2D, wanted: Set<number>, others: number[], of: Labelled): void {
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  const taken: Box[] = [];
  const put = (node: number, always: boolean): void => {
    const [x, y] = of.at(node);
    const text = short(of.name(node), 22);
    pen.font = `${always ? 600 : 400} 12px system-ui, sans-serif`;
    const wide = pen.measureText(text).width;
    const left = x + of.gap + wide > of.right - 4 ? x - of.gap - wide : x + of.gap;
    const box: Box = [left, y - 8, left + wide, y + 8];
    const hits = taken.some((o) => box[0] < o[2] && box[2] > o[0] && box[1] < o[3] && box[3] > o[1]);
    if (hits && !always) return;
    taken.push(box);
    pen.lineWidth = 4;
    pen.strokeStyle = variable("--paper");
    pen.strokeText(text, left, y);
    pen.fillStyle = variable(always ? "--ink" : "--dim");
    pen.fillText(text, left, y);
  };
  for (const node of wanted) put(node, true);
  for (const node of others) {
    const [x, y] = of.at(node);
    taken.push([x - 4, y - 4, x + 4, y + 4]);
  }
  for (const node of others) if (!wanted.has(node)) put(node, false);
}
