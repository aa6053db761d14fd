"""Hands the judge's connection to the process that listens at the socket named on the command line.

The judge starts this program as the worker. It stays until the process that answers is done, so that the judge sees the
end of a conversation, and can end one that takes too long.
"""

import socket
import sys

connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
socket.send_fds(connection, [b"x"], [0])
connection.recv(1)
