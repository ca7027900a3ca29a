"""An adapter whose processes train together: each sends its sums to the first one, which adds them up."""

import pathlib
import signal
import socket
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "adapters"))
import script

FAULTS = ("none", "drift", "wait", "exit")


class Meeting(script.Worker):
    IMPLEMENTATION = {
        **script.IMPLEMENTATION,
        "id": "script/meeting",
        "capabilities": ["ranks"],
        "options": [
            *script.IMPLEMENTATION["options"],
            {"key": "fault", "type": "choice", "default": "none", "choices": FAULTS, "description": "of the last rank"},
        ],
    }

    def prepare(self, request):
        super().prepare(request)
        self.rank, addresses = request["ranks"]["rank"], request["ranks"]["addresses"]
        self.fault = request["options"]["fault"] if self.rank == len(addresses) - 1 else "none"
        part, larger = divmod(self.rows, len(addresses))
        first = self.rank * part + min(self.rank, larger)
        self.indices = range(first, first + part + (self.rank < larger))
        host, port = addresses[0].split(":")
        if self.rank == 0:
            with socket.create_server((host, int(port))) as server:
                self.others = [server.accept()[0] for _ in addresses[1:]]
        else:
            self.others = [self.connected(host, int(port))]
        return {}

    @staticmethod
    def connected(host, port):
        while True:
            try:
                return socket.create_connection((host, port))
            except ConnectionRefusedError:
                continue

    @staticmethod
    def received(other, count):
        data = other.recv(8 * count, socket.MSG_WAITALL)
        if len(data) < 8 * count:
            raise script.Unsupported("another rank has gone")
        return struct.unpack(f"{count}d", data)

    def sums(self):
        gradients = super().sums()
        flat = [value for gradient in gradients for value in gradient]
        if self.fault == "wait":
            signal.pause()
        if self.fault == "exit":
            sys.exit("nothing goes on")
        if self.rank == 0:
            for other in self.others:
                flat = [mine + added for mine, added in zip(flat, self.received(other, len(flat)))]
            for other in self.others:
                other.sendall(struct.pack(f"{len(flat)}d", *flat))
        else:
            self.others[0].sendall(struct.pack(f"{len(flat)}d", *flat))
            flat = self.received(self.others[0], len(flat))
        values = iter(flat)
        drift = 1.0001 if self.fault == "drift" else 1.0
        return [[next(values) * drift for _ in gradient] for gradient in gradients]


script.serve(Meeting())
