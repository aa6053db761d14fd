needs "@tensorflow/tfjs-core": "@VERSION@"
needs "@tensorflow/tfjs-backend-cpu": "@VERSION@"
@if !f32|i32@no TensorFlow.js has no tensor of @TYPE@
const load = createRequire(import.meta.url);
const tf = load("@tensorflow/tfjs-core");
load("@tensorflow/tfjs-backend-cpu");
---
function call() {
  const x = tf.tensor(DATA, SHAPE, "@DTYPE@");
@if sum l1@  const result = tf.sum(tf.abs(x), @AXIS@, @KEEPDIMS@);
@if sum l2@  const result = tf.sqrt(tf.sum(tf.square(x), @AXIS@, @KEEPDIMS@));
@if squares@  const result = tf.sum(tf.square(x), @AXIS@, @KEEPDIMS@);
@if elements@  const result = tf.sum(x, @AXIS@, @KEEPDIMS@);
@if norm l1@  const result = tf.norm(x, 1, @AXIS@, @KEEPDIMS@);
@if norm l2@  const result = tf.norm(x, "euclidean", @AXIS@, @KEEPDIMS@);
  return [result.dtype, result.shape, result.dataSync()];
}

const isRefusal = (error) => error.constructor === Error;
