"""LangGraph: a node whose tool is guarded by `interrupt`, a checkpointer, `durability="sync"`."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

import work

ASKED = work.arguments()
FILE = os.path.join(ASKED.folder, "effects")
DATABASE = os.path.join(ASKED.folder, "langgraph.db")


class State(TypedDict, total=False):
    run: str
    call: dict
    result: str


def propose(state):
    return {"call": work.call(state["run"])}


def act(state):
    if interrupt(state["call"]) != "approve":
        return {"result": "rejected"}
    work.append(FILE, state["call"]["args"]["line"])
    return {"result": "appended"}


def opened():
    """The graph over its database. What is returned beside it keeps the connections open."""
    if ASKED.engine == "sqlite":
        from langgraph.checkpoint.sqlite import SqliteSaver

        connection = SqliteSaver.from_conn_string(DATABASE)
        saver = connection.__enter__()
    else:
        from langgraph.checkpoint.postgres import PostgresSaver
        from psycopg.rows import dict_row
        from psycopg_pool import ConnectionPool

        settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        size = max(ASKED.clients, 1)
        connection = ConnectionPool(ASKED.url, min_size=size, max_size=size, kwargs=settings, open=True)
        saver = PostgresSaver(connection)
    saver.setup()
    graph = StateGraph(State)
    graph.add_node("propose", propose)
    graph.add_node("act", act)
    graph.add_edge(START, "propose")
    graph.add_edge("propose", "act")
    graph.add_edge("act", END)
    return connection, graph.compile(checkpointer=saver)


def named(number):
    return {"configurable": {"thread_id": f"run-{number}"}}


def start(graph, number, name):
    graph.invoke({"run": name}, named(number), durability="sync")


def resume(graph, number):
    return graph.invoke(Command(resume="approve"), named(number), durability="sync")


def size():
    return work.file_bytes(DATABASE) if ASKED.engine == "sqlite" else work.database_bytes(ASKED.url)


def rate(step):
    begin = time.perf_counter()
    with ThreadPoolExecutor(ASKED.clients) as clients:
        list(clients.map(step, range(ASKED.runs)))
    return ASKED.runs / (time.perf_counter() - begin)


def speed():
    connection, graph = opened()
    to_wait = rate(lambda number: start(graph, number, f"run-{number}-"))
    resumes = rate(lambda number: resume(graph, number))
    assert sum(1 for _ in open(FILE)) == ASKED.runs
    work.tell(to_wait=to_wait, resumes=resumes)


def sizes():
    connection, graph = opened()
    before = size()
    for number in range(ASKED.runs):
        start(graph, number, f"run-{number}-")
    work.tell(bytes=(size() - before) / ASKED.runs)


def die(number, name):
    connection, graph = opened()
    start(graph, number, name)
    resume(graph, number)
    return work.STUCK


def recover(number):
    """Somebody must call it again; if it then stops at its question, the answer is lost."""
    connection, graph = opened()
    if graph.invoke(None, named(number), durability="sync").get("result") == "appended":
        return work.WENT_ON
    return work.ASKED_AGAIN if resume(graph, number).get("result") == "appended" else work.STUCK


if ASKED.what == "speed":
    speed()
elif ASKED.what == "size":
    sizes()
else:
    work.in_a_new_process(lambda: opened() and 0)
    work.kills(FILE, die, recover, ASKED.runs)
os._exit(0)
