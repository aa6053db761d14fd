"""It never answers a call."""

from base import *

serve(lambda call: hang())
