// Tests of the package, over the program that NORMATIVE_PROGRAM names: `node --test backends/javascript/tests`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { assertNorm, exact, judge } from "../index.mjs";
import { good, theFirstAxisAlone, throwing } from "./norms.mjs";

/** Few generated calls: the cases alone find what is planted. */
const FEW = { property: 50 };
const MODULE = new URL("./norms.mjs", import.meta.url);

test("what is right conforms, in this process and in another", async () => {
  const path = relative(".", fileURLToPath(MODULE));
  for (const what of [good, { module: path.startsWith(".") ? path : `./${path}`, name: "good" }]) {
    const report = await judge(what, FEW);
    assert.equal(report.conforms, true, String(report));
    assert.deepEqual(report.defects, []);
    assert.match(report.outcome, /^conforms with .*"good of this process": 815 conform of 815 cases/);
  }
});

test("a planted mistake is found, and the line of its smallest call repeats it", async () => {
  const report = await judge(theFirstAxisAlone, FEW);
  assert.equal(report.conforms, false);
  const [{ line, name }] = report.defects;
  assert.match(name, /Only the first axis named is reduced/);
  assert.ok(String(report).split("\n").slice(0, 10).includes(`  repeat    ${line}`), String(report));
  const call = (theFirstAxisAlone) => new Function("theFirstAxisAlone", `return ${line}`)(theFirstAxisAlone);
  assert.notDeepEqual(call(theFirstAxisAlone), call(good));
  // A norm that reads the type of its data is given it by the line too.
  assert.equal(call(good).data.constructor, call(({ data }) => ({ data })).data.constructor);
});

test("an exception is a crash of one call, and a process that ends is one as well", async () => {
  const thrown = await judge(throwing, FEW);
  assert.deepEqual(thrown.defects.map(({ got }) => got), ["a crash: Error: rank 5"]);
  const left = await judge({ module: MODULE, name: "leaving" }, FEW);
  assert.equal(left.defects.length, 1);
  assert.match(left.defects[0].got, /exit status: 7/);
});

test("what cannot be judged is an error in the program's words", async () => {
  await assert.rejects(judge(good, { spec: "array-api/nothing" }), /array-api\/nothing/);
  await assert.rejects(judge({ module: MODULE, name: "missing" }, FEW), /expected a function missing of /);
  await assert.rejects(judge(good, { baseline: "known.yaml", ...FEW }), /expected a baseline at known.yaml, got no file/);
});

test("a norm is between the bounds of its arithmetic", async () => {
  const { lower, upper, rounded } = await exact([[3, 4], [5, 12]], { axis: -1 });
  assert.deepEqual([rounded.shape, rounded.dtype, [...rounded.data]], [[2], "f64", [5, 13]]);
  assert.ok(lower.data.every((x, at) => x < rounded.data[at]) && upper.data.every((x, at) => x > rounded.data[at]));
  const f32 = await exact(Float32Array.of(0.1, 0.2), { ord: 1, keepdims: true, spec: "onnx" });
  assert.deepEqual([f32.rounded.shape, f32.rounded.data], [[1], Float32Array.of(Math.fround(0.1) + Math.fround(0.2))]);
  await assert.rejects(exact([1], { spec: "blas" }), /expected a spec of /);
});

for (const spec of ["array-api", "onnx", "onnx/ReduceL2-13", "openvino", "webnn"]) {
  test(`an assertion holds for what ${spec} allows, and fails with the bound for the rest`, async () => {
    const data = { data: Float32Array.of(3, 4, 5, 12), shape: [2, 2] };
    await assertNorm({ data: Float32Array.of(5, 13), shape: [2] }, data, { axis: [1], spec });
    await assertNorm([5, 13], data, { axis: [1], spec });
    const failure = await assertNorm([5, 13.001], data, { axis: [1], spec }).catch((error) => error);
    assert.equal(failure.name, "AssertionError");
    for (const line of ["  exact     13", "  bound     n = 2", "ulp, allowed "]) assert.ok(failure.message.includes(line), failure.message);
    await assert.rejects(assertNorm([[5], [13]], data, { axis: [1], spec }), /expected output shape \[2\], got \[2, 1\]/);
  });
}

test("many assertions at once get their own replies", async () => {
  const lengths = Array.from({ length: 300 }, (_, at) => at + 1);
  await Promise.all(lengths.map((length) => assertNorm(length, Array(length).fill(1), { ord: 1 })));
  const wrong = lengths.map((length) => assertNorm(length + 1, Array(length).fill(1), { ord: 1 }).then(() => length, () => 0));
  assert.deepEqual(await Promise.all(wrong), lengths.map(() => 0));
});

test("each platform has a package of this version", () => {
  const read = (file) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), "utf8"));
  const { version, optionalDependencies } = read("package.json");
  assert.deepEqual(optionalDependencies, Object.fromEntries(read("platforms.json").map((one) => [one.package, version])));
});
