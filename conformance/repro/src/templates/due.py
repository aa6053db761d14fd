    {
@if readings@        "if": @READINGS@,
@if refused@        "refused": @CLAUSE@,
@if tensor@        "dtype": "@DTYPE@",
@if tensor@        "shape": @SHAPE@,
@if single@        # Of the first range, only numbers that float32 has too.
@if single@        "float32": True,
@if tensor@        "elements": [
@ELEMENTS@
@if tensor@        ],
    },
