"""Its result is of another type."""

from base import *

serve(lambda call: result(call, U8, [2], b"\1\2"))
