// The part of the page around the 3D view: which node, which strategy, where the sliders stand.

/** The columns of a world matrix: x, y and z axis, and origin. */
const columns = (world) => [0, 3, 6, 9].map((i) => world.slice(i, i + 3));

/** Rows of the 3×4 matrix that takes the unit cube to a box in a world. */
function boxed(world, [x0, y0, z0, x1, y1, z1]) {
  const [x, y, z, origin] = columns(world);
  const size = [x1 - x0, y1 - y0, z1 - z0];
  const middle = [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2];
  return [0, 1, 2].flatMap((i) => [
    x[i] * size[0],
    y[i] * size[1],
    z[i] * size[2],
    origin[i] + x[i] * middle[0] + y[i] * middle[1] + z[i] * middle[2],
  ]);
}

/** The corners of a unit cube under such a matrix. */
function corners(rows) {
  const half = [-0.5, 0.5];
  const at = (x, y, z) => [0, 4, 8].map((r) => rows[r] * x + rows[r + 1] * y + rows[r + 2] * z + rows[r + 3]);
  return half.flatMap((x) => half.flatMap((y) => half.map((z) => at(x, y, z))));
}

/** A thin box from a point along an axis. */
function rod(origin, axis, thickness) {
  const least = axis.map(Math.abs).indexOf(Math.min(...axis.map(Math.abs)));
  const other = [0, 0, 0];
  other[least] = 1;
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const thin = (v) => v.map((c) => (c * thickness) / (Math.hypot(...v) || 1));
  const u = thin(cross(axis, other));
  const v = thin(cross(axis, u));
  return [0, 1, 2].flatMap((i) => [axis[i], u[i], v[i], origin[i] + axis[i] / 2]);
}

/** A number to six digits; what is rounding beside the largest of its kind is 0. */
function number(value, largest = 0) {
  if (value === null) return "–";
  return Math.abs(value) < 1e-12 * largest ? "0" : String(Number(value.toPrecision(6)));
}

