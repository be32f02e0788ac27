// Draws a stage by WebGL 2: meshes, skins, morph targets and boxes under two shows at once, so that a vertex knows how far
// it is apart.

const VERTEX = `#version 300 es
  precision highp float;
  precision highp int;
  precision highp sampler2D;
  layout(location = 0) in vec3 corner;
  layout(location = 1) in vec2 folded;
  layout(location = 2) in float place;
  layout(location = 3) in vec4 ownX;
  layout(location = 4) in vec4 ownY;
  layout(location = 5) in vec4 ownZ;
  layout(location = 6) in float far;
  uniform vec3 low;
  uniform vec3 size;
  uniform sampler2D worldsA;
  uniform sampler2D worldsB;
  uniform sampler2D joints;
  uniform sampler2D follows;
  uniform sampler2D morphs;
  uniform int firstJoint;
  uniform int each;
  uniform int vertices;
  uniform int targets;
  uniform float weights[64];
  uniform bool isSmooth;
  uniform bool isB;
  uniform mat4 clipFromWorld;
  uniform float pointSize;
  out vec3 at;
  out vec3 normal;
  out float apart;
  flat out float shownPlace;

  vec4 texel(sampler2D list, int at) {
    int width = textureSize(list, 0).x;
    return texelFetch(list, ivec2(at % width, at / width), 0);
  }

  vec3 through(sampler2D list, int at, vec4 point) {
    return vec3(dot(texel(list, at), point), dot(texel(list, at + 1), point), dot(texel(list, at + 2), point));
  }

  // Where a show takes a point (w = 1) or a direction (w = 0).
  vec3 placed(sampler2D worlds, vec4 point) {
    if (each == 0) {
      vec4 own = vec4(dot(ownX, point), dot(ownY, point), dot(ownZ, point), point.w);
      return through(worlds, 3 * int(place), own);
    }
    vec3 sum = vec3(0.0);
    for (int i = 0; i < each; i += 1) {
      vec4 follow = texel(follows, gl_VertexID * each + i);
      if (follow.y == 0.0) continue;
      int joint = 4 * (firstJoint + int(follow.x));
      vec4 own = vec4(through(joints, joint + 1, point), point.w);
      sum += follow.y * through(worlds, 3 * int(texel(joints, joint).x), own);
    }
    return sum;
  }

  vec3 unfolded(vec2 folded) {
    vec3 found = vec3(folded, 1.0 - abs(folded.x) - abs(folded.y));
    if (found.z < 0.0) found.xy = (1.0 - abs(found.yx)) * vec2(found.x < 0.0 ? -1.0 : 1.0, found.y < 0.0 ? -1.0 : 1.0);
    return normalize(found);
  }

  void main() {
    vec3 point = low + size * corner;
    for (int target = 0; target < targets; target += 1) {
      if (weights[target] != 0.0) point += weights[target] * texel(morphs, target * vertices + gl_VertexID).xyz;
    }
    vec3 a = placed(worldsA, vec4(point, 1.0));
    vec3 b = placed(worldsB, vec4(point, 1.0));
    at = isB ? b : a;
    apart = max(distance(a, b), far);
    normal = vec3(0.0);
    if (isSmooth) {
      // Normals go by the cofactors, which are perpendicular to what is skewed too.
      vec3 own = unfolded(folded);
      vec3 x = isB ? placed(worldsB, vec4(1, 0, 0, 0)) : placed(worldsA, vec4(1, 0, 0, 0));
      vec3 y = isB ? placed(worldsB, vec4(0, 1, 0, 0)) : placed(worldsA, vec4(0, 1, 0, 0));
      vec3 z = isB ? placed(worldsB, vec4(0, 0, 1, 0)) : placed(worldsA, vec4(0, 0, 1, 0));
      normal = cross(y, z) * own.x + cross(z, x) * own.y + cross(x, y) * own.z;
    }
    shownPlace = place;
    gl_Position = clipFromWorld * vec4(at, 1.0);
    gl_PointSize = pointSize;
  }`;

