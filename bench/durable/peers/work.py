"""The work that every peer does, and what is the same in measuring them.

A run proposes one call, waits for a person, makes the call, which appends a line to a file, and ends.
"""

import argparse
import json
import os
import signal
import sys
import time


def arguments():
    """PEER ENGINE PLACE WHAT: what is asked of a peer, and where it may keep things."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=["sqlite", "postgres"])
    parser.add_argument("folder", help="for files")
    parser.add_argument("what", choices=["speed", "size", "kills"])
    parser.add_argument("--url", help="of the database, for postgres")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--single", type=int, default=0, help="of those runs, answered one after the other")
    return parser.parse_args()


def call(name):
    """The call that a run proposes: its arguments have 100 bytes as JSON."""
    return {"tool": "append", "args": {"line": name.ljust(89, "x")}}


def append(file, line):
    """The tool. KILL says whether this process dies just before its effect or just after."""
    kill = os.environ.get("KILL")
    if kill == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(descriptor, (line + "\n").encode())
    os.close(descriptor)
    if kill == "after":
        os.kill(os.getpid(), signal.SIGKILL)


def effects(file, line):
    """How often the tool has done its work with this line."""
    try:
        with open(file) as lines:
            return sum(written == line + "\n" for written in lines)
    except FileNotFoundError:
        return 0


def in_a_new_process(work, patience=60):
    """What `work` returns in a process of its own; 'killed', or 'late' if it took too long."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    end = time.monotonic() + patience
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "killed" if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "late"


# What a process that takes up a killed run reports.
WENT_ON, ASKED_AGAIN, STUCK = 10, 11, 12


def kills(file, die, recover, count):
    """Kills a run in its tool, then has another process take it up, again and again."""
    told = {"kills": 0, "answers_lost": 0, "twice": 0, "never": 0, "stuck": 0, "not_reached": 0}
    for number in range(count):
        name = f"kill-{number}-"
        os.environ["KILL"] = "before" if number % 2 == 0 else "after"
        if in_a_new_process(lambda: die(number, name)) != "killed":
            told["not_reached"] += 1
            continue
        del os.environ["KILL"]
        how = in_a_new_process(lambda: recover(number))
        ran = effects(file, call(name)["args"]["line"])
        told["kills"] += 1
        told["answers_lost"] += how == ASKED_AGAIN
        told["stuck"] += how not in (WENT_ON, ASKED_AGAIN)
        told["twice"] += ran > 1
        told["never"] += ran == 0
    tell(**told)


def database_bytes(url):
    """The size of a PostgreSQL database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        return connection.execute("SELECT pg_database_size(current_database())").fetchone()[0]


def file_bytes(path):
    """The size of an SQLite database after a checkpoint."""
    import sqlite3

    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return os.path.getsize(path)


def tell(**figures):
    print(json.dumps(figures), flush=True)
