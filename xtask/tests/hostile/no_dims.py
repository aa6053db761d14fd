"""Its result has 4 billion dims, none of which come."""

from base import *

serve(lambda call: outcome(call, RESULT, b"\x02\xff\xff\xff\xff"))
