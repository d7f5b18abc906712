"""How long a judge waits for the next question while the server of the pages is under load.

`python -m benchmarks.pages` serves a session of 2,500 votes and opens 200 idle connections, 120 that send a byte every
three seconds, and 12 watchers of the standings; then one judge answers 100 questions, which also makes new standings.
"""

import http.client
import itertools
import json
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, closing
from urllib.parse import urlsplit

from duelbench import Session

ARMS, VOTES, IDLE, SLOW, WATCHERS, QUESTIONS = 20, 2_500, 200, 120, 12, 100
PAUSE = 3
"""Seconds between two bytes of a slow connection, and between two looks at the standings, as the page does it."""


def answer():
    """Return the answer to a question."""
    return random.choice(["first", "second", "tie"])


def make_session(directory):
    """Make a session whose judges have answered ``VOTES`` questions."""
    session = Session.create(directory, "d-ts", [f"arm {k}" for k in range(ARMS)], seed=1)
    for number in range(VOTES):
        (ask,) = session.ask(1, f"judge {number % WATCHERS}")
        session.tell(ask.id, answer(), ask.judge)


def connection(link):
    """Return a new connection."""
    return socket.create_connection((link.hostname, link.port))


def crawl(link, stop):
    """Send a request byte by byte."""
    with connection(link) as sent:
        for byte in itertools.cycle(b"GET / HTTP/1.1\r\nX: "):
            sent.sendall(bytes([byte]))
            if stop.wait(PAUSE):
                return


def watch(link, stop):
    """Look at the standings until the end."""
    with closing(http.client.HTTPConnection(link.hostname, link.port)) as client:
        while not stop.wait(PAUSE):
            client.request("GET", f"{link.path}standings")
            client.getresponse().read()


def judge(link, questions):
    """Answer questions; return how many seconds each next question took."""
    request, waits = {"ask": 1}, []
    with closing(http.client.HTTPConnection(link.hostname, link.port, timeout=60)) as client:
        for _ in range(questions + 1):
            began = time.perf_counter()
            body = json.dumps({**request, "judge": "ann"})
            client.request("POST", link.path, body, {"Content-Type": "application/json"})
            page = json.loads(client.getresponse().read())["html"]
            waits.append(time.perf_counter() - began)
            request = {"tell": int(re.search(r'"tell": (\d+)', page)[1]), "answer": answer()}
    return waits[1:]


def main(questions=QUESTIONS):
    """Print the median and the longest wait."""
    with tempfile.TemporaryDirectory() as directory, ExitStack() as at_end:
        make_session(directory)
        serve = [sys.executable, "-m", "duelbench", "session", "serve", directory, "--http", "--port", "0"]
        server = at_end.enter_context(subprocess.Popen(serve, stdout=subprocess.PIPE, text=True))
        at_end.callback(server.terminate)
        link, stop = urlsplit(server.stdout.readline().split()[-1].removesuffix("?judge=NAME")), threading.Event()
        for _ in range(IDLE):
            at_end.enter_context(connection(link))
        others = [threading.Thread(target=crawl, args=(link, stop)) for _ in range(SLOW)]
        others += [threading.Thread(target=watch, args=(link, stop)) for _ in range(WATCHERS)]
        for each in others:
            each.start()
            at_end.callback(each.join)
        at_end.callback(stop.set)
        stop.wait(2 * PAUSE)
        waits = judge(link, questions)
        print(f"{questions} questions: {statistics.median(waits):.3f} s (median), {max(waits):.3f} s (longest)")


if __name__ == "__main__":
    main()
