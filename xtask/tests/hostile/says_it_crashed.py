"""It says in 32 MiB that it crashed."""

from base import *

serve(lambda call: outcome(call, CRASHED, text("c" * (32 << 20))))
