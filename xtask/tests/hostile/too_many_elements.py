"""Its result has more elements than any tensor may have."""

from base import *

serve(lambda call: result(call, U8, [10**8 + 1], bytes(10**8 + 1)))