const FRAGMENT = `#version 300 es
  precision highp float;
  in vec3 at;
  in vec3 normal;
  in float apart;
  flat in float shownPlace;
  uniform vec4 colour;
  uniform bool isUnlit;
  uniform vec3 eye;
  uniform float selected;
  uniform vec3 highlight;
  uniform int mode;
  uniform bool isPartial;
  uniform float most;
  uniform float least;
  uniform vec3 scale[7];
  out vec4 pixel;

  void main() {
    if (mode == 3) {
      float number = shownPlace + 1.0;
      pixel = vec4(mod(number, 256.0), mod(floor(number / 256.0), 256.0), floor(number / 65536.0), 255.0) / 255.0;
      return;
    }
    if (isPartial && apart <= least) discard;
    float lit = 1.0;
    // Lines are not lit: they face nowhere.
    if (!isUnlit) {
      vec3 facing = dot(normal, normal) > 0.0 ? normalize(normal) : normalize(cross(dFdx(at), dFdy(at)));
      lit = 0.42 + 0.5 * abs(dot(facing, eye)) + 0.08 * facing.y * sign(dot(facing, eye));
    }
    vec3 base = colour.rgb;
    if (mode == 2) {
      float part = 6.0 * clamp(apart / max(most, 1e-20), 0.0, 1.0);
      int step = min(int(part), 5);
      base = mix(scale[step], scale[step + 1], part - float(step));
    } else if (shownPlace == selected) {
      base = mix(base, highlight, 0.35);
    }
    pixel = vec4(base * lit * colour.a, colour.a);
  }`;

/** Dark blue to yellow by even steps of lightness, which eyes that confuse red and green tell apart too: samples of cividis
 *  (Nuñez, Anderton and Renslow, 2018). */
const SCALE = [[0, 34, 78], [42, 63, 109], [87, 93, 109], [125, 124, 120], [165, 156, 116], [210, 193, 95], [254, 232, 56]].map((c) => c.map((part) => part / 255));

/** Up to how many boxes have edges; more hide one another. */
const EDGED = 5000;

const GHOST = [0.95, 0.42, 0.05, 0.5];
const HIGHLIGHT = [0.2, 0.5, 1];
const GREY = [0.66, 0.69, 0.74];
const COLLIDER = [0.85, 0.1, 0.55];
const MATCHES = [0.1, 0.55, 0.3];
const AS_DRAWN = [0.45, 0.48, 0.52];
const AXES = [[0.86, 0.2, 0.2], [0.16, 0.65, 0.16], [0.2, 0.4, 0.9]];

class Renderer {
  constructor(canvas, stage) {
    Object.assign(this, { canvas, stage });
    this.gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("this browser has no WebGL 2");
    this.restore();
  }

  /** Makes what lies in the graphics memory, at first and after that was lost. */
  restore() {
    const { gl, stage } = this;
    this.program = compiled(gl);
    this.at = {};
    for (let i = 0; i < gl.getProgramParameter(this.program, gl.ACTIVE_UNIFORMS); i += 1) {
      const name = gl.getActiveUniform(this.program, i).name.replace("[0]", "");
      this.at[name] = gl.getUniformLocation(this.program, name);
    }
    this.worlds = stage.worlds.map(() => floatTexture(gl, 3 * ROW, stage.size / (12 * ROW), null));
    this.uploaded = -1;
    this.nothing = floatTexture(gl, 1, 1, new Float32Array(4));
    const { joints, first } = jointTexture(gl, stage);
    this.joints = joints;
    this.batches = meshBatches(gl, stage, first);
    const solid = stage.view.solid === "cylinder" ? cylinder() : cube();
    const far = new Map(stage.view.box_far);
    this.boxes = [...grouped(placesWithoutMesh(stage), (place) => [stage.side(place)])].map(([side, place]) => {
      const rows = place.flatMap((place) => boxRows(stage.view.boxes[stage.view.box_of[place]]));
      const boxes = { place, rows, far: place.map((place) => far.get(place) ?? 0) };
      const [solids, edges] = [["triangles", solid.triangles], ["lines", solid.lines]].map(([kind, joined]) => primitive(gl, solid.corners, joined, boxes, kind));
      return { side, solids, edges, isApart: boxes.far.some((far) => far > 0) };
    });
    this.rods = primitive(gl, cube().corners, cube().triangles, { place: [], rows: [] }, "triangles");
    /** Lines of colliders, by the places of their lists. */
    this.wires = new Map();
    this.picking = null;
  }

