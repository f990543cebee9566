from __future__ import annotations

import struct
from io import BytesIO
from types import SimpleNamespace

from spark_eventhubs.pure._frames import Frames

HANDLE, DELIVERY, TAG, FORMAT, SETTLED = b"\x43", b"\x52\x01", b"\xa0\x01t", b"\x43", b"\x41"


def transfer(content: bytes, *, more: bool = False, aborted: bool = False) -> bytes:
    """A transfer with each field up to `aborted`."""
    flags = {True: b"\x41", False: b"\x42"}
    fields = [HANDLE, DELIVERY, TAG, FORMAT, SETTLED, flags[more], b"\x50\x00", b"\x40", b"\x42", flags[aborted]]
    values = b"".join(fields)
    frame = b"\x00\x53\x14\xc0" + bytes([len(values) + 1, len(fields)]) + values + content
    return struct.pack(">IBBH", len(frame) + 8, 2, 0, 0) + frame


def messages(*frames: bytes) -> list[bytes]:
    """What a link takes out of them."""
    chunks = [b"".join(frames)]

    def recv(_most: int) -> bytes:
        if not chunks:
            raise TimeoutError
        return chunks.pop()

    transport = SimpleNamespace(sock=SimpleNamespace(recv=recv), _read_buffer=BytesIO(), receive_frame=None)
    session = SimpleNamespace(
        next_incoming_id=0, remote_outgoing_window=99, incoming_window=99, target_incoming_window=99
    )
    connection = SimpleNamespace(_transport=transport, _incoming_endpoints={0: session}, _last_frame_received_time=0)
    taken = Frames(connection)
    taken.take_from(SimpleNamespace(remote_handle=0, _session=session, current_link_credit=9, delivery_count=0))
    assert taken.receive_frame() == (None, None)
    return taken.taken()


def test_a_message_may_come_in_several_transfers() -> None:
    assert messages(transfer(b"a"), transfer(b"b", more=True), transfer(b"c")) == [b"a", b"bc"]


def test_a_message_that_its_sender_gives_up_is_none() -> None:
    assert messages(transfer(b"a", more=True), transfer(b"", aborted=True), transfer(b"b")) == [b"b"]
