"""Every result has ten million elements."""

from base import *

line.sendall(greeting())
for call in calls():
    line.sendall(result(call, U8, [10**7], bytes(10**7)))
