"""Its result is wrong."""

from base import *

serve(lambda call: result(call, F32, [2], struct.pack("<2f", 1, 3)))
