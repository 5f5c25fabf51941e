"""DBOS: a workflow that waits with `recv` and whose tool is a step."""

import sqlite3
import sys

if sqlite3.sqlite_version_info < (3, 42):  # its tables need `unixepoch('subsec')`
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3

import asyncio
import os
import time

from dbos import DBOS, SetWorkflowID

import work

ASKED = work.arguments()
FILE = os.path.join(ASKED.folder, "effects")
DATABASE = os.path.join(ASKED.folder, "dbos.db")
waiting = 0


@DBOS.step()
async def propose(run):
    return work.call(run)


@DBOS.step()
async def act(call):
    work.append(FILE, call["args"]["line"])
    return "appended"


@DBOS.workflow()
async def agent(run):
    global waiting
    call = await propose(run)
    waiting += 1
    answer = await DBOS.recv_async("approval", timeout_seconds=24 * 3600)
    return await act(call) if answer == "approve" else "rejected"


def launch():
    url = f"sqlite:///{DATABASE}" if ASKED.engine == "sqlite" else ASKED.url
    settings = {"name": "peer", "system_database_url": url, "run_admin_server": False, "log_level": "ERROR"}
    DBOS(config={**settings, "application_version": "1", "executor_id": "one"})
    DBOS.launch()


def size():
    return work.file_bytes(DATABASE) if ASKED.engine == "sqlite" else work.database_bytes(ASKED.url)


async def start(number, name):
    with SetWorkflowID(f"run-{number}"):
        return await DBOS.start_workflow_async(agent, name)


async def all_wait(count, patience=120):
    end = time.monotonic() + patience
    while waiting < count:
        assert time.monotonic() < end, "the runs did not come to their wait"
        await asyncio.sleep(0.001)


async def started(count):
    """All runs waiting, with at most so many on their way at once as there are clients; and how many a second."""
    begin = time.perf_counter()
    runs = []
    for number in range(count):
        runs.append(await start(number, f"run-{number}-"))
        while number + 1 - waiting > ASKED.clients:
            await asyncio.sleep(0.001)
    await all_wait(count)
    return runs, count / (time.perf_counter() - begin)


async def resume(number, run):
    await DBOS.send_async(f"run-{number}", "approve", topic="approval")
    assert await run.get_result() == "appended"


async def speed():
    runs, to_wait = await started(ASKED.runs)
    begin = time.perf_counter()
    for number in range(ASKED.single):
        await resume(number, runs[number])
    single = ASKED.single / (time.perf_counter() - begin)
    places = asyncio.Semaphore(ASKED.clients)

    async def one(number):
        async with places:
            await resume(number, runs[number])

    begin = time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(ASKED.single, ASKED.runs)))
    resumes = (ASKED.runs - ASKED.single) / (time.perf_counter() - begin)
    work.tell(to_wait=to_wait, resumes=resumes, single=single)


async def sizes():
    before = size()
    await started(ASKED.runs)
    await asyncio.sleep(1)
    work.tell(bytes=(size() - before) / ASKED.runs)


def die(number, name):
    async def go():
        run = await start(number, name)
        await all_wait(1)
        await resume(number, run)

    launch()
    asyncio.run(go())
    return work.STUCK


def recover(number):
    """A new process takes up what it finds, unasked."""

    async def go():
        run = await DBOS.retrieve_workflow_async(f"run-{number}")
        try:
            return work.WENT_ON if await asyncio.wait_for(run.get_result(), 15) == "appended" else work.STUCK
        except asyncio.TimeoutError:
            return work.STUCK

    launch()
    return asyncio.run(go())


if ASKED.what == "kills":
    work.kills(FILE, die, recover, ASKED.runs)
else:
    launch()
    asyncio.run(speed() if ASKED.what == "speed" else sizes())
os._exit(0)
