"""It kills itself, as a system short of memory does."""

from base import *

serve(lambda call: os.kill(os.getpid(), signal.SIGKILL))
