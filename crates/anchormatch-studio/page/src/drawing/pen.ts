// What the marks of attention are drawn with: a canvas on the page, elements of an SVG in the report. Colours are variables
// of the style sheet.

import { svg } from "../dom";

export type Spot = [x: number, y: number];

export interface Stroke {
  colour: string;
  width: number;
  dash?: [number, number];
}

export interface Pen {
  lines(ends: [Spot, Spot][], stroke: Stroke): void;
  circle(at: Spot, radius: number, stroke: Stroke): void;
  /** Text from its left end, upright about the middle of its letters, with a seam of the paper's colour. */
  text(words: string, at: Spot, isStrong: boolean): void;
  /** How wide a text will be. */
  measure(words: string, isStrong: boolean): number;
}

/** The value of a variable of the style sheet. */
export function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const SIZE = 12;
const SEAM = 4;
const FAMILY = "system-ui, sans-serif";
const weight = (isStrong: boolean): number => (isStrong ? 600 : 400);
const inkOf = (isStrong: boolean): string => (isStrong ? "--ink" : "--dim");

function measured(sheet: CanvasRenderingContext2D, words: string, isStrong: boolean): number {
  sheet.font = `${weight(isStrong)} ${SIZE}px ${FAMILY}`;
  return sheet.measureText(words).width;
}

export class CanvasPen implements Pen {
  constructor(private readonly sheet: CanvasRenderingContext2D) {}

  private set({ colour, width, dash }: Stroke): void {
    this.sheet.strokeStyle = variable(colour);
    this.sheet.lineWidth = width;
    this.sheet.setLineDash(dash ?? []);
  }

  lines(ends: [Spot, Spot][], stroke: Stroke): void {
    this.set(stroke);
    this.sheet.beginPath();
    for (const [from, to] of ends) {
      this.sheet.moveTo(...from);
      this.sheet.lineTo(...to);
    }
    this.sheet.stroke();
  }

  circle([x, y]: Spot, radius: number, stroke: Stroke): void {
    this.set(stroke);
    this.sheet.beginPath();
    this.sheet.arc(x, y, radius, 0, 2 * Math.PI);
    this.sheet.stroke();
  }

  text(words: string, [x, y]: Spot, isStrong: boolean): void {
    const { sheet } = this;
    sheet.font = `${weight(isStrong)} ${SIZE}px ${FAMILY}`;
    sheet.textAlign = "left";
    sheet.textBaseline = "middle";
    sheet.lineJoin = "round";
    this.set({ colour: "--paper", width: SEAM });
    sheet.strokeText(words, x, y);
    sheet.fillStyle = variable(inkOf(isStrong));
    sheet.fillText(words, x, y);
  }

  measure(words: string, isStrong: boolean): number {
    return measured(this.sheet, words, isStrong);
  }
}

export class SvgPen implements Pen {
  private readonly ruler = document.createElement("canvas").getContext("2d");
  private made: SVGElement[] = [];

  constructor(private readonly sheet: Element) {}

  /** Puts what was drawn in the place of what was there. */
  show(): void {
    this.sheet.replaceChildren(...this.made);
    this.made = [];
  }

  private add(tag: string, { colour, width, dash }: Stroke, props: Record<string, string>): void {
    const stroke = { fill: "none", stroke: `var(${colour})`, "stroke-width": String(width) };
    const dashes: Record<string, string> = dash ? { "stroke-dasharray": dash.join(" ") } : {};
    this.made.push(svg(tag, { ...stroke, ...dashes, ...props }));
  }

  lines(ends: [Spot, Spot][], stroke: Stroke): void {
    const d = ends.map(([from, to]) => `M${from.join(" ")}L${to.join(" ")}`).join("");
    if (d) this.add("path", stroke, { d });
  }

  circle([cx, cy]: Spot, r: number, stroke: Stroke): void {
    this.add("circle", stroke, { cx: String(cx), cy: String(cy), r: String(r) });
  }

  text(words: string, [x, y]: Spot, isStrong: boolean): void {
    // Letters are set from their base line: the middle of them is a third of their size above it.
    const place = { x: String(x), y: String(y + SIZE / 3) };
    const font = { "font-family": FAMILY, "font-size": `${SIZE}px`, "font-weight": String(weight(isStrong)) };
    const seam = { stroke: "var(--paper)", "stroke-width": String(SEAM), "stroke-linejoin": "round" };
    const ink = `var(${inkOf(isStrong)})`;
    this.made.push(svg("text", { ...place, ...font, ...seam, fill: "var(--paper)" }, words));
    this.made.push(svg("text", { ...place, ...font, fill: ink }, words));
  }

  measure(words: string, isStrong: boolean): number {
    return this.ruler ? measured(this.ruler, words, isStrong) : words.length * SIZE * 0.6;
  }
}