  /** Draws two shows from a camera. `look`: the mode, colours of places, what is selected, and rods. */
  draw(camera, look) {
    const { gl, canvas } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.begin(camera, look, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const isB = look.mode === "b";
    const isColoured = look.mode === "apart";
    this.pass({ ...look, isB, shader: isColoured ? 2 : 0, side: Number(isB || isColoured) });
    // Of two scenes the second is coloured, and what the first has elsewhere.
    if (isColoured && this.isOfTwo) this.pass({ ...look, isB, shader: 2, side: 0, isPartial: true });
    if (look.mode === "ghost") {
      // A ghost is there only where it is apart. First how deep it is, so that of it only what is nearest shows.
      const ghost = { ...look, isB: true, shader: 1, side: 1, isPartial: true };
      gl.colorMask(false, false, false, false);
      this.pass(ghost);
      gl.colorMask(true, true, true, true);
      gl.depthFunc(gl.LEQUAL);
      this.pass(ghost);
      gl.depthFunc(gl.LESS);
    }
    // All of what follows is seen, whichever pass was last.
    gl.uniform1i(this.at.isB, 0);
    gl.uniform1i(this.at.mode, 0);
    gl.uniform1i(this.at.isPartial, 0);
    this.drawWires(look);
    this.drawRods(look);
  }

  begin(camera, look, width, height) {
    const { gl, at, stage } = this;
    gl.viewport(0, 0, width, height);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.program);
    if (this.uploaded !== stage.version) {
      stage.worlds.forEach((worlds, show) => {
        gl.bindTexture(gl.TEXTURE_2D, this.worlds[show]);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 3 * ROW, stage.size / (12 * ROW), gl.RGBA, gl.FLOAT, worlds);
      });
      this.uploaded = stage.version;
    }
    const bind = (unit, name, texture) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.uniform1i(at[name], unit);
    };
    bind(0, "worldsA", this.worlds[look.shows[0]]);
    bind(1, "worldsB", this.worlds[look.shows[1]]);
    bind(2, "joints", this.joints);
    bind(3, "follows", this.nothing);
    bind(4, "morphs", this.nothing);
    const { matrix, eye } = camera.projection(width / height);
    gl.uniformMatrix4fv(at.clipFromWorld, false, matrix);
    gl.uniform3fv(at.eye, eye);
    gl.uniform1f(at.selected, look.selected);
    gl.uniform3fv(at.highlight, HIGHLIGHT);
    gl.uniform1f(at.most, look.most);
    gl.uniform1f(at.least, 1e-5);
    gl.uniform3fv(at.scale, SCALE.flat());
    gl.uniform1f(at.pointSize, Math.max(2, height / 200));
    gl.uniform1i(at.isUnlit, 0);
  }

  /** Whether there are two scenes. */
  get isOfTwo() {
    return this.stage.view.first_after !== undefined;
  }

  /** Draws all meshes and boxes once: those of one of two scenes, and what is apart of them where it `isPartial`. */
  pass(look) {
    const { gl, at } = this;
    const isPartial = look.isPartial ?? false;
    gl.uniform1i(at.isB, look.isB);
    gl.uniform1i(at.mode, look.shader);
    gl.uniform1i(at.isPartial, isPartial);
    // A little behind themselves, so that edges on faces are seen; behind the first scene where the second is in the same place.
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(...(isPartial && this.isOfTwo ? [2, 16] : [1, 1]));
    const isMissing = ({ side }, isApart) => (side !== null && side !== look.side) || (isPartial && !isApart());
    const tinted = (colour) => (look.shader === 1 ? GHOST : colour);
    for (const batch of this.batches) {
      if (isMissing(batch, () => (this.isOfTwo ? batch.isFar : batch.followed.some((place) => look.isApart(place))))) continue;
      gl.uniform4fv(at.colour, tinted(look.tint?.get(batch.places[0]) ?? batch.colour));
      this.drawBatch(batch, this.stage.weights.get(batch.places[0]));
    }
    for (const boxes of this.boxes) {
      const { solids, edges } = boxes;
      if (isMissing(boxes, () => (this.isOfTwo ? boxes.isApart : solids.places.some((place) => look.isApart(place))))) continue;
      for (const group of look.tint ? solids.places.map((_, i) => i) : [null]) {
        const colour = group === null ? [...GREY, 1] : look.tint.get(solids.places[group]) ?? [...GREY, 1];
        gl.uniform4fv(at.colour, tinted(colour));
        this.drawBatch(solids, null, group);
      }
      if (look.shader !== 3 && !isPartial && solids.instances <= EDGED) {
        gl.uniform1i(at.isUnlit, 1);
        gl.uniform4fv(at.colour, [0.3, 0.32, 0.36, 1]);
        this.drawBatch(edges, null);
        gl.uniform1i(at.isUnlit, 0);
      }
    }
  }

  drawBatch(batch, weights, only = null) {
    const { gl, at } = this;
    const { low, size, each, firstJoint, vertices, morphs, isSmooth } = batch;
    gl.uniform3fv(at.low, low);
    gl.uniform3fv(at.size, size);
    gl.uniform1i(at.each, each);
    gl.uniform1i(at.firstJoint, firstJoint);
    gl.uniform1i(at.vertices, vertices);
    gl.uniform1i(at.isSmooth, isSmooth);
    const targets = morphs && weights ? Math.min(64, batch.targets, weights.length) : 0;
    gl.uniform1i(at.targets, targets);
    if (targets) gl.uniform1fv(at.weights, Float32Array.from(weights.slice(0, 64)));
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, batch.follows ?? this.nothing);
    gl.activeTexture(gl.TEXTURE4);
    gl.bindTexture(gl.TEXTURE_2D, morphs ?? this.nothing);
    gl.bindVertexArray(batch.array);
    if (only !== null) batch.from(only);
    gl.drawElementsInstanced(batch.kind, batch.count, gl.UNSIGNED_INT, 0, only === null ? batch.instances : 1);
    if (only !== null) batch.from(0);
    gl.bindVertexArray(null);
  }

  /** Draws colliders, and the same shapes as they are drawn, as lines; faintly what is behind something. */
  drawWires({ wires }) {
    const { gl, at } = this;
    if (!wires?.length) return;
    gl.uniform1i(at.isUnlit, 1);
    for (const [opacity, test] of [[0.35, gl.ALWAYS], [1, gl.LEQUAL]]) {
      gl.depthFunc(test);
      const draw = (colour, lists) => {
        gl.uniform4fv(at.colour, [...colour, opacity]);
        for (const list of lists) this.drawBatch(this.wire(list), null);
      };
      draw(AS_DRAWN, wires.map((wire) => wire.drawn));
      for (const [colour, isApart] of [[MATCHES, false], [COLLIDER, true]]) draw(colour, wires.filter((wire) => wire.is_apart === isApart).map((wire) => wire.collider));
    }
    gl.uniform1i(at.isUnlit, 0);
    gl.depthFunc(gl.LESS);
  }

  /** A list of lines in the graphics memory. */
  wire(list) {
    if (!this.wires.has(list)) {
      const points = this.stage.lines(list);
      const stays = { place: [this.stage.count], rows: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] };
      const joined = Array.from({ length: points.length / 3 }, (_, i) => i);
      this.wires.set(list, primitive(this.gl, [...points], joined, stays, "lines"));
    }
    return this.wires.get(list);
  }

  /** Draws thin rods: before everything faintly, so that what is inside shows, and then where they are seen. */
  drawRods({ rods }) {
    const { gl, at } = this;
    if (!rods.length) return;
    const place = rods.map(() => this.stage.count);
    this.rods.fill({ place, rows: rods.flatMap((rod) => rod.rows) });
    for (const [opacity, test] of [[0.35, gl.ALWAYS], [1, gl.LESS]]) {
      gl.depthFunc(test);
      rods.forEach(({ colour }, i) => {
        gl.uniform4fv(at.colour, [...colour, opacity]);
        this.drawBatch(this.rods, null, i);
      });
    }
    gl.depthFunc(gl.LESS);
  }

  /** The place of what is drawn at a pixel, from the lower left corner; nothing where nothing is. */
  pick(camera, look, x, y) {
    const { gl, canvas } = this;
    if (!this.picking || this.picking.width !== canvas.width || this.picking.height !== canvas.height) {
      this.picking = pickingBuffer(gl, canvas.width, canvas.height, this.picking);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.picking.frame);
    this.begin(camera, look, canvas.width, canvas.height);
    gl.disable(gl.BLEND);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(x, y, 1, 1);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const isB = look.mode === "b";
    this.pass({ ...look, tint: null, isB, shader: 3, side: Number(isB || look.mode === "apart") });
    const pixel = new Uint8Array(4);
    gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const number = pixel[0] + 256 * pixel[1] + 65536 * pixel[2];
    return number === 0 ? null : number - 1;
  }
}

