// The scene in 3D. Draws what the data says and computes nothing that is shown as a number.

const SHADERS = {
  vertex: `#version 300 es
    layout(location = 0) in vec3 corner;
    layout(location = 1) in vec4 rowX;
    layout(location = 2) in vec4 rowY;
    layout(location = 3) in vec4 rowZ;
    layout(location = 4) in vec4 colour;
    uniform mat4 clipFromWorld;
    out vec3 place;
    out vec4 tint;
    void main() {
      vec4 point = vec4(corner, 1.0);
      place = vec3(dot(rowX, point), dot(rowY, point), dot(rowZ, point));
      tint = colour;
      gl_Position = clipFromWorld * vec4(place, 1.0);
    }`,
  // Flat shading from derivatives, which needs no normals and so none of skewed boxes.
  fragment: `#version 300 es
    precision highp float;
    in vec3 place;
    in vec4 tint;
    uniform vec3 light;
    uniform float shade;
    out vec4 pixel;
    void main() {
      vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
      float lit = mix(1.0, 0.55 + 0.45 * abs(dot(normal, light)), shade);
      pixel = vec4(tint.rgb * lit * tint.a, tint.a);
    }`,
};

const COLOURS = {
  matrix: [0.36, 0.56, 0.82],
  trs: [0.93, 0.58, 0.25],
  plain: [0.62, 0.65, 0.7],
  axes: [[0.86, 0.2, 0.2], [0.16, 0.65, 0.16], [0.2, 0.4, 0.9]],
};

/** The unit cube around the origin: triangles, and its edges. */
function cube() {
  const corner = (i) => [(i & 1) - 0.5, ((i >> 1) & 1) - 0.5, ((i >> 2) & 1) - 0.5];
  const faces = [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]];
  const edges = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
  const triangles = faces.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
  return { triangles: triangles.flatMap(corner), lines: edges.flat().flatMap(corner) };
}

/** A cylinder along z in the same cube. */
function cylinder() {
  const sides = 32;
  const rim = (i, z) => [0.5 * Math.cos((2 * Math.PI * i) / sides), 0.5 * Math.sin((2 * Math.PI * i) / sides), z];
  const triangles = [];
  const lines = [];
  for (let i = 0; i < sides; i += 1) {
    const [a, b, c, d] = [rim(i, -0.5), rim(i + 1, -0.5), rim(i + 1, 0.5), rim(i, 0.5)];
    triangles.push(a, b, c, a, c, d, [0, 0, -0.5], b, a, [0, 0, 0.5], d, c);
    lines.push(a, b, c, d);
    if (i % (sides / 4) === 0) lines.push(a, d);
  }
  return { triangles: triangles.flat(), lines: lines.flat() };
}

class Viewer {
  constructor(canvas, solid) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("this browser has no WebGL 2");
    this.solid = solid;
    this.yaw = 0.55;
    this.pitch = 0.4;
    this.zoom = 1;
    this.centre = [0, 0, 0];
    this.radius = 1;
    this.restore();
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  /** Makes what lies in the graphics memory, at first and after that was lost. */
  restore() {
    const { gl, solid } = this;
    this.program = program(gl);
    this.clipFromWorld = gl.getUniformLocation(this.program, "clipFromWorld");
    this.light = gl.getUniformLocation(this.program, "light");
    this.shade = gl.getUniformLocation(this.program, "shade");
    this.solids = { box: shape(gl, cube()), [solid]: shape(gl, solid === "cylinder" ? cylinder() : cube()) };
    this.batches = [];
  }

