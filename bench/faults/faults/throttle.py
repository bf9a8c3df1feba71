"""A throttling TCP proxy: python -m faults.throttle FILE FIRST_PORT HOST:PORT...

It listens on 127.0.0.1 at FIRST_PORT and the ports after it, one a server, and passes bytes on to that server. FILE holds
two numbers: the bytes per second of each direction of a connection (0: no bound), and the seconds by which each
chunk is late. It is read again each half second.
"""

import asyncio
import contextlib
import sys
from pathlib import Path

CHUNK = 16384
CONNECT_SECONDS = 3


class Bounds:
    """The bounds in force."""

    def __init__(self, file: Path):
        self.file = file
        self.rate, self.delay = 0.0, 0.0

    async def follow(self) -> None:
        """Reads the file again and again."""
        while True:
            # It may be half written; the next reading has the whole.
            with contextlib.suppress(ValueError, OSError):
                rate, delay = self.file.read_text().split()
                self.rate, self.delay = float(rate), float(delay)
            await asyncio.sleep(0.5)


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, bounds: Bounds) -> None:
    """Passes bytes on in one direction, until its end."""
    with contextlib.suppress(OSError, asyncio.CancelledError):
        while chunk := await reader.read(CHUNK):
            if bounds.rate or bounds.delay:
                await asyncio.sleep(bounds.delay + (len(chunk) / bounds.rate if bounds.rate else 0))
            writer.write(chunk)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()


async def serve(server: str, port: int, bounds: Bounds) -> asyncio.Server:
    """Listens for one server."""
    host, _, their_port = server.rpartition(":")

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            theirs = await asyncio.wait_for(asyncio.open_connection(host, int(their_port)), CONNECT_SECONDS)
        except (OSError, asyncio.TimeoutError):
            writer.close()
            return
        await asyncio.gather(pump(reader, theirs[1], bounds), pump(theirs[0], writer, bounds))

    return await asyncio.start_server(connected, "127.0.0.1", port)


async def main() -> None:
    bounds = Bounds(Path(sys.argv[1]))
    servers = [await serve(server, int(sys.argv[2]) + number, bounds) for number, server in enumerate(sys.argv[3:])]
    # A server that nobody refers to may be collected.
    await asyncio.gather(bounds.follow(), *(server.serve_forever() for server in servers))


if __name__ == "__main__":
    asyncio.run(main())