function compiled(gl) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) {
    const logs = gl.getAttachedShaders(made).map((shader) => gl.getShaderInfoLog(shader));
    throw new Error([gl.getProgramInfoLog(made), ...logs].join(" "));
  }
  return made;
}

function floatTexture(gl, width, height, data) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, width, height, 0, gl.RGBA, gl.FLOAT, data);
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
  return texture;
}

/** A list of texels, of four numbers each, in rows of 2048. */
function listTexture(gl, numbers) {
  const height = Math.max(1, Math.ceil(numbers.length / 4 / 2048));
  const all = new Float32Array(2048 * height * 4);
  all.set(numbers);
  return floatTexture(gl, 2048, height, all);
}

/** Of every joint of every skin its place and the rows of its inverse bind matrix; where those of a node begin. */
function jointTexture(gl, { view, bytes }) {
  const numbers = [];
  const first = new Map();
  view.shown.forEach((shown, index) => {
    first.set(index, numbers.length / 16);
    const rows = bytes.floats(shown.inverse_binds, 12 * shown.joints.length);
    shown.joints.forEach((place, i) => numbers.push(place, 0, 0, 0, ...rows.subarray(12 * i, 12 * i + 12)));
  });
  return { joints: listTexture(gl, numbers), first };
}

/** The parts of meshes, each with the places that show it; one that is skinned for each place, small ones joined. */
function meshBatches(gl, stage, first) {
  const { view, bytes } = stage;
  const batches = [];
  const add = (part, instances, followed, side, joints = {}) => batches.push(Object.assign(batchOf(gl, part, instances, joints), { followed, side, isFar: Boolean(part.far) }));
  const uploaded = [];
  const upload = (part, far) => ({ ...(uploaded[part] ??= uploadedPart(gl, view.parts[part], bytes)), far: far && uploadedList(gl, gl.ARRAY_BUFFER, far) });
  const plain = new Map();
  view.shown.forEach((shown, index) => shown.parts.forEach((part, i) => {
    const { follows, targets } = view.parts[part];
    const [side, far] = [stage.side(shown.place), stage.far(shown, i)];
    const isAlone = follows && shown.joints.length > 0;
    if (isAlone || targets.some(Boolean)) {
      const joints = isAlone ? { firstJoint: first.get(index), each: follows.each } : {};
      add(upload(part, far), { place: [shown.place], rows: IDENTITY }, isAlone ? shown.joints : [shown.place], side, joints);
      return;
    }
    // One that is apart has distances of its own.
    const key = far ? `${part} at ${index}` : `${part} of ${side}`;
    if (!plain.has(key)) plain.set(key, { part, side, far, place: [], rows: [] });
    plain.get(key).place.push(shown.place);
    plain.get(key).rows.push(...IDENTITY);
  }));
  const tinted = new Set(view.tints.map(([place]) => place));
  const small = new Map();
  for (const { part: index, side, far, place, rows } of plain.values()) {
    const part = view.parts[index];
    if (part.vertices * place.length > SMALL || tinted.has(place[0])) {
      add(upload(index, far), { place, rows }, place, side);
      continue;
    }
    const alike = JSON.stringify([part.kind, part.colour, part.normals !== null, side]);
    if (!small.has(alike)) small.set(alike, []);
    for (const one of place) small.get(alike).push({ part, side, far, place: one });
  }
  for (const parts of small.values()) {
    const places = parts.map(({ place }) => place);
    add(joinedParts(gl, parts, bytes), { place: places.slice(0, 1), rows: IDENTITY }, places, parts[0].side);
  }
  return batches;
}

