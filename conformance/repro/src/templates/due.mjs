  {
@if readings@    if: @READINGS@,
@if refused@    refused: @CLAUSE@,
@if tensor@    dtype: "@DTYPE@",
@if tensor@    shape: @SHAPE@,
@if tensor@    elements: [
@ELEMENTS@
@if tensor@    ],
  },
