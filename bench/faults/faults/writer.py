"""The stand-in writer: one thread a node writes rows to that node alone, and notes which COMMITs were acknowledged.

It does two things. Alone it proves that strict synchronous mode loses no acknowledged row. Beside the notary it measures
what Patroni needs: since no thread searches for the primary, the gap between two acknowledgements, over all threads, is
the time in which no node took writes.
"""

import threading
import time
from collections import Counter

import psycopg

from .cluster import PASSWORD, SUPERUSER, Cluster, Node
from .system import say, wait_until

DATABASE = "writer"
PAUSE = 0.02
# A thread connects anew so soon after a failure. A standby answers within a millisecond that it reads only.
AGAIN = 0.1


class Writer:
    """Writes to every node until it is told to stop."""

    def __init__(self, cluster: Cluster):
        self.cluster = cluster
        self.acknowledged: set[tuple[int, int]] = set()
        self.in_doubt: set[tuple[int, int]] = set()
        self.acknowledged_at: list[float] = []
        self.failures: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.threads: list[threading.Thread] = []

    def make_table(self) -> None:
        """Makes the database and its table on the primary."""
        primary = self.cluster.primary()
        with primary.connect() as connection:
            connection.execute(f"CREATE DATABASE {DATABASE}")
        with primary.connect(DATABASE) as connection:
            connection.execute(
                "CREATE TABLE rows (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, writer INT NOT NULL, "
                "number BIGINT NOT NULL, filler TEXT NOT NULL, UNIQUE (writer, number))"
            )

    def start(self) -> None:
        """Starts a thread a node."""
        for node in self.cluster.nodes:
            thread = threading.Thread(target=self.write_to, args=(node,), daemon=True)
            thread.start()
            self.threads.append(thread)
        wait_until("the first row is acknowledged", lambda: self.acknowledged_at, 30)

    def stop(self) -> None:
        """Ends the threads. One that hangs on a stopped node ends with the process."""
        self.over.set()
        for thread in self.threads:
            thread.join(5)

    def write_to(self, node: Node) -> None:
        """Writes to one node, for ever, with a new connection after each failure."""
        number = 0
        while not self.over.is_set():
            try:
                with psycopg.connect(host=node.host, dbname=DATABASE, user=SUPERUSER, password=PASSWORD, connect_timeout=2,
                                     application_name="writer", tcp_user_timeout=5000) as connection:
                    notices: list[str] = []
                    connection.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
                    while not self.over.is_set():
                        number += 1
                        self.write(connection, notices, node.number, number)
                        time.sleep(PAUSE)
            except psycopg.Error as error:
                with self.lock:
                    self.failures[f"{type(error).__name__}: {str(error).splitlines()[0][:80]}"] += 1
                self.over.wait(AGAIN)

    def write(self, connection: psycopg.Connection, notices: list[str], writer: int, number: int) -> None:
        """Writes one row. It is in doubt from the COMMIT on, until the COMMIT is acknowledged without a notice."""
        connection.execute("INSERT INTO rows (writer, number, filler) VALUES (%s, %s, %s)", (writer, number, "x" * 200))
        row = (writer, number)
        with self.lock:
            self.in_doubt.add(row)
        connection.commit()
        # "canceling wait for synchronous replication" comes with a COMMIT that is acknowledged all the same.
        if notices:
            raise psycopg.OperationalError(f"notice with a COMMIT: {notices.pop()}")
        with self.lock:
            self.in_doubt.discard(row)
            self.acknowledged.add(row)
            self.acknowledged_at.append(time.monotonic())

    def gap(self, since: float, until: float) -> float:
        """The longest time without an acknowledgement between two moments, in seconds."""
        with self.lock:
            return longest_gap(self.acknowledged_at, since, until)

    def check(self) -> dict:
        """Compares what was acknowledged with what the primary has, by a transaction that writes (an old one cannot)."""
        with self.cluster.primary().connect(DATABASE) as connection:
            with connection.transaction():
                connection.execute("INSERT INTO rows (writer, number, filler) VALUES (0, %s, 'check')", (time.time_ns(),))
                rows = set(connection.execute("SELECT writer, number FROM rows WHERE writer > 0").fetchall())
        lost = self.acknowledged - rows
        landed = self.in_doubt & rows
        for row in sorted(lost)[:5]:
            say(f"LOST: row {row[1]} of the writer to n{row[0]}")
        return {
            "rows acknowledged": len(self.acknowledged),
            "acknowledged rows lost": len(lost),
            "COMMITs in doubt": len(self.in_doubt),
            "of them landed": len(landed),
            "rows nobody wrote": len(rows - self.acknowledged - self.in_doubt),
        }


def longest_gap(moments: list[float], since: float, until: float) -> float:
    """The longest time between two of the moments, of which the later is after `since`, or to the end `until`."""
    before = [moment for moment in moments if moment <= since]
    last = before[-1] if before else since
    longest = 0.0
    for moment in [*(moment for moment in moments if since < moment <= until), until]:
        longest = max(longest, moment - last)
        last = moment
    return longest
