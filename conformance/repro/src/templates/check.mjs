/** The elements of a typed array as unsigned integers. */
function bitsOf({ buffer, byteOffset, byteLength, length }) {
  const view = new DataView(buffer, byteOffset, byteLength);
  const size = length ? byteLength / length : 1;
  const read = { 1: "getUint8", 2: "getUint16", 4: "getUint32", 8: "getBigUint64" }[size];
  return Array.from({ length }, (_, at) => BigInt(view[read](at * size, true)));
}

function decimal(dtype, bits) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits, true);
  const half = () => {
    const [exponent, fraction] = [Number(bits >> 10n) & 31, (Number(bits) & 1023) / 1024];
    const value = exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15);
    return (bits >> 15n ? -1 : 1) * (exponent < 31 ? value : fraction ? NaN : Infinity);
  };
  const values = {
    float16: half,
    float32: () => view.getFloat32(0, true),
    float64: () => view.getFloat64(0, true),
    int32: () => view.getInt32(0, true),
    int64: () => view.getBigInt64(0, true),
  };
  const value = dtype in values ? values[dtype]() : bits;
  return Object.is(value, -0) ? "-0" : `${value}`;
}

const shown = (dtype, bits) => `${decimal(dtype, bits)} (0x${bits.toString(16)})`;

function described(due) {
  const condition = due.if ? `, if ${due.if}` : "";
  if (due.refused) return `a refusal, by ${due.refused}${condition}`;
  const elements = due.elements.slice(0, 8).map(([[low, high]]) =>
    low === high ? shown(due.dtype, low) : `${shown(due.dtype, low)} to ${shown(due.dtype, high)}`,
  );
  const more = due.elements.length > 8 ? ", ..." : "";
  return `${due.dtype}[${due.shape}]: ${elements.join(", ")}${more}${condition}`;
}

/** The places of wrong elements; undefined where the result is of another kind. */
function wrongPlaces(due, dtype, shape, bits) {
  if (due.refused || dtype !== due.dtype || String(shape) !== String(due.shape) || shape.length !== due.shape.length) {
    return undefined;
  }
  const isDue = (pairs, bits) => pairs.some(([low, high]) => low <= bits && bits <= high);
  return due.elements.flatMap((pairs, at) => (isDue(pairs, bits[at]) ? [] : [at]));
}

function main() {
  console.log(`call   ${CALL}`);
  for (const due of DUE) console.log(`due    ${described(due)}`);
  const before = bitsOf(DATA);
  let came;
  try {
    came = call();
  } catch (error) {
    if (isRefusal(error)) {
      console.log(`came   a refusal: ${error}`);
      finish(DUE.some((due) => due.refused));
    }
    console.log(`${error.stack}\ncame   an exception that does not say that the call is invalid`);
    finish(false);
  }
  const [dtype, shape] = came;
  const bits = bitsOf(came[2]);
  const elements = bits.slice(0, 8).map((element) => shown(dtype, element));
  console.log(`came   ${dtype}[${shape}]: ${elements.join(", ")}${bits.length > 8 ? ", ..." : ""}`);
  if (String(bitsOf(DATA)) !== String(before)) {
    console.log("came   and the data of the call were changed");
    finish(false);
  }
  const wrong = DUE.map((due) => wrongPlaces(due, dtype, shape, bits)).filter((places) => places);
  if (wrong.length && wrong.every((places) => places.length)) {
    const fewest = wrong.reduce((one, other) => (other.length < one.length ? other : one));
    console.log(`wrong  ${fewest.length} of ${bits.length} elements, the first at ${fewest[0]}, row-major from 0`);
  }
  finish(wrong.some((places) => places.length === 0));
}

function finish(passed) {
  console.log(passed ? "PASS" : "FAIL");
  process.exit(passed ? 0 : 1);
}
