"""It ends over every call."""

from base import *

line.sendall(greeting())
for call in calls():
    os._exit(3)
