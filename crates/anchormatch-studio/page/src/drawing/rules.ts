// How large nodes are and how faint lines, by how many there are and how near one looks.

import table from "../../../../anchormatch-report/src/assets/rules.tsv";
import { MARKS } from "./marks";
import { rows } from "./tables";

const TABLE = rows(table);
const RULES = new Map(
  TABLE.filter(([name]) => name !== "hub").map(([name, ...numbers]) => {
    const [scale, power, least, most] = numbers.map(Number);
    return [name, (n: number) => Math.min(most, Math.max(least, scale / Math.max(n, 1) ** power))] as const;
  }),
);

function rule(name: string): (n: number) => number {
  const found = RULES.get(name);
  if (!found) throw new Error(`the table of rules has no row ${name}`);
  return found;
}

const [base, step, most, crowd] = (TABLE.find(([name]) => name === "hub") ?? []).slice(1).map(Number);
const [ofNode, ofEdge, ofLine] = ["node", "edge", "line"].map(rule);
/** Nodes grow more slowly than the view does, and not for ever. */
const GROWTH = 0.35;
const LARGEST = 9;

/** The radius of a node in pixels, among so many. */
export function radius(nodes: number, zoom = 1): number {
  return Math.min(LARGEST, ofNode(nodes) * Math.max(1, zoom) ** GROWTH);
}

/** The size of a node with so many edges against that of others: hubs stand out, but in the largest graphs. */
export function size(degree: number, nodes: number): number {
  return nodes > crowd ? 1 : Math.min(most, base + step * Math.log2(1 + degree));
}

/** The opacity of edges, of which fewer are in sight the nearer one looks. */
export function edgeOpacity(edges: number, zoom = 1): number {
  return ofEdge(edges / Math.max(1, zoom) ** 2);
}

/** The opacity of a plain match line among so many; that of others is a multiple of it. */
export function lineOpacity(lines: number): number {
  return ofLine(lines);
}

/** By standing: the widths of match lines, and what their opacity is multiplied by. */
export const WIDTHS = MARKS.map(({ width }) => width);
export const STRENGTHS = MARKS.map(({ strength }) => strength);

/** Ids are written beside nodes where no more than this are in sight. */
export const LABELLED = 90;
