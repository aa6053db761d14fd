// A norm of the array API in plain JavaScript, and the same with mistakes.

export function good({ data, shape, dtype }, { axis = null, keepdims = false, ord = 2 } = {}) {
  const rank = shape.length;
  const axes = axis === null ? [...shape.keys()] : [axis].flat().map((at) => (at < 0 ? at + rank : at));
  const bad = axes.find((axis, at) => !(axis in shape) || axes.indexOf(axis) < at);
  if (bad !== undefined) throw new RangeError(`axis ${bad} of rank ${rank} is out of range, or named twice`);
  const ones = shape.map((dim, at) => (axes.includes(at) ? 1 : dim));
  const sums = new Float64Array(ones.reduce((count, dim) => count * dim, 1));
  data.forEach((x, at) => {
    let [place, step] = [0, 1];
    for (let axis = rank - 1; axis >= 0; axis--) {
      if (ones[axis] > 1) place += (at % shape[axis]) * step;
      step *= ones[axis];
      at = Math.floor(at / shape[axis]);
    }
    sums[place] += ord === 1 ? Math.abs(x) : x * x;
  });
  const norms = ord === 1 ? sums : sums.map(Math.sqrt);
  const typed = dtype === "f32" ? Float32Array : Float64Array;
  return { data: typed.from(norms), shape: keepdims ? ones : shape.filter((_, at) => !axes.includes(at)) };
}

export const theFirstAxisAlone = (x, { axis, ...rest }) => good(x, Array.isArray(axis) && axis.length > 1 ? { ...rest, axis: axis[0] } : { ...rest, axis });

export const throwing = (x, options) => {
  if (x.shape.length === 5) throw new Error("rank 5");
  return good(x, options);
};

export const leaving = (x, options) => {
  if (x.shape.length === 5) process.exit(7);
  return good(x, options);
};
