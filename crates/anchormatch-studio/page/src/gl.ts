// Points, lines and images by WebGL 2: two panes on one canvas.
//
// Nodes are sorted by the cells of a grid, so that what is out of sight is left out by ranges and never drawn. Match lines
// go from pane to pane: every line knows both of its ends, and vanishes when one of them is outside its pane.

import type { Camera } from "./camera";
import { MARKS, pictures, REACH } from "./drawing/marks";
import { STRENGTHS, WIDTHS } from "./drawing/rules";
import type { Index } from "./index";

export interface Look {
  /** Colours by standing, as [r, g, b] from 0 to 1. */
  colours: [number, number, number][];
  edge: [number, number, number, number];
  paper: [number, number, number];
}

const NODES = `#version 300 es
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

const NODE = `#version 300 es
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

const EDGES = `#version 300 es
in vec2 place;
uniform vec4 camera; uniform vec2 canvas;
void main() {
  vec2 at = camera.xy + place * camera.zw;
  gl_Position = vec4(2.0 * at.x / canvas.x - 1.0, 1.0 - 2.0 * at.y / canvas.y, 0.0, 1.0);
}`;

const EDGE = `#version 300 es
precision mediump float; uniform vec4 colour; out vec4 result;
void main() { result = vec4(colour.rgb * colour.a, colour.a); }`;

// A line is a strip of two triangles, since lines of graphics cards are a pixel wide and no more; its border is smoothed.
const LINES = `#version 300 es
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
  vec2 at = (gl_VertexID < 2 ? a : b) + vec2(-along.y, along.x) * off / ratio;
  gl_Position = inside(a, panes[0]) && inside(b, panes[1])
    ? vec4(2.0 * at.x / canvas.x - 1.0, 1.0 - 2.0 * at.y / canvas.y, 0.0, 1.0)
    : vec4(2.0, 2.0, 2.0, 1.0);
}`;

const LINE = `#version 300 es
precision mediump float; flat in vec4 colour; flat in float reach; in float off; out vec4 result;
void main() {
  float covered = colour.a * clamp(reach + 0.5 - abs(off), 0.0, 1.0);
  result = vec4(colour.rgb * covered, covered);
}`;

const IMAGES = `#version 300 es
uniform vec4 camera; uniform vec2 canvas; uniform vec4 frame; out vec2 at;
void main() {
  at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 p = camera.xy + (frame.xy + at * frame.zw) * camera.zw;
  gl_Position = vec4(2.0 * p.x / canvas.x - 1.0, 1.0 - 2.0 * p.y / canvas.y, 0.0, 1.0);
}`;

const IMAGE = `#version 300 es
precision mediump float; uniform sampler2D picture; uniform float veil; uniform vec3 paper; in vec2 at; out vec4 result;
void main() { result = vec4(mix(texture(picture, at).rgb, paper, veil), 1.0); }`;

interface PaneBuffers {
  index: Index;
  nodes: WebGLVertexArrayObject;
  places: WebGLBuffer;
  standing: WebGLBuffer;
  edges: WebGLVertexArrayObject;
  edgePlaces: WebGLBuffer;
  image: { texture: WebGLTexture; frame: number[] } | null;
}

/** What one frame shows. */
export interface Frame {
  cameras: [Camera, Camera];
  radius: [number, number];
  look: Look;
  lines: number;
  alpha: number;
  edges: boolean;
}

