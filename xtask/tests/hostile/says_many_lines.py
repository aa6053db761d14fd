"""It refuses in a million lines."""

from base import *

serve(lambda call: outcome(call, REJECTED, text("w\n" * (1 << 20))))
