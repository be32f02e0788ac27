// A camera that turns around a point, and the hands that move it.

class Camera {
  constructor() {
    Object.assign(this, { yaw: 0.6, pitch: 0.35, distance: 3, centre: [0, 0, 0], aspect: 1 });
  }

  /** Right, up and towards the eye, in the world. */
  axes() {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    return { right: [cy, 0, -sy], up: [-sy * sp, cp, -cy * sp], eye: [sy * cp, sp, cy * cp] };
  }

  /** A perspective view, y up, and the direction to the eye. */
  projection(aspect) {
    const { right, up, eye } = this.axes();
    this.aspect = aspect;
    const focal = this.focal();
    const [near, far] = [this.distance * 0.01, this.distance * 3 + 6];
    const rows = [right, up, eye].map((axis) => [...axis, -dot(axis, this.centre)]);
    rows[2][3] -= this.distance;
    const depth = [(far + near) / (near - far), (2 * far * near) / (near - far)];
    const matrix = new Float32Array(16);
    for (let j = 0; j < 4; j += 1) {
      matrix[4 * j] = (focal / aspect) * rows[0][j];
      matrix[4 * j + 1] = focal * rows[1][j];
      matrix[4 * j + 2] = depth[0] * rows[2][j] + (j === 3 ? depth[1] : 0);
      matrix[4 * j + 3] = -rows[2][j];
    }
    return { matrix, eye };
  }

  /** Looks at a sphere from as far as it takes to see all of it. */
  frame({ middle, radius }) {
    this.centre = middle;
    this.distance = within(radius * FOCAL * 1.05);
  }

  /** Looks at points from as near as shows all of them. */
  fit(points) {
    const found = around(points);
    if (!found) return;
    this.centre = found.middle;
    const { right, up, eye } = this.axes();
    const room = 0.92 / this.focal();
    let distance = 0;
    for (const point of points) {
      const from = minus(point, this.centre);
      const needed = Math.max(Math.abs(dot(right, from)) / (room * this.aspect), Math.abs(dot(up, from)) / room) + dot(eye, from);
      if (needed > distance) distance = needed;
    }
    this.distance = within(distance || 1);
  }

  /** The distance of the eye from a picture of height 2; the shorter side of it shows the same. */
  focal() {
    return FOCAL * Math.min(1, this.aspect);
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + pitch));
  }

  /** Moves by fractions of the height of the picture. */
  pan(x, y) {
    const { right, up } = this.axes();
    const by = (2 * this.distance) / this.focal();
    this.centre = minus(this.centre, plus(times(right, x * by), times(up, y * by)));
  }

  /** Comes nearer by a factor, to a point of the picture: from −1 to 1 across and up. */
  zoom(factor, x = 0, y = 0) {
    const distance = within(this.distance / factor);
    const { right, up } = this.axes();
    const by = (this.distance - distance) / this.focal();
    this.centre = plus(this.centre, plus(times(right, x * this.aspect * by), times(up, y * by)));
    this.distance = distance;
  }

  /** As few digits as it takes, for a link. */
  toText() {
    return [this.yaw, this.pitch, this.distance, ...this.centre].map((number) => Number(number.toPrecision(5))).join(",");
  }

  fromText(text) {
    const numbers = text.split(",").map(Number);
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return false;
    [this.yaw, this.pitch, this.distance] = numbers;
    this.centre = numbers.slice(3);
    return true;
  }
}

/** A distance from which something of a scene can be seen, in sizes of that. */
const within = (distance) => Math.max(1e-5, Math.min(1e3, distance));

/** How far the eye is from a square picture of height 2. */
const FOCAL = 2.4;

/** Left drags turn, right ones and two fingers pan, the wheel and a pinch zoom to where they are, clicks choose. */
class Hands {
  constructor(canvas, camera, { changed, clicked, doubled }) {
    Object.assign(this, { canvas, camera, changed, clicked });
    this.pointers = new Map();
    this.way = 0;
    const on = (kind, act, options) => canvas.addEventListener(kind, act, options);
    on("contextmenu", (event) => event.preventDefault());
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.pointers.delete(event.pointerId));
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("dblclick", (event) => doubled(...this.pixel(event)));
    // A page that is being scrolled goes on scrolling when the view comes under the pointer.
    document.addEventListener("wheel", (event) => {
      if (!canvas.contains(event.target)) this.scrolled = event.timeStamp;
    }, { passive: true });
  }

  /** From −1 to 1 across and up. */
  place({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect();
    return [(2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height];
  }

  /** In pixels of the drawing, from the lower left. */
  pixel(event) {
    const [x, y] = this.place(event);
    const { width, height } = this.canvas;
    return [Math.floor(((x + 1) / 2) * width), Math.floor(((y + 1) / 2) * height)];
  }

  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.pointers.size === 1) this.way = 0;
  }

  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const before = this.spread();
    const [x, y] = [event.clientX - last.x, event.clientY - last.y];
    Object.assign(last, { x: event.clientX, y: event.clientY });
    this.way += Math.abs(x) + Math.abs(y);
    const height = this.canvas.clientHeight || 1;
    if (this.pointers.size === 2) {
      const now = this.spread();
      this.camera.pan((now.x - before.x) / height, -(now.y - before.y) / height);
      if (before.apart > 0) this.camera.zoom(now.apart / before.apart, ...this.place({ clientX: now.x, clientY: now.y }));
    } else if (event.buttons & 6 || event.shiftKey) {
      this.camera.pan(x / height, -y / height);
    } else {
      this.camera.turn(-x * 0.008, y * 0.008);
    }
    this.changed();
  }

  /** The middle of two fingers, and how far they are apart. */
  spread() {
    const [a, b] = [...this.pointers.values()];
    if (!b) return { x: a.x, y: a.y, apart: 0 };
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    if (event.button === 0 && this.way < 5) this.clicked(...this.pixel(event));
  }

  wheel(event) {
    if (event.timeStamp - (this.scrolled ?? -1e9) < 400 && !event.ctrlKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    this.camera.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0015)), ...this.place(event));
    this.changed();
  }
}
