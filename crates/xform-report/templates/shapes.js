// Where the points of a node are under two shows, to look at them: not to draw them, which the graphics processor does.

/** How many vertices of a node are looked at. */
const LOOKED_AT = 4000;

/** Points of what is drawn at a place, a pair each: under the one show, and under the other. */
function shape(stage, place, shows) {
  const pairs = (stage.shownAt.get(place) ?? []).flatMap((shown) => meshPoints(stage, shown, shows));
  if (pairs.length) return pairs;
  const following = (stage.following.get(place) ?? []).flatMap((shown) => meshPoints(stage, shown, shows, shown.joints.indexOf(place)));
  if (following.length) return following;
  const box = stage.view.boxes[stage.view.box_of[place]];
  const points = box ? corners(box) : [[0, 0, 0]];
  return points.map((point) => shows.map((show) => moved(stage.worlds[show], 12 * place, point)));
}

/** Those of a mesh, or those alone that follow a joint. */
function meshPoints(stage, shown, shows, joint = null) {
  return shown.parts.flatMap((index) => {
    const part = stage.view.parts[index];
    const step = Math.max(1, Math.ceil((part.vertices * shown.parts.length) / LOOKED_AT));
    const placed = part.follows && shown.joints.length ? followed(stage, shown, part) : (worlds, vertex, point) => moved(worlds, 12 * shown.place, point);
    const steps = stage.bytes.words(part.positions, 3 * part.vertices);
    const pairs = [];
    const follows = joint === null ? () => true : follower(stage, part, joint);
    for (let vertex = 0; vertex < part.vertices; vertex += joint === null ? step : 1) {
      if (!follows(vertex)) continue;
      const point = [0, 1, 2].map((i) => part.low[i] + (part.size[i] * steps[3 * vertex + i]) / 65535);
      pairs.push(shows.map((show) => placed(stage.worlds[show], vertex, morphed(stage, shown, part, vertex, point))));
    }
    return pairs;
  });
}

/** A vertex with the morph targets that are in effect. */
function morphed(stage, shown, part, vertex, point) {
  return part.targets.reduce((point, target, i) => {
    const weight = stage.weights.get(shown.place)?.[i] ?? 0;
    if (!target || weight === 0) return point;
    const steps = stage.bytes.shorts(target.at, 3 * part.vertices).subarray(3 * vertex, 3 * vertex + 3);
    return plus(point, times(steps, (weight * target.scale) / 32767));
  }, point);
}

/** Where joints take a vertex. */
function followed(stage, shown, part) {
  const { joints, weights } = influences(part, stage.bytes);
  const { follows } = part;
  const binds = stage.bytes.floats(shown.inverse_binds, 12 * shown.joints.length);
  return (worlds, vertex, point) => {
    let sum = [0, 0, 0];
    for (let i = vertex * follows.each; i < (vertex + 1) * follows.each; i += 1) {
      if (weights[i] === 0) continue;
      sum = plus(sum, times(moved(worlds, 12 * shown.joints[joints[i]], moved(binds, 12 * joints[i], point)), weights[i] / 255));
    }
    return sum;
  };
}

/** Whether a vertex follows a joint by a third or more. */
function follower(stage, part, joint) {
  if (!part.follows) return () => false;
  const { joints, weights } = influences(part, stage.bytes);
  const { each } = part.follows;
  return (vertex) => {
    for (let i = vertex * each; i < (vertex + 1) * each; i += 1) if (joints[i] === joint && weights[i] >= 85) return true;
    return false;
  };
}

/** The sphere around what is apart most between the two shows at a place, and what is apart at least half as far, with as
 *  much around it as it takes to know what it is part of. */
function worstSphere(stage, place, shows) {
  const pairs = shape(stage, place, shows);
  const whole = around(pairs.flat());
  const far = pairs.map(([a, b]) => length(minus(a, b)));
  const most = far.reduce((most, far) => Math.max(most, far), 0);
  const worst = around(pairs.filter((_, i) => far[i] >= most / 2).flat());
  if (!worst) return null;
  // No farther from the middle of the node than it takes to be filled by it.
  const radius = Math.max(3 * worst.radius, 0.5 * whole.radius);
  const away = minus(worst.middle, whole.middle);
  const room = Math.max(0, whole.radius - radius) / (length(away) || 1);
  return { middle: plus(whole.middle, times(away, Math.min(1, room))), radius };
}

/** Points of everything that is drawn, under both shows. */
function wholeShape(stage, shows) {
  const { view } = stage;
  const drawn = new Set(view.shown.map((shown) => shown.place));
  view.box_of.forEach((box, place) => { if (box !== null) drawn.add(place); });
  if (drawn.size === 0) view.nodes.forEach((_, place) => drawn.add(place));
  const points = [];
  for (const place of drawn) {
    // Of many nodes the corners of their boxes are enough.
    const box = drawn.size > 200 ? view.boxes[view.box_of[place]] : null;
    if (box) for (const corner of corners(box)) points.push(...shows.map((show) => moved(stage.worlds[show], 12 * place, corner)));
    else for (const pair of shape(stage, place, shows)) points.push(...pair);
  }
  return points.length ? points : [[0, 0, 0]];
}
