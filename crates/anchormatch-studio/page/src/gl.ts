// Points, lines and images by WebGL 2: two panes on one canvas.
//
// Nodes are sorted by the cells of a grid, so that what is out of sight is left out by ranges and never drawn. Match lines
// go from pane to pane: every line knows both of its ends, and vanishes when one of them is outside its pane.
//
// Buffers change only when places or standings do; a view that moves is other uniforms. What is too much for one frame is
// painted out of sight, a slice at a time and the next one when the graphics card is done with the last, and shown when it
// is whole; meanwhile the canvas keeps what it has, or a sketch. Borders are smoothed by the shaders: several samples of
// every pixel would cost more than all the rest where there is no graphics card.

import type { Camera } from "./camera";
import { MARKS, pictures } from "./drawing/marks";
import { STRENGTHS, WIDTHS } from "./drawing/rules";
import type { Index } from "./index";
import { CALM, cost, NOTABLE, type Piece, type Scene, sketch, take, whole } from "./pieces";
import * as shaders from "./shaders";

export interface Look {
  /** Colours by standing, as [r, g, b] from 0 to 1. */
  colours: [number, number, number][];
  edge: [number, number, number, number];
  paper: [number, number, number];
}

/** What one frame shows. */
export interface Frame {
  cameras: [Camera, Camera];
  radius: [number, number];
  look: Look;
  /** The opacity of a plain match line. */
  alpha: number;
}

interface PaneBuffers {
  index: Index;
  nodes: WebGLVertexArrayObject;
  places: WebGLBuffer;
  standing: WebGLBuffer;
  sizes: WebGLBuffer;
  /** Numbers of nodes: the grid's samples, and those that stand out. */
  picks: WebGLBuffer;
  notable: WebGLBuffer;
  edges: WebGLVertexArrayObject;
  strips: WebGLVertexArrayObject;
  edgePlaces: WebGLBuffer;
  image: { texture: WebGLTexture; frame: number[] } | null;
}

/** A picture that is being painted out of sight. */
interface Work {
  frame: Frame;
  pieces: Piece[];
  nodes: number;
  /** Passed when the graphics card is done with the last slice, and when that was begun. */
  fence: WebGLSync | null;
  since: number;
}

/** The cost of a slice: at first, and between which it is adapted to take this many milliseconds. */
const SLICE = { first: 16_000, least: 4_000, most: 1_000_000 };
const SLICE_TIME = [10, 30];
/** Numbers of a corner of an edge, both ends; and of a match line, its standing too. */
const EDGE = 4;
const LINE = 5;

type Name = "nodes" | "edges" | "strips" | "lines" | "image";

