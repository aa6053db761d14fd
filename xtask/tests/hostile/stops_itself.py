"""It stops, as a process in the background does."""

from base import *

serve(lambda call: os.kill(os.getpid(), signal.SIGSTOP))
