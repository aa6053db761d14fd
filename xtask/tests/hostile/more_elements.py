"""More elements come than its dims promise."""

from base import *

serve(lambda call: result(call, F32, [2], bytes(12)))
