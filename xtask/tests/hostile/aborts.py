"""It aborts over a call."""

from base import *

serve(lambda call: os.abort())
