"""It says that the data were changed."""

from base import *

serve(lambda call: outcome(call, CHANGED, text("all")))