export class Renderer {
  private readonly gl: WebGL2RenderingContext;
  private readonly programs: Record<"nodes" | "edges" | "lines" | "images", WebGLProgram>;
  private panes: PaneBuffers[] = [];
  private lineArray: WebGLVertexArrayObject | null = null;
  private lineBuffer: WebGLBuffer | null = null;
  /** Nodes that the last frame drew, for those who doubt it. */
  drawn = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    antialias: boolean,
  ) {
    const gl = canvas.getContext("webgl2", { antialias, premultipliedAlpha: true, powerPreference: "high-performance" });
    if (!gl) {
      throw new Error("this browser draws no WebGL 2, which the page needs: try another one, or switch it on");
    }
    this.gl = gl;
    this.programs = {
      nodes: this.program(NODES, NODE),
      edges: this.program(EDGES, EDGE),
      lines: this.program(LINES, LINE),
      images: this.program(IMAGES, IMAGE),
    };
    this.setMarks();
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** The pictures of the marks, a layer for each standing. */
  private setMarks(): void {
    const gl = this.gl;
    const all = pictures();
    const { width, height } = all[0];
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, gl.createTexture());
    gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1 + Math.log2(width), gl.RGBA8, width, height, all.length);
    all.forEach((picture, k) => {
      gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, k, width, height, 1, gl.RGBA, gl.UNSIGNED_BYTE, picture);
    });
    gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.activeTexture(gl.TEXTURE0);
    gl.useProgram(this.programs.nodes);
    gl.uniform1i(this.uniform(this.programs.nodes, "marks"), 1);
    const sizes = MARKS.map(({ size }) => size);
    gl.uniform1fv(this.uniform(this.programs.nodes, "sizes"), sizes);
  }

  private program(vertex: string, fragment: string): WebGLProgram {
    const gl = this.gl;
    const made = gl.createProgram();
    for (const [kind, text] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(kind);
      if (!shader) throw new Error("the graphics card gave no shader");
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) {
      throw new Error(`the graphics card refused to draw: ${gl.getProgramInfoLog(made) ?? ""}`);
    }
    return made;
  }

  private attribute(program: WebGLProgram, name: string, buffer: WebGLBuffer, size: number, type: number): void {
    const gl = this.gl;
    const at = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, type, false, 0, 0);
  }

  /** Takes a graph in the order of its index. */
  setPane(side: number, index: Index, sizes: Float32Array): void {
    const gl = this.gl;
    const buffer = (): WebGLBuffer => gl.createBuffer();
    const old = this.panes[side];
    const pane: PaneBuffers = {
      index,
      nodes: gl.createVertexArray(),
      places: buffer(),
      standing: buffer(),
      edges: gl.createVertexArray(),
      edgePlaces: buffer(),
      image: old?.image ?? null,
    };
    gl.bindVertexArray(pane.nodes);
    this.attribute(this.programs.nodes, "place", pane.places, 2, gl.FLOAT);
    this.attribute(this.programs.nodes, "standing", pane.standing, 1, gl.UNSIGNED_BYTE);
    const size = buffer();
    this.attribute(this.programs.nodes, "size", size, 1, gl.FLOAT);
    gl.bufferData(gl.ARRAY_BUFFER, index.ordered(sizes, 1), gl.STATIC_DRAW);
    gl.bindVertexArray(pane.edges);
    this.attribute(this.programs.edges, "place", pane.edgePlaces, 2, gl.FLOAT);
    gl.bindVertexArray(null);
    if (old) {
      for (const b of [old.places, old.standing, old.edgePlaces]) gl.deleteBuffer(b);
      gl.deleteVertexArray(old.nodes);
      gl.deleteVertexArray(old.edges);
    }
    this.panes[side] = pane;
  }

  setPlaces(side: number, places: Float32Array): void {
    const gl = this.gl;
    const pane = this.panes[side];
    gl.bindBuffer(gl.ARRAY_BUFFER, pane.places);
    gl.bufferData(gl.ARRAY_BUFFER, pane.index.ordered(places, 2), gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, pane.edgePlaces);
    gl.bufferData(gl.ARRAY_BUFFER, pane.index.edgePlaces(places), gl.DYNAMIC_DRAW);
  }

  setStanding(side: number, standing: Uint8Array): void {
    const gl = this.gl;
    const pane = this.panes[side];
    gl.bindBuffer(gl.ARRAY_BUFFER, pane.standing);
    gl.bufferData(gl.ARRAY_BUFFER, pane.index.orderedBytes(standing), gl.DYNAMIC_DRAW);
  }

  setImage(side: number, image: HTMLImageElement, frame: number[]): void {
    const gl = this.gl;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.panes[side].image = { texture, frame };
  }

  /** Five numbers a line: both ends in the units of their graphs, and the standing. */
  setLines(values: Float32Array): void {
    const gl = this.gl;
    if (!this.lineArray || !this.lineBuffer) {
      this.lineArray = gl.createVertexArray();
      this.lineBuffer = gl.createBuffer();
      gl.bindVertexArray(this.lineArray);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
      for (const [name, size, offset] of [
        ["from", 2, 0],
        ["to", 2, 8],
        ["standing", 1, 16],
      ] as const) {
        const at = gl.getAttribLocation(this.programs.lines, name);
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, size, gl.FLOAT, false, 20, offset);
        gl.vertexAttribDivisor(at, 1);
      }
      gl.bindVertexArray(null);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
  }

  draw(frame: Frame): void {
    const gl = this.gl;
    const { width, height } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    const canvas = [width / ratio, height / ratio];
    gl.viewport(0, 0, width, height);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.drawn = 0;
    gl.enable(gl.SCISSOR_TEST);
    frame.cameras.forEach((camera, side) => {
      const { left, top, width: w, height: h } = camera.pane;
      gl.scissor(left * ratio, height - (top + h) * ratio, w * ratio, h * ratio);
      this.under(this.panes[side], camera, canvas, frame);
    });
    gl.disable(gl.SCISSOR_TEST);
    this.between(frame, canvas, ratio);
    gl.enable(gl.SCISSOR_TEST);
    frame.cameras.forEach((camera, side) => {
      const { left, top, width: w, height: h } = camera.pane;
      gl.scissor(left * ratio, height - (top + h) * ratio, w * ratio, h * ratio);
      this.over(this.panes[side], camera, canvas, frame, frame.radius[side] * ratio);
    });
    gl.bindVertexArray(null);
  }

  private uniform(program: WebGLProgram, name: string): WebGLUniformLocation | null {
    return this.gl.getUniformLocation(program, name);
  }

  private place(program: WebGLProgram, camera: Camera, canvas: number[]): void {
    const gl = this.gl;
    gl.useProgram(program);
    gl.uniform4fv(this.uniform(program, "camera"), camera.numbers());
    gl.uniform2fv(this.uniform(program, "canvas"), canvas);
  }

  private under(pane: PaneBuffers, camera: Camera, canvas: number[], frame: Frame): void {
    const gl = this.gl;
    if (pane.image) {
      const program = this.programs.images;
      this.place(program, camera, canvas);
      gl.bindVertexArray(null);
      gl.bindTexture(gl.TEXTURE_2D, pane.image.texture);
      gl.uniform4fv(this.uniform(program, "frame"), pane.image.frame);
      gl.uniform3fv(this.uniform(program, "paper"), frame.look.paper);
      gl.uniform1f(this.uniform(program, "veil"), 0.18);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    if (!frame.edges) return;
    const program = this.programs.edges;
    this.place(program, camera, canvas);
    const colour = this.uniform(program, "colour");
    const [r, g, b, alpha] = frame.look.edge;
    gl.bindVertexArray(pane.edges);
    const [first, many] = pane.index.longEdges;
    if (many > 0) {
      gl.uniform4f(colour, r, g, b, Math.min(alpha, Math.max(0.05, 16 / Math.sqrt(many + 1))));
      gl.drawArrays(gl.LINES, 2 * first, 2 * many);
    }
    gl.uniform4f(colour, r, g, b, alpha);
    for (const [start, some] of pane.index.visibleEdges(camera)) gl.drawArrays(gl.LINES, 2 * start, 2 * some);
  }

  private between(frame: Frame, canvas: number[], ratio: number): void {
    if (frame.lines === 0 || !this.lineArray) return;
    const gl = this.gl;
    const program = this.programs.lines;
    gl.useProgram(program);
    gl.uniform2fv(this.uniform(program, "canvas"), canvas);
    gl.uniform4fv(this.uniform(program, "cameras"), frame.cameras.flatMap((camera) => camera.numbers()));
    const rects = frame.cameras.flatMap(({ pane: p }) => [p.left, p.top, p.left + p.width, p.top + p.height]);
    gl.uniform4fv(this.uniform(program, "panes"), rects);
    gl.uniform3fv(this.uniform(program, "colours"), frame.look.colours.flat());
    gl.uniform1f(this.uniform(program, "alpha"), frame.alpha);
    gl.uniform1fv(this.uniform(program, "widths"), WIDTHS);
    gl.uniform1fv(this.uniform(program, "strengths"), STRENGTHS);
    gl.uniform1f(this.uniform(program, "ratio"), ratio);
    gl.bindVertexArray(this.lineArray);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, frame.lines);
  }

  private over(pane: PaneBuffers, camera: Camera, canvas: number[], frame: Frame, radius: number): void {
    const gl = this.gl;
    const program = this.programs.nodes;
    this.place(program, camera, canvas);
    gl.uniform1f(this.uniform(program, "radius"), radius);
    gl.uniform3fv(this.uniform(program, "colours"), frame.look.colours.flat());
    gl.uniform3fv(this.uniform(program, "paper"), frame.look.paper);
    gl.bindVertexArray(pane.nodes);
    for (const [first, many] of pane.index.visible(camera)) {
      gl.drawArrays(gl.POINTS, first, many);
      this.drawn += many;
    }
  }
}
