"""It never answers, and ignores what would end it politely."""

from base import *

signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
serve(lambda call: hang())
