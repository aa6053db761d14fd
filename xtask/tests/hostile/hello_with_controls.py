"""Its name and version hold control characters, and such as turn the writing around."""

from base import *

serve(right, hello=greeting(name="a\x1b[2Jb\nc\u202ed", version="1\u200b\r2"))
