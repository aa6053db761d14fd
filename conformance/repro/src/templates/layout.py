@if transposed@DATA = DATA.copy(order="F")
@if reversed@DATA = np.flip(np.flip(DATA).copy())
@if sliced@
LARGER = np.empty(@LARGER@, DATA.dtype)
LARGER.reshape(-1).view(np.uint8)[...] = 0xFF
LARGER[@CUT@] = DATA
DATA = LARGER[@CUT@]
@end@
@if broadcast@DATA = np.broadcast_to(DATA[@ONCE@].copy(), DATA.shape)
@if unaligned@DATA = np.frombuffer(bytes(1) + DATA.tobytes(), DATA.dtype, offset=1).reshape(DATA.shape)
