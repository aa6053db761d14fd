"""It says that it timed out, after 584 years."""

from base import *

serve(lambda call: outcome(call, TIMED_OUT, b"\xff" * 8))
