"""Its result has the right type and a million elements."""

from base import *

serve(lambda call: result(call, F32, [10**6], bytes(4 * 10**6)))
