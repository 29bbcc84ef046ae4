// What the page asks the program.

const token = new URLSearchParams(location.search).get("token") ?? "";

export type SideName = "source" | "target";

export interface SideAbout {
  name: string;
  nodes: number;
  edges: number;
  points: boolean;
  placed: boolean;
  image: [number, number, number, number] | null;
  directed: boolean;
}

export interface Preset {
  name: string;
  about: string;
  allow_unmatched: boolean;
  points_model: boolean;
}

export interface About {
  title: string;
  sides: [SideAbout, SideAbout];
  points: boolean;
  presets: Preset[];
  attributes: string[] | null;
  saved: string;
  notes: string[];
  sure: number;
}

export interface Choices {
  preset: string;
  allow_unmatched: boolean;
  points_model: string;
  attributes: boolean;
}

export type Change =
  | { do: "anchor"; source: number; target: number }
  | { do: "alone"; side: SideName; node: number }
  | { do: "reject"; source: number; target: number }
  | { do: "unsure"; source: number }
  | { do: "release"; side: SideName; node: number };

export interface State {
  kind: "state";
  change: number;
  anchors: [number, number][];
  soft: [number, number, number][];
  alone: [number[], number[]];
  rejected: [number, number][];
  unsure: number[];
  undo: number;
  redo: number;
  last: Change | { do: "read" } | null;
  asked: number;
  choices: Choices;
  command: string;
}

export interface Summary {
  number: number;
  change: number;
  quick: boolean;
  pairs: number;
  expected: number;
  counts: [number, number, number, number, number, number];
  unmatched: [number, number];
  /** Until the match was begun, after its change came in, and of the match itself. */
  waited: number;
  seconds: number;
  status: string;
  regime: string | null;
  model: { family: string; probability: number } | null;
  notes: string[];
}

/** A match of small graphs comes with its event: partners (-1 for none) and confidences, and how nodes stand. */
export interface Arrays {
  partner: number[];
  confidence: number[];
  standing: [number[], number[]];
}

export type Told =
  | State
  | { kind: "matched"; summary: Summary; curve: [number, number][]; arrays: Arrays | null }
  | { kind: "questions"; list: { source: number; gain: number }[] }
  | { kind: "progress"; change: number; stage: string; done: number; total: number | null }
  | { kind: "places"; number: number }
  | { kind: "failed"; message: string };

export interface Evidence {
  both: [number, number][];
  source_only: [number, number | null][];
  target_only: [number, number | null][];
  totals: [number, number, number];
  degrees: [number, number];
  edges: boolean;
}

export interface NodeAbout {
  number: number;
  side: SideName;
  node: number;
  pair: [number, number] | null;
  confidence: number | null;
  others: [number, number | null][];
  evidence: Evidence | null;
  suspicion: { probability: number; preferred: number | null } | null;
}

export interface Question {
  number: number;
  source: number;
  candidates: { target: number; probability: number | null; evidence: Evidence }[];
}

/** The address of something, with the token. */
export function address(path: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
}

async function answer(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await response.text();
  let message = text;
  try {
    message = (JSON.parse(text) as { error: string }).error;
  } catch {
    // Plain words already.
  }
  throw new Error(message || `the program answered with ${response.status}`);
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers: { "x-anchormatch-token": token } });
  } catch {
    throw new Error("the program does not answer: was it closed? Nothing is lost; start it again");
  }
  return answer(response);
}

export async function json<T>(path: string): Promise<T> {
  return (await ask(path)).json() as Promise<T>;
}

export async function binary(path: string): Promise<ArrayBuffer> {
  return (await ask(path)).arrayBuffer();
}

export async function say(change: Change, asked = false): Promise<void> {
  await act({ act: "say", change, asked });
}

export async function act(body: object): Promise<void> {
  await ask("/api/act", { method: "POST", body: JSON.stringify(body) });
}

/** Hears everything that happens, and whether the line is open. */
export function listen(hear: (told: Told) => void, open: (isOpen: boolean) => void): void {
  const events = new EventSource(address("/api/events"));
  events.onmessage = (event) => hear(JSON.parse(event.data as string) as Told);
  events.onopen = () => open(true);
  events.onerror = () => open(false);
}
