"""A parameter server that survives kills of its workers: the others and the successor of the killed one form another job, and go on.

torchrun, or anything else that sets RANK and WORLD_SIZE, starts this program once for each member:

    torchrun --standalone --nproc-per-node 4 parameter_server.py DIRECTORY

Rank 0 is the server. It keeps the parameters in its own memory, whatever job it is in, and draws the id of each job, which it writes to a file
in the directory; an empty file says that the work is done. The process of any other rank starts a worker, and another if that one dies: torchrun
would end all. The directory has no such file at the beginning. The module `start` is that of ferrite_start(7), in a file beside this one.
"""
import os
import subprocess
import sys
import threading
import time

import numpy
import start
from start import shmem

# The workers find the line y = 3 x - 2 by some of its points.
SLOPE, OFFSET, RATE = 3, -2, 0.05
DONE = 2**64 - 1  # in place of a step: there are no more
DEATHS_MAX, SECONDS_MAX = 100, 300

if len(sys.argv) < 2 or not {"RANK", "WORLD_SIZE"} <= os.environ.keys():
    sys.exit("usage: parameter_server.py DIRECTORY [STEPS], with RANK and WORLD_SIZE")
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
id_file = os.path.join(sys.argv[1], "id")
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1000


def job(uid, body):
    """Run `body` in the job of this id. True if the job was whole to its end."""
    try:
        start.join(uid, rank, size, start.LOSS_RETURNS)
    except RuntimeError as error:
        print(f"rank {rank}: {error}", file=sys.stderr)
        return False
    arrays = []  # kept until the end of the job, as ferrite_start(7) says
    try:
        # The weights; at the server, two gradients of each worker; at the server, the last step of each, and at a worker the step to be done.
        for length, kind in (2, float), (2 * size, float), (size, "uint64"):
            arrays.append(shmem.zeros(length, dtype=kind))
        body(*arrays)
    except MemoryError:
        if not start.is_broken():
            raise
    if not start.is_broken():
        shmem.finalize()
    if start.is_broken():
        start.abandon()
        return False
    return True


def send(target, values, turn, step, pe):
    """Put the values, and then the step. Both are without effect if the job is broken."""
    shmem.put(target, values, pe)
    shmem.fence()
    shmem.put(turn, numpy.array([step], dtype="uint64"), pe)


def publish(uid):
    """Replace the file as a whole: each reader finds one id or the next."""
    with open(id_file + ".new", "wb") as file:
        file.write(uid)
    os.replace(id_file + ".new", id_file)


class Server:
    def __init__(self):
        self.weights, self.step = numpy.zeros(2), 0

    def lead(self, weights, gradients, turns):
        """The server's part of a job. A step changes the model only when all workers have done it, so a broken job leaves none half done."""
        workers = range(1, size)
        print(len(workers), "workers from step", self.step + 1, flush=True)
        while self.step < steps:
            step = self.step + 1
            for worker in workers:
                send(weights, self.weights, turns[:1], step, worker)
            for worker in workers:
                shmem.wait_until(turns[worker:worker + 1], shmem.CMP.EQ, step)
            if start.is_broken():  # some waits have returned without the step
                return
            self.weights -= RATE * gradients[2:].reshape(-1, 2).mean(axis=0)
            self.step = step
        for worker in workers:
            send(weights, self.weights, turns[:1], DONE, worker)

    def serve(self):
        if os.path.exists(id_file):
            sys.exit(f"parameter_server: {id_file} is there already: another run has left it")
        for _ in range(DEATHS_MAX):
            uid = start.draw()
            publish(uid)
            if not job(uid, self.lead) and self.step < steps:
                print("lost a worker after step", self.step, flush=True)
                continue
            publish(b"")
            slope, offset = self.weights
            print(f"{self.step} steps: y = {slope:.6f} x + {offset:.6f}", flush=True)
            return
        sys.exit(f"parameter_server: {DEATHS_MAX} jobs have been broken")


def follow(weights, gradients, turns):
    """A worker's part of a job: the gradient of the squared error at its own points, for each step."""
    points = numpy.array([rank, -rank / 2]) / size
    last = 0
    while True:
        shmem.wait_until(turns[:1], shmem.CMP.NE, last)
        last = int(turns[0])
        if start.is_broken() or last == DONE:
            return
        errors = (weights[0] - SLOPE) * points + (weights[1] - OFFSET)
        time.sleep(0.001)  # in place of more to compute
        mine = slice(2 * rank, 2 * rank + 2)
        send(gradients[mine], numpy.array([errors @ points, errors.sum()]), turns[rank:rank + 1], last, 0)


def next_id(last):
    """Wait for another id than the last one. Empty if the work is done."""
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end:
        if os.path.exists(id_file):
            with open(id_file, "rb") as file:
                uid = file.read()
            if uid != last:
                return uid
        time.sleep(0.005)
    sys.exit(f"worker {rank}: no other id came within {SECONDS_MAX} s")


def end_with_supervisor():
    """Nothing is written to this pipe. It is closed when the supervisor ends, however it ends."""
    os.read(0, 1)
    os._exit(1)


def work():
    threading.Thread(target=end_with_supervisor, daemon=True).start()
    print("worker", rank, "is process", os.getpid(), flush=True)
    uid = next_id(None)
    while uid and not job(uid, follow):
        uid = next_id(uid)


def supervise():
    """Start a worker, again and again until one has come to its end."""
    environment = {**os.environ, "IS_WORKER": "1"}
    for _ in range(DEATHS_MAX):
        with subprocess.Popen([sys.executable] + sys.argv, env=environment, stdin=subprocess.PIPE) as worker:
            if worker.wait() == 0:
                return
    sys.exit(f"parameter_server: {DEATHS_MAX} workers have died")


if rank == 0:
    Server().serve()
elif "IS_WORKER" in os.environ:
    work()
else:
    supervise()
