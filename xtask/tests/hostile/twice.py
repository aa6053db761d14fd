"""It answers twice."""

from base import *

serve(lambda call: right(call) + right(call))
