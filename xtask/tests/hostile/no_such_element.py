"""Its result is of a type that there is none of."""

from base import *

serve(lambda call: result(call, 99, [2], bytes(8)))