class Look {
  /** `describe` gives the names down to a node, and its figures where it is not drawn. */
  constructor(section, data, describe) {
    this.data = data;
    this.describe = describe;
    this.find = (selector) => section.querySelector(selector);
    this.place = new Map(data.nodes.map((node, place) => [node, place]));
    this.node = data.nodes[0];
    this.sliders = [...section.querySelectorAll("input[type=range]")];
    this.sliders.forEach((slider) => slider.addEventListener("input", () => this.update()));
    section.querySelectorAll("input[name=strategy]").forEach((choice) => choice.addEventListener("change", () => this.update()));
    this.viewer = null;
    const canvas = this.find("canvas");
    try {
      this.viewer = new Viewer(canvas, data.solid);
      this.listen();
      this.whole();
      if (this.isSmall()) this.focus();
    } catch (error) {
      section.querySelectorAll(".gl").forEach((control) => { control.hidden = true; });
      this.find(".stage").textContent = `No view in 3D: ${error.message}.`;
    }
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.viewer.restore();
      this.update();
    });
    this.update();
  }

  outline(world, place) {
    const box = this.data.boxes[place];
    return box ? corners(boxed(world, box)) : [columns(world)[3]];
  }

  /** Looks at everything, wherever the sliders stand. */
  whole() {
    const all = this.data.frames.length > 4 ? this.data.frames : [this.frame()];
    const worlds = all.flatMap((frame) => [frame.matrix, frame.trs]);
    this.viewer.frame(worlds.flatMap((worlds) => worlds.flatMap((world, i) => this.outline(world, i))), 1);
    this.sceneRadius = this.viewer.radius;
  }

  /** The corners of the selected node under both strategies. */
  chosen() {
    const place = this.place.get(this.node);
    const frame = this.frame();
    return [frame.matrix, frame.trs].flatMap((worlds) => this.outline(worlds[place], place));
  }

  /** Whether the selected node would hardly be seen in the whole scene. */
  isSmall() {
    const points = this.chosen();
    const far = Math.max(...points.map((point) => Math.hypot(...point.map((c, i) => c - points[0][i]))));
    return far < 0.15 * this.sceneRadius;
  }

  /** Looks at the selected node, with some room around it. */
  focus() {
    this.viewer.frame(this.chosen(), 2.5);
    this.viewer.draw();
  }

  listen() {
    const { viewer } = this;
    const { canvas } = viewer;
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) viewer.turn(-event.movementX * 0.01, event.movementY * 0.01);
    });
    canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey) return; // the page scrolls
      event.preventDefault();
      viewer.scale(Math.exp(-event.deltaY * 0.001));
    }, { passive: false });
    const keys = {
      ArrowLeft: () => viewer.turn(0.1, 0),
      ArrowRight: () => viewer.turn(-0.1, 0),
      ArrowUp: () => viewer.turn(0, 0.1),
      ArrowDown: () => viewer.turn(0, -0.1),
      "+": () => viewer.scale(1.2),
      "-": () => viewer.scale(1 / 1.2),
      f: () => this.focus(),
      0: () => {
        this.whole();
        viewer.reset();
      },
    };
    canvas.addEventListener("keydown", (event) => {
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
    this.find("[data-do=nearer]").addEventListener("click", keys["+"]);
    this.find("[data-do=farther]").addEventListener("click", keys["-"]);
    this.find("[data-do=node]").addEventListener("click", keys.f);
    this.find("[data-do=reset]").addEventListener("click", keys[0]);
  }

  /** The frame that belongs to where the sliders stand. */
  frame() {
    const { sliders, frames } = this.data;
    const position = this.sliders.reduce((position, slider, i) => position * sliders[i].values.length + Number(slider.value), 0);
    return frames[position];
  }

  /** Selects a node; of one that is not drawn only what is known is told. */
  select(node) {
    if (!this.place.has(node)) {
      this.tellUndrawn(node);
      return;
    }
    this.node = node;
    if (this.viewer) {
      this.whole();
      if (this.isSmall()) this.focus();
    }
    this.update();
  }

  update() {
    const { data } = this;
    this.sliders.forEach((slider, i) => {
      const value = String(data.sliders[i].values[slider.value]);
      slider.setAttribute("aria-valuetext", value);
      slider.parentElement.querySelector("output").value = value;
    });
    const frame = this.frame();
    this.tell(frame);
    if (!this.viewer) return;
    const strategy = this.find("input[name=strategy]:checked").value;
    const drawn = { faces: [], edges: [], through: [], rods: [] };
    if (strategy !== "trs") this.add(drawn, frame.matrix, "matrix", 1);
    if (strategy !== "matrix") this.add(drawn, frame.trs, "trs", strategy === "both" ? 0.45 : 1);
    this.viewer.show(drawn);
  }

  add(drawn, worlds, strategy, opacity) {
    const { data, viewer } = this;
    worlds.forEach((world, place) => {
      const box = data.boxes[place];
      const isChosen = data.nodes[place] === this.node;
      if (box) {
        const matrix = boxed(world, box);
        const isSeen = ["visible", "severe"].includes(data.grades[place]);
        const tint = isSeen ? COLOURS[strategy] : COLOURS.plain;
        const colour = isChosen ? tint : tint.map((c) => 0.6 * c + 0.34);
        drawn.faces.push({ matrix, colour: [...colour, opacity] });
        if (isChosen) drawn.through.push({ matrix, colour: [...COLOURS[strategy].map((c) => 0.6 * c), 1] });
        drawn.edges.push({ matrix, colour: isChosen ? [...COLOURS[strategy].map((c) => 0.5 * c), 1] : [0.35, 0.37, 0.4, 1] });
      }
      if (!isChosen) return;
      const [x, y, z, origin] = columns(world);
      const reach = box ? [box[3], box[4], box[5]].map((high, i) => Math.max(Math.abs(high), Math.abs(box[i])) * 1.6) : [1, 1, 1];
      [x, y, z].forEach((axis, i) => {
        const matrix = rod(origin, axis.map((c) => c * reach[i]), viewer.radius * 0.02);
        drawn.rods.push({ matrix, colour: [...COLOURS.axes[i], 1] });
      });
    });
  }

  /** The figures of the selected node, as the library computed them. */
  tell(frame) {
    const place = this.place.get(this.node);
    this.find("[data-tell=name]").textContent = this.describe(this.node).path;
    for (const figure of ["displacement", "percent", "skew"]) {
      this.find(`[data-tell=${figure}]`).textContent = number(frame[figure][place]);
    }
    for (const strategy of ["matrix", "trs"]) {
      const world = frame[strategy][place];
      const largest = Math.max(...world.map(Math.abs));
      columns(world).forEach((column, i) => {
        const vector = column.map((value) => number(value, largest)).join(", ");
        this.find(`[data-tell=${strategy}-${"xyzo"[i]}]`).textContent = `(${vector})`;
      });
    }
  }

  /** What is known of a node that is not drawn: it is among those that differ least, or not at all. */
  tellUndrawn(node) {
    const { path, figures } = this.describe(node);
    this.find("[data-tell=name]").textContent = `${path}, which is not drawn`;
    for (const figure of ["displacement", "percent", "skew"]) {
      this.find(`[data-tell=${figure}]`).textContent = figures ? number(figures[figure]) : "0";
    }
    for (const strategy of ["matrix", "trs"]) {
      for (const part of "xyzo") this.find(`[data-tell=${strategy}-${part}]`).textContent = "";
    }
  }
}
