"""Its result has 100,000,000 elements of one byte."""

from base import *

serve(lambda call: result(call, U8, [10**8], bytes(10**8)))
