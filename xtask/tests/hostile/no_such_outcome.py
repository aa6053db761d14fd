"""It answers with an outcome that there is none of."""

from base import *

serve(lambda call: outcome(call, 9))