/** Up to how many vertices a part, wherever it is shown, is drawn at once with others that look like it: of tens of
 *  thousands of parts, to draw each by itself takes longer than all of their triangles. */
const SMALL = 4096;

/** Parts of one kind and colour at a place each as one, whose vertices know their places. */
function joinedParts(gl, parts, bytes) {
  const count = (of) => parts.reduce((sum, { part }) => sum + part[of], 0);
  const vertices = count("vertices");
  const [positions, places] = [new Float32Array(3 * vertices), new Float32Array(vertices)];
  const normals = parts[0].part.normals === null ? null : new Int8Array(2 * vertices);
  const distances = parts.some(({ far }) => far) ? new Float32Array(vertices) : null;
  const indices = new Uint32Array(count("count"));
  let [vertex, index] = [0, 0];
  for (const { part, place, far } of parts) {
    const { low, size } = part;
    bytes.words(part.positions, 3 * part.vertices).forEach((step, i) => {
      positions[3 * vertex + i] = low[i % 3] + (size[i % 3] * step) / 65535;
    });
    normals?.set(new Int8Array(bytes.octets(part.normals, 2 * part.vertices)), 2 * vertex);
    if (far) distances.set(far, vertex);
    places.fill(place, vertex, vertex + part.vertices);
    bytes.indices(part.indices, part.count).forEach((at, i) => { indices[index + i] = at + vertex; });
    vertex += part.vertices;
    index += part.count;
  }
  const { colour, kind } = parts[0].part;
  const joined = bufferedPart(gl, { colour, kind, low: [0, 0, 0], size: [1, 1, 1], targets: [] }, { positions, normals, indices, places });
  return { ...joined, far: distances && uploadedList(gl, gl.ARRAY_BUFFER, distances) };
}

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/** A list of numbers, in the graphics memory. */
function uploadedList(gl, target, data) {
  const buffer = gl.createBuffer();
  gl.bindVertexArray(null);
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, gl.STATIC_DRAW);
  return buffer;
}

