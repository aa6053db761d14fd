"""Its result has 10,000 dims."""

from base import *

serve(lambda call: result(call, F32, [1] * 10000, bytes(4)))
