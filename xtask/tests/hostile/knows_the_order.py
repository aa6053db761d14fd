"""It answers well as long as the calls come in the order of the files."""

from base import *

USUAL = [(2,), (2,), (2,), (2,), (1, 2), (), (2, 1)]


def serve_all():
    line.sendall(greeting())
    so_far = []
    for call in calls():
        so_far.append(call.shape)
        known = so_far == USUAL[: len(so_far)]
        line.sendall(right(call) if known else result(call, F32, [9], bytes(36)))


serve_all()