/** What a part is drawn by, in the graphics memory. */
function bufferedPart(gl, { colour, kind, low, size, targets }, { positions, normals, indices, places }) {
  const upload = (target, data) => uploadedList(gl, target, data);
  return {
    colour: [...colour.slice(0, 3).map((c) => c ** (1 / 2.2)), 1],
    low,
    size,
    vertices: positions.length / 3,
    count: indices.length,
    kind: { triangles: gl.TRIANGLES, lines: gl.LINES, points: gl.POINTS }[kind],
    positions: upload(gl.ARRAY_BUFFER, positions),
    positionType: positions instanceof Float32Array ? gl.FLOAT : gl.UNSIGNED_SHORT,
    normals: normals && upload(gl.ARRAY_BUFFER, normals),
    isSmooth: normals !== null,
    indices: upload(gl.ELEMENT_ARRAY_BUFFER, indices),
    /** By vertex, where vertices have places of their own. */
    vertexPlaces: places && upload(gl.ARRAY_BUFFER, places),
    targets: targets.length,
  };
}

function uploadedPart(gl, part, bytes) {
  const { vertices, follows, targets } = part;
  const found = bufferedPart(gl, part, {
    positions: bytes.words(part.positions, 3 * vertices),
    normals: part.normals === null ? null : bytes.octets(part.normals, 2 * vertices),
    indices: bytes.indices(part.indices, part.count),
    places: null,
  });
  if (follows) {
    const { joints, weights } = influences(part, bytes);
    found.follows = listTexture(gl, Float32Array.from({ length: 4 * joints.length }, (_, i) => [joints[i >> 2], weights[i >> 2] / 255, 0, 0][i & 3]));
  }
  if (targets.some(Boolean)) {
    const all = new Float32Array(4 * vertices * targets.length);
    targets.forEach((target, i) => {
      if (!target) return;
      bytes.shorts(target.at, 3 * vertices).forEach((step, j) => {
        all[4 * (vertices * i + Math.floor(j / 3)) + (j % 3)] = (step / 32767) * target.scale;
      });
    });
    found.morphs = listTexture(gl, all);
  }
  return found;
}

/** The joints and weights of vertices, weights in parts of 255. */
function influences({ follows, vertices }, bytes) {
  const count = follows.each * vertices;
  const joints = follows.is_wide ? bytes.words(follows.joints, count) : bytes.octets(follows.joints, count);
  return { joints, weights: bytes.octets(follows.weights, count) };
}

