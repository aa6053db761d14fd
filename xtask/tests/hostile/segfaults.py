"""It dies of a segmentation fault."""

from base import *

serve(lambda call: os.kill(os.getpid(), signal.SIGSEGV))
