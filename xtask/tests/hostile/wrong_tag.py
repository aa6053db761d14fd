"""It answers with a frame of another kind."""

from base import *

serve(lambda call: frame(HELLO, right(call)[5:]))
