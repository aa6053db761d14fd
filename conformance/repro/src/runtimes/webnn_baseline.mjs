needs "webnn-baseline": "github:webmachinelearning/webnn-baseline#@WEBNN_BASELINE@"
@if !webnn/@no webnn-baseline is WebNN alone
@if !axes-in-a-list@no it has no bindings to refuse what is no list
@if !f16|f32|i32|u32|i64|u64@no its tensors have no element type to refuse
@if beyond-numbers@no no number of JavaScript holds this integer
const load = createRequire(new URL("node_modules/webnn-baseline/package.json", import.meta.url));
const { Float16Array } = load("@petamoriken/float16");
const { Tensor } = await import("./node_modules/webnn-baseline/src/lib/tensor.js");
const { reduceL1, reduceL2, reduceSum, reduceSumSquare } = await import("./node_modules/webnn-baseline/src/reduce.js");
---
function call() {
  const input = new Tensor(SHAPE, Array.from(DATA, Number));
@if l1@  const { shape, data } = reduceL1(input, @WEBNN_OPTIONS@);
@if l2@  const { shape, data } = reduceL2(input, @WEBNN_OPTIONS@);
@if squares@  const { shape, data } = reduceSumSquare(input, @WEBNN_OPTIONS@);
@if elements@  const { shape, data } = reduceSum(input, @WEBNN_OPTIONS@);
  // Its numbers have no type: an array of the operand's type makes elements of them.
@if f16@  return ["float16", shape, new Uint16Array(Float16Array.from(data).buffer)];
@if f32|i32|u32@  return ["@DTYPE@", shape, @TYPED_ARRAY@.from(data)];
@if i64|u64@  return ["@DTYPE@", shape, @TYPED_ARRAY@.from(data, BigInt)];
}

const isRefusal = (error) => [Error, TypeError].includes(error.constructor);
