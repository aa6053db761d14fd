"""It ends over a call."""

from base import *

serve(lambda call: os._exit(3))