export class Renderer {
  private readonly gl: WebGL2RenderingContext;
  private readonly programs: Record<Name, WebGLProgram>;
  private readonly uniforms = new Map<WebGLProgram, Map<string, WebGLUniformLocation | null>>();
  private readonly sheet: { buffer: WebGLFramebuffer; colour: WebGLRenderbuffer; size: string };
  private panes: PaneBuffers[] = [];
  private notable: [number, number] = [0, 0];
  /** The corners of strips, two triangles each, for as many as there ever were. */
  private readonly corners: WebGLBuffer;
  private cornersOf = 0;
  private lineArray: WebGLVertexArrayObject;
  private lineBuffer: WebGLBuffer;
  private lines: [number, number] = [0, 0];
  private work: Work | null = null;
  private slice = SLICE.first;
  /** Nodes of the picture in sight, whether it is whole, and the slices that it took. */
  drawn = 0;
  isWhole = false;
  slices = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly isSmooth: boolean,
  ) {
    const wanted = { antialias: false, depth: false, premultipliedAlpha: true, powerPreference: "high-performance" };
    const gl = canvas.getContext("webgl2", wanted) as WebGL2RenderingContext | null;
    if (!gl) {
      throw new Error("this browser draws no WebGL 2, which the page needs: try another one, or switch it on");
    }
    this.gl = gl;
    this.programs = {
      nodes: this.program(shaders.NODES, shaders.NODE),
      edges: this.program(shaders.EDGES, shaders.EDGE),
      strips: this.program(shaders.STRIPS, shaders.STRIP),
      lines: this.program(shaders.LINES, shaders.LINE),
      image: this.program(shaders.IMAGES, shaders.IMAGE),
    };
    this.sheet = { buffer: gl.createFramebuffer(), colour: gl.createRenderbuffer(), size: "" };
    this.setMarks();
    this.corners = gl.createBuffer();
    this.lineArray = gl.createVertexArray();
    this.lineBuffer = gl.createBuffer();
    this.setStrips("lines", this.lineArray, this.lineBuffer, LINE);
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
      sizes: buffer(),
      picks: buffer(),
      notable: buffer(),
      edges: gl.createVertexArray(),
      strips: gl.createVertexArray(),
      edgePlaces: buffer(),
      image: old?.image ?? null,
    };
    gl.bindVertexArray(pane.nodes);
    this.attribute(this.programs.nodes, "place", pane.places, 2, gl.FLOAT);
    this.attribute(this.programs.nodes, "standing", pane.standing, 1, gl.UNSIGNED_BYTE);
    this.attribute(this.programs.nodes, "size", pane.sizes, 1, gl.FLOAT);
    gl.bufferData(gl.ARRAY_BUFFER, index.ordered(sizes, 1), gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, pane.picks);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, index.picks, gl.STATIC_DRAW);
    gl.bindVertexArray(pane.edges);
    this.attribute(this.programs.edges, "place", pane.edgePlaces, 2, gl.FLOAT);
    this.setStrips("strips", pane.strips, pane.edgePlaces, EDGE);
    if (old) {
      for (const b of [old.places, old.standing, old.sizes, old.picks, old.notable, old.edgePlaces]) gl.deleteBuffer(b);
      for (const array of [old.nodes, old.edges, old.strips]) gl.deleteVertexArray(array);
    }
    this.panes[side] = pane;
    this.stop();
  }

  setPlaces(side: number, places: Float32Array): void {
    const gl = this.gl;
    const pane = this.panes[side];
    gl.bindBuffer(gl.ARRAY_BUFFER, pane.places);
    gl.bufferData(gl.ARRAY_BUFFER, pane.index.ordered(places, 2), gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, pane.edgePlaces);
    const ends = pane.index.edgePlaces(places);
    gl.bufferData(gl.ARRAY_BUFFER, this.isSmooth ? this.cornered(ends, EDGE) : ends, gl.DYNAMIC_DRAW);
  }

  /** What strips are drawn with. */
  private setStrips(name: "lines" | "strips", array: WebGLVertexArrayObject, buffer: WebGLBuffer, width: number): void {
    const gl = this.gl;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const attributes = [
      ["from", 2, 0],
      ["to", 2, 2],
      ["standing", 1, 4],
    ] as const;
    for (const [attribute, size, offset] of attributes.filter((one) => one[2] < width)) {
      const at = gl.getAttribLocation(this.programs[name], attribute);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, 4 * width, 4 * offset);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.corners);
    gl.bindVertexArray(null);
  }

  /** The numbers of every strip once for each of its corners, for which there are triangles then. */
  private cornered(values: Float32Array, width: number): Float32Array {
    const gl = this.gl;
    const many = values.length / width;
    if (many > this.cornersOf) {
      this.cornersOf = many;
      const triangles = Uint32Array.from({ length: 6 * many }, (_, k) => 4 * Math.floor(k / 6) + [0, 1, 2, 2, 1, 3][k % 6]);
      gl.bindVertexArray(null);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.corners);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    }
    const out = new Float32Array(4 * values.length);
    for (let k = 0; k < many; k++) {
      const one = values.subarray(width * k, width * (k + 1));
      for (let corner = 0; corner < 4; corner++) out.set(one, width * (4 * k + corner));
    }
    return out;
  }

  /** Takes how nodes stand, and which standings are never left out. */
  setStanding(side: 0 | 1, standing: Uint8Array, notable: Set<number>): void {
    const gl = this.gl;
    const pane = this.panes[side];
    gl.bindBuffer(gl.ARRAY_BUFFER, pane.standing);
    gl.bufferData(gl.ARRAY_BUFFER, pane.index.orderedBytes(standing), gl.DYNAMIC_DRAW);
    const some = pane.index.having(standing, notable, NOTABLE);
    this.notable[side] = some.length;
    gl.bindVertexArray(pane.nodes);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, pane.notable);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, some, gl.DYNAMIC_DRAW);
    gl.bindVertexArray(null);
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

  /** Five numbers a line: both ends in the units of their graphs, and the standing; first `many[0]` pairs, then anchors. */
  setLines(values: Float32Array, many: [number, number]): void {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.cornered(values, LINE), gl.DYNAMIC_DRAW);
    this.lines = many;
  }

  private get scene(): Scene {
    const [one, two] = this.panes;
    const { notable, lines } = this;
    return { images: [!!one.image, !!two.image], indices: [one.index, two.index], notable, lines };
  }

  /** Paints at once if that is little enough; else begins to paint out of sight, and `step` goes on with it. */
  show(frame: Frame): void {
    this.stop();
    const pieces = whole(this.scene, frame.cameras);
    this.slices = 0;
    if (cost(pieces) <= CALM) {
      this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, null);
      this.clear();
      this.paint(pieces, frame);
      this.drawn = nodesOf(pieces);
      this.isWhole = true;
      return;
    }
    this.work = { frame, pieces, nodes: nodesOf(pieces), fence: null, since: 0 };
    this.bindSheet();
    this.clear();
  }

  /** Whether a picture is being painted out of sight. */
  get isAtWork(): boolean {
    return this.work !== null;
  }

  /** Whether everything in sight is painted anew in every frame. */
  isCalm(cameras: [Camera, Camera]): boolean {
    return cost(whole(this.scene, cameras)) <= CALM;
  }

  /** Shows a sample of what is in sight. */
  sketch(frame: Frame): void {
    this.stop();
    this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, null);
    this.clear();
    const pieces = sketch(this.scene, frame.cameras);
    this.paint(pieces, frame);
    this.drawn = nodesOf(pieces);
    this.isWhole = false;
  }

  /** Paints the next slice of the picture that was begun, when the last one is done; whether there is more to do. */
  step(now: number): boolean {
    const { gl, work } = this;
    if (!work) return false;
    if (work.fence) {
      if (gl.getSyncParameter(work.fence, gl.SYNC_STATUS) !== gl.SIGNALED) return true;
      gl.deleteSync(work.fence);
      work.fence = null;
      const took = now - work.since;
      if (took < SLICE_TIME[0] + 8) this.slice = Math.min(SLICE.most, 2 * this.slice);
      else if (took > SLICE_TIME[1] + 8) this.slice = Math.max(SLICE.least, this.slice / 2);
    }
    if (work.pieces.length === 0) {
      this.present(work.nodes);
      return false;
    }
    this.bindSheet();
    this.paint(take(work.pieces, this.slice), work.frame);
    this.slices++;
    work.since = now;
    work.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    return true;
  }

  /** Leaves a picture unfinished. */
  private stop(): void {
    if (this.work?.fence) this.gl.deleteSync(this.work.fence);
    this.work = null;
  }

  /** The sheet that is painted on out of sight, as large as the canvas. */
  private bindSheet(): void {
    const { gl, sheet } = this;
    const { width, height } = this.canvas;
    gl.bindFramebuffer(gl.FRAMEBUFFER, sheet.buffer);
    const size = `${width} ${height}`;
    if (sheet.size === size) return;
    sheet.size = size;
    gl.bindRenderbuffer(gl.RENDERBUFFER, sheet.colour);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, width, height);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, sheet.colour);
  }

  private present(nodes: number): void {
    const { gl, sheet } = this;
    const { width, height } = this.canvas;
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, sheet.buffer);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.work = null;
    this.drawn = nodes;
    this.isWhole = true;
  }

  private clear(): void {
    const gl = this.gl;
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  private uniform(program: WebGLProgram, name: string): WebGLUniformLocation | null {
    let known = this.uniforms.get(program);
    if (!known) this.uniforms.set(program, (known = new Map()));
    let found = known.get(name);
    if (found === undefined) known.set(name, (found = this.gl.getUniformLocation(program, name)));
    return found;
  }

  private paint(pieces: Piece[], frame: Frame): void {
    const gl = this.gl;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    let before = "";
    for (const piece of pieces) {
      const { kind, side, first, many, of } = piece;
      const now = `${kind} ${side} ${of} ${piece.isLong}`;
      if (now !== before) this.prepare(piece, frame);
      before = now;
      if (kind === "image") gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      else if (kind === "lines" || (kind === "edges" && this.isSmooth)) {
        gl.drawElements(gl.TRIANGLES, 6 * many, gl.UNSIGNED_INT, 24 * first);
      } else if (kind === "edges") gl.drawArrays(gl.LINES, 2 * first, 2 * many);
      else if (of === "all") gl.drawArrays(gl.POINTS, first, many);
      else gl.drawElements(gl.POINTS, many, gl.UNSIGNED_INT, 4 * first);
    }
    gl.bindVertexArray(null);
  }

  /** Sets what all pieces of a kind and side have in common. */
  private prepare(piece: Piece, frame: Frame): void {
    const { gl, canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const program = this.programs[piece.kind === "edges" && this.isSmooth ? "strips" : piece.kind];
    const camera = frame.cameras[piece.side];
    const pane = this.panes[piece.side];
    gl.useProgram(program);
    gl.uniform2f(this.uniform(program, "canvas"), canvas.width / ratio, canvas.height / ratio);
    if (piece.kind === "lines") {
      gl.disable(gl.SCISSOR_TEST);
      this.prepareLines(program, frame, ratio);
      return;
    }
    const { left, top, width, height } = camera.pane;
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(left * ratio, canvas.height - (top + height) * ratio, width * ratio, height * ratio);
    gl.uniform4fv(this.uniform(program, "camera"), camera.numbers());
    if (piece.kind === "image" && pane.image) {
      gl.bindVertexArray(null);
      gl.bindTexture(gl.TEXTURE_2D, pane.image.texture);
      gl.uniform4fv(this.uniform(program, "frame"), pane.image.frame);
      gl.uniform3fv(this.uniform(program, "paper"), frame.look.paper);
      gl.uniform1f(this.uniform(program, "veil"), 0.18);
    } else if (piece.kind === "edges") {
      const [r, g, b, alpha] = frame.look.edge;
      const many = pane.index.longEdges[1];
      const faint = piece.isLong ? Math.min(alpha, Math.max(0.05, 16 / Math.sqrt(many + 1))) : alpha;
      gl.uniform4f(this.uniform(program, "colour"), r, g, b, faint);
      if (this.isSmooth) gl.uniform1f(this.uniform(program, "ratio"), ratio);
      gl.bindVertexArray(this.isSmooth ? pane.strips : pane.edges);
    } else {
      gl.uniform1f(this.uniform(program, "radius"), frame.radius[piece.side] * ratio);
      gl.uniform3fv(this.uniform(program, "colours"), frame.look.colours.flat());
      gl.uniform3fv(this.uniform(program, "paper"), frame.look.paper);
      gl.bindVertexArray(pane.nodes);
      if (piece.of !== "all") gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, pane[piece.of]);
    }
  }

  private prepareLines(program: WebGLProgram, frame: Frame, ratio: number): void {
    const gl = this.gl;
    gl.uniform4fv(this.uniform(program, "cameras"), frame.cameras.flatMap((camera) => camera.numbers()));
    const rects = frame.cameras.flatMap(({ pane: p }) => [p.left, p.top, p.left + p.width, p.top + p.height]);
    gl.uniform4fv(this.uniform(program, "panes"), rects);
    gl.uniform3fv(this.uniform(program, "colours"), frame.look.colours.flat());
    gl.uniform1f(this.uniform(program, "alpha"), frame.alpha);
    gl.uniform1fv(this.uniform(program, "widths"), WIDTHS);
    gl.uniform1fv(this.uniform(program, "strengths"), STRENGTHS);
    gl.uniform1f(this.uniform(program, "ratio"), ratio);
    gl.bindVertexArray(this.lineArray);
  }
}

function nodesOf(pieces: Piece[]): number {
  return pieces.reduce((sum, { kind, many }) => sum + (kind === "nodes" ? many : 0), 0);
}
