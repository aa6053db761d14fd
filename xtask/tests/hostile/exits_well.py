"""It ends over a call as if all were well."""

from base import *

serve(lambda call: os._exit(0))