  /** Looks at the middle of these points from far enough to see them all, with so much room around. */
  frame(points, room) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const point of points) {
      for (let i = 0; i < 3; i += 1) {
        low[i] = Math.min(low[i], point[i]);
        high[i] = Math.max(high[i], point[i]);
      }
    }
    this.centre = low.map((value, i) => (value + high[i]) / 2);
    this.radius = (room * Math.hypot(...low.map((value, i) => high[i] - value))) / 2 || 1;
    this.zoom = 1;
  }

  /** What to draw: lists of { matrix (rows of a 3×4), colour (r, g, b, opacity) }. */
  show({ faces, edges, through, rods }) {
    this.batches.forEach((batch) => batch.free());
    const solid = this.solids[this.solid];
    this.batches = [
      instances(this.gl, solid.triangles, faces.filter((i) => i.colour[3] === 1), 1),
      instances(this.gl, solid.lines, edges, 0),
      instances(this.gl, this.solids.box.triangles, rods, 1),
      // What of the rods and of the selected node is inside or behind shows through.
      instances(this.gl, this.solids.box.triangles, rods.map(faint), 1, false),
      instances(this.gl, solid.lines, through, 0, false),
      instances(this.gl, solid.triangles, faces.filter((i) => i.colour[3] < 1), 1),
    ];
    this.draw();
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + pitch));
    this.draw();
  }

  scale(factor) {
    this.zoom = Math.max(0.05, Math.min(50, this.zoom * factor));
    this.draw();
  }

  reset() {
    Object.assign(this, { yaw: 0.55, pitch: 0.4, zoom: 1 });
    this.draw();
  }

  draw() {
    const { gl, canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.max(1, Math.round(n * devicePixelRatio)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.program);
    const { matrix, towards } = camera(this, width / height);
    gl.uniformMatrix4fv(this.clipFromWorld, false, matrix);
    gl.uniform3fv(this.light, towards);
    for (const batch of this.batches) {
      gl.uniform1f(this.shade, batch.shade);
      gl[batch.isHidden ? "enable" : "disable"](gl.DEPTH_TEST);
      batch.draw();
    }
  }
}

/** The same, hardly there. */
const faint = ({ matrix, colour }) => ({ matrix, colour: [...colour.slice(0, 3), 0.3] });

/** A perspective view from outside the sphere around the scene, y up. */
function camera({ centre, radius, yaw, pitch, zoom }, aspect) {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const towards = [sy * cp, sp, cy * cp];
  const right = [cy, 0, -sy];
  const up = [-sy * sp, cp, -cy * sp];
  const focal = 2.4;
  const fit = Math.min(1, aspect);
  const distance = (radius * focal * 0.95) / (fit * zoom);
  // What is around the scene, or the node that is looked at, is not cut off too soon.
  const near = distance * 0.02;
  const far = distance + 100 * radius;
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const rows = [right, up, towards].map((axis) => [...axis, -dot(axis, centre)]);
  rows[2][3] -= distance;
  const depth = [(far + near) / (near - far), (2 * far * near) / (near - far)];
  const matrix = new Float32Array(16);
  for (let j = 0; j < 4; j += 1) {
    matrix[4 * j] = (focal / aspect) * rows[0][j];
    matrix[4 * j + 1] = focal * rows[1][j];
    matrix[4 * j + 2] = depth[0] * rows[2][j] + (j === 3 ? depth[1] : 0);
    matrix[4 * j + 3] = -rows[2][j];
  }
  return { matrix, towards };
}

function program(gl) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, SHADERS.vertex], [gl.FRAGMENT_SHADER, SHADERS.fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  return made;
}

function shape(gl, { triangles, lines }) {
  const upload = (numbers, mode) => {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    return { buffer, mode, count: numbers.length / 3 };
  };
  return { triangles: upload(triangles, gl.TRIANGLES), lines: upload(lines, gl.LINES) };
}

/** Many copies of one shape, each with its own matrix and colour; hidden by what is before them or not. */
function instances(gl, mesh, list, shade, isHidden = true) {
  const array = gl.createVertexArray();
  const buffer = gl.createBuffer();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(list.flatMap((i) => [...i.matrix, ...i.colour])), gl.STATIC_DRAW);
  for (let row = 0; row < 4; row += 1) {
    gl.enableVertexAttribArray(row + 1);
    gl.vertexAttribPointer(row + 1, 4, gl.FLOAT, false, 64, 16 * row);
    gl.vertexAttribDivisor(row + 1, 1);
  }
  gl.bindVertexArray(null);
  return {
    shade,
    isHidden,
    draw() {
      if (list.length === 0) return;
      gl.bindVertexArray(array);
      gl.drawArraysInstanced(mesh.mode, 0, mesh.count, list.length);
      gl.bindVertexArray(null);
    },
    free() {
      gl.deleteVertexArray(array);
      gl.deleteBuffer(buffer);
    },
  };
}
