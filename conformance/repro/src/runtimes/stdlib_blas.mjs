@if f64@needs "@stdlib/blas-base-@ROUTINE@": "@VERSION@"
@if f32@needs "@stdlib/blas-base-@ROUTINE@": "*"
const load = createRequire(import.meta.url);
---
function call() {
  const @ROUTINE@ = load("@stdlib/blas-base-@ROUTINE@");
  return ["@DTYPE@", [], @TYPED_ARRAY@.of(@ROUTINE@(@N@, DATA, @INCX@))];
}

const isRefusal = () => false;
