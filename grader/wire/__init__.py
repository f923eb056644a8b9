"""The protocol between the judge and a worker: framed JSON and raw tensor bytes, nothing pickled.

Both sides run this code. What comes from the other side is checked before anything is
allocated; whoever breaks the protocol is a `Violation` on the side that notices.
"""
