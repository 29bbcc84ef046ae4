// What runs on the graphics card.

import { REACH } from "./drawing/marks";

export const NODES = `#version 300 es
in vec2 place; in float standing; in float size;
uniform vec4 camera; uniform vec2 canvas; uniform float radius; uniform vec3 colours[6]; uniform float sizes[6];
flat out int kind; flat out vec3 colour; out float pixels;
void main() {
  vec2 at = camera.xy + place * camera.zw;
  gl_Position = vec4(2.0 * at.x / canvas.x - 1.0, 1.0 - 2.0 * at.y / canvas.y, 0.0, 1.0);
  kind = int(standing + 0.5);
  colour = colours[kind];
  pixels = 2.0 * radius * size * sizes[kind] + 2.0;
  gl_PointSize = pixels;
}`;

export const NODE = `#version 300 es
precision mediump float; precision mediump sampler2DArray;
flat in int kind; flat in vec3 colour; in float pixels;
uniform vec3 paper; uniform sampler2DArray marks;
out vec4 result;
void main() {
  vec2 p = (gl_PointCoord - 0.5) * pixels / (pixels - 2.0) / ${REACH} + 0.5;
  vec2 drawn = texture(marks, vec3(p, float(kind))).rg;
  if (drawn.r <= 0.0) discard;
  result = vec4(colour * (drawn.r - drawn.g) + paper * drawn.g, drawn.r);
}`;

export const EDGES = `#version 300 es
in vec2 place;
uniform vec4 camera; uniform vec2 canvas;
void main() {
  vec2 at = camera.xy + place * camera.zw;
  gl_Position = vec4(2.0 * at.x / canvas.x - 1.0, 1.0 - 2.0 * at.y / canvas.y, 0.0, 1.0);
}`;

export const EDGE = `#version 300 es
precision mediump float; uniform vec4 colour; out vec4 result;
void main() { result = vec4(colour.rgb * colour.a, colour.a); }`;

// Edges of smaller graphs are strips as match lines are, whose borders are smoothed, a pixel wide.
export const STRIPS = `#version 300 es
in vec2 from; in vec2 to;
uniform vec4 camera; uniform vec2 canvas; uniform float ratio;
out float off;
void main() {
  vec2 a = camera.xy + from * camera.zw;
  vec2 b = camera.xy + to * camera.zw;
  off = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  vec2 along = normalize(b - a + vec2(1e-6, 0.0));
  vec2 at = ((gl_VertexID & 3) < 2 ? a : b) + vec2(-along.y, along.x) * off / ratio;
  gl_Position = vec4(2.0 * at.x / canvas.x - 1.0, 1.0 - 2.0 * at.y / canvas.y, 0.0, 1.0);
}`;

export const STRIP = `#version 300 es
precision mediump float; uniform vec4 colour; in float off; out vec4 result;
void main() {
  float covered = colour.a * clamp(1.0 - abs(off), 0.0, 1.0);
  result = vec4(colour.rgb * covered, covered);
}`;

// A line is a strip of two triangles, since lines of graphics cards are a pixel wide and no more; its border is smoothed. Its
// four corners know both ends: one instance a line would be a draw call each where there is no graphics card.
export const LINES = `#version 300 es
in vec2 from; in vec2 to; in float standing;
uniform vec4 cameras[2]; uniform vec4 panes[2]; uniform vec2 canvas; uniform vec3 colours[6]; uniform float alpha;
uniform float widths[6]; uniform float strengths[6]; uniform float ratio;
flat out vec4 colour; flat out float reach; out float off;
bool inside(vec2 p, vec4 r) { return p.x >= r.x && p.y >= r.y && p.x <= r.z && p.y <= r.w; }
void main() {
  vec2 a = cameras[0].xy + from * cameras[0].zw;
  vec2 b = cameras[1].xy + to * cameras[1].zw;
  int kind = int(standing + 0.5);
  colour = vec4(colours[kind], min(1.0, alpha * strengths[kind]));
  reach = 0.5 * widths[kind] * ratio;
  off = (gl_VertexID & 1) == 0 ? -reach - 0.5 : reach + 0.5;
  vec2 along = normalize(b - a + vec2(1e-6, 0.0));
  vec2 at = ((gl_VertexID & 3) < 2 ? a : b) + vec2(-along.y, along.x) * off / ratio;
  gl_Position = inside(a, panes[0]) && inside(b, panes[1])
    ? vec4(2.0 * at.x / canvas.x - 1.0, 1.0 - 2.0 * at.y / canvas.y, 0.0, 1.0)
    : vec4(2.0, 2.0, 2.0, 1.0);
}`;

export const LINE = `#version 300 es
precision mediump float; flat in vec4 colour; flat in float reach; in float off; out vec4 result;
void main() {
  float covered = colour.a * clamp(reach + 0.5 - abs(off), 0.0, 1.0);
  result = vec4(colour.rgb * covered, covered);
}`;

export const IMAGES = `#version 300 es
uniform vec4 camera; uniform vec2 canvas; uniform vec4 frame; out vec2 at;
void main() {
  at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 p = camera.xy + (frame.xy + at * frame.zw) * camera.zw;
  gl_Position = vec4(2.0 * p.x / canvas.x - 1.0, 1.0 - 2.0 * p.y / canvas.y, 0.0, 1.0);
}`;

export const IMAGE = `#version 300 es
precision mediump float; uniform sampler2D picture; uniform float veil; uniform vec3 paper; in vec2 at; out vec4 result;
void main() { result = vec4(mix(texture(picture, at).rgb, paper, veil), 1.0); }`;
