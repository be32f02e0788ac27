// Vectors, and world transforms as the rows of 3×4 matrices, twelve numbers each.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, by) => [a[0] * by, a[1] * by, a[2] * by];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => times(a, 1 / (length(a) || 1));

/** Where a world transform, at `at` in a list of them, takes a point. */
function moved(list, at, [x, y, z]) {
  const row = (i) => list[at + i] * x + list[at + i + 1] * y + list[at + i + 2] * z + list[at + i + 3];
  return [row(0), row(4), row(8)];
}

/** Where it takes a direction. */
function turned(list, at, [x, y, z]) {
  const row = (i) => list[at + i] * x + list[at + i + 1] * y + list[at + i + 2] * z;
  return [row(0), row(4), row(8)];
}

/** The box around points, as its middle and the radius of the sphere around it; nothing where there is no point. */
function around(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const point of points) {
    // What is farther away than any scene is large was not measured.
    if (!point.every((part) => Math.abs(part) < 1e4)) continue;
    for (let i = 0; i < 3; i += 1) {
      low[i] = Math.min(low[i], point[i]);
      high[i] = Math.max(high[i], point[i]);
    }
  }
  if (low[0] > high[0]) return null;
  return { middle: times(plus(low, high), 0.5), radius: length(minus(high, low)) / 2 };
}

/** The corners of a box. */
function corners([x0, y0, z0, x1, y1, z1]) {
  return [x0, x1].flatMap((x) => [y0, y1].flatMap((y) => [z0, z1].map((z) => [x, y, z])));
}