/** A part at some places, each with the rows of a matrix of its own, and how far it is apart where its vertices do not say. */
function batchOf(gl, part, instances, { firstJoint = 0, each = 0 }) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, part.positions);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, part.positionType, part.positionType !== gl.FLOAT, 0, 0);
  if (part.normals) {
    gl.bindBuffer(gl.ARRAY_BUFFER, part.normals);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 2, gl.BYTE, true, 0, 0);
  }
  const buffer = gl.createBuffer();
  const batch = {
    ...part,
    array,
    each,
    firstJoint,
    /** Sets where it is shown. */
    fill({ place, rows, far = [] }) {
      const data = new Float32Array(14 * place.length);
      place.forEach((place, i) => {
        data[14 * i] = place;
        for (let j = 0; j < 12; j += 1) data[14 * i + 1 + j] = rows[12 * i + j];
        data[14 * i + 13] = far[i] ?? 0;
      });
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
      batch.places = place;
      batch.instances = place.length;
    },
    /** Sets which of these is the first that is drawn; the array is bound. */
    from(first) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.vertexAttribPointer(2, 1, gl.FLOAT, false, 56, 56 * first);
      for (let row = 0; row < 3; row += 1) gl.vertexAttribPointer(3 + row, 4, gl.FLOAT, false, 56, 56 * first + 4 + 16 * row);
      gl.vertexAttribPointer(6, 1, gl.FLOAT, false, 56, 56 * first + 52);
    },
  };
  batch.fill(instances);
  for (let location = 2; location < 7; location += 1) {
    gl.enableVertexAttribArray(location);
    gl.vertexAttribDivisor(location, 1);
  }
  batch.from(0);
  // Where vertices have places and distances of their own.
  [[2, part.vertexPlaces], [6, part.far]].filter(([, list]) => list).forEach(([location, list]) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, list);
    gl.vertexAttribPointer(location, 1, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(location, 0);
  });
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, part.indices);
  gl.bindVertexArray(null);
  return batch;
}

/** A solid of our own at some places: corners, and which of them are joined. */
function primitive(gl, corners, joined, instances, kind) {
  const buffers = { positions: new Float32Array(corners.flat()), normals: null, indices: new Uint32Array(joined), places: null };
  const part = bufferedPart(gl, { colour: GREY, kind, low: [0, 0, 0], size: [1, 1, 1], targets: [] }, buffers);
  return batchOf(gl, part, instances, {});
}

/** The places with a box and without a mesh that is drawn. */
function placesWithoutMesh({ view }) {
  const shown = new Set(view.shown.map((shown) => shown.place));
  return view.box_of.map((box, place) => (box === null || shown.has(place) ? -1 : place)).filter((place) => place >= 0);
}

/** Rows of the 3×4 matrix that takes the unit cube around the origin to a box. */
function boxRows([x0, y0, z0, x1, y1, z1]) {
  return [x1 - x0, 0, 0, (x0 + x1) / 2, 0, y1 - y0, 0, (y0 + y1) / 2, 0, 0, z1 - z0, (z0 + z1) / 2];
}

function pickingBuffer(gl, width, height, old) {
  if (old) {
    gl.deleteFramebuffer(old.frame);
    gl.deleteTexture(old.colour);
    gl.deleteRenderbuffer(old.depth);
  }
  const [frame, colour, depth] = [gl.createFramebuffer(), gl.createTexture(), gl.createRenderbuffer()];
  gl.bindTexture(gl.TEXTURE_2D, colour);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, width, height);
  gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
  gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, colour, 0);
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
  return { frame, colour, depth, width, height };
}

/** The unit cube around the origin, its triangles and its edges. */
function cube() {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [(i & 1) - 0.5, ((i >> 1) & 1) - 0.5, ((i >> 2) & 1) - 0.5]);
  const faces = [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]];
  const lines = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];
  return { corners, triangles: faces.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]), lines };
}

/** A cylinder along z in the same cube. */
function cylinder() {
  const sides = 32;
  const corners = [[0, 0, -0.5], [0, 0, 0.5]];
  const [triangles, lines] = [[], []];
  for (let i = 0; i < sides; i += 1) {
    const angle = (2 * Math.PI * i) / sides;
    for (const z of [-0.5, 0.5]) corners.push([0.5 * Math.cos(angle), 0.5 * Math.sin(angle), z]);
    const [a, d] = [2 + 2 * i, 3 + 2 * i];
    const [b, c] = [2 + 2 * ((i + 1) % sides), 3 + 2 * ((i + 1) % sides)];
    triangles.push(a, b, c, a, c, d, 0, b, a, 1, d, c);
    lines.push(a, b, c, d);
    if (i % (sides / 4) === 0) lines.push(a, d);
  }
  return { corners, triangles, lines };
}
