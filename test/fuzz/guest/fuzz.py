"""Coverage-guided fuzzing of code of the guest: mutates inputs, and keeps those that reach new
lines. Prints one JSON document. No target starts a process or sends a signal.
"""
import argparse
import base64
import json
import os
import random
import resource
import signal
import sys
import time
import traceback

GUEST = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../src/guest"))
sys.path.insert(0, GUEST)

import targets  # noqa: E402

MAX_BYTES = 16 * 1024
# Of processor time. Usual inputs take microseconds to milliseconds.
HANG_S = 20
MEMORY_BYTES = 2 << 30
EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)
MAX_ATTEMPTS = 300


class Coverage:
    """Lines of the guest that were executed."""

    def __init__(self):
        self.reached = set()
        self._executed = set()

    def trace(self, frame, event, _):
        if event == "call" and not frame.f_code.co_filename.startswith(GUEST):
            return None
        self._executed.add((frame.f_code.co_filename, frame.f_lineno))
        return self.trace

    def run(self, work):
        """True if the work reached a new line."""
        self._executed = set()
        sys.settrace(self.trace)
        try:
            work()
        finally:
            sys.settrace(None)
        if self._executed <= self.reached:
            return False
        self.reached |= self._executed
        return True


def mutate(numbers, corpus, words):
    data = bytearray(numbers.choice(corpus[-16:] if numbers.random() < 0.5 else corpus))
    for _ in range(numbers.randint(1, 4)):
        at = numbers.randint(0, len(data))
        end = min(len(data), at + numbers.choice((0, 1, 4, 16)))
        action = numbers.randint(0, 5)
        if action == 0 and data:
            data[at % len(data)] = numbers.randint(0, 255)
        elif action == 1:
            data[at:end] = numbers.choice(words)
        elif action == 2:
            del data[at:end]
        elif action == 3:
            data[at:at] = data[at:end]
        elif action == 4:
            width = numbers.choice((1, 2, 4))
            number = numbers.choice((*EDGES, max(0, len(data) - at - width)))
            data[at : at + width] = (number % (1 << 8 * width)).to_bytes(width, "big")
        else:
            other = numbers.choice(corpus)
            data[at:] = other[numbers.randint(0, len(other)) :]
    return bytes(data[:MAX_BYTES])


def attempt(check, data):
    """Returns the message of a failed check; None if it passed."""

    def on_alarm(*_):
        raise TimeoutError("hangs: no answer in %d s" % HANG_S)

    signal.signal(signal.SIGVTALRM, on_alarm)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANG_S)
    try:
        check(data)
        return None
    except BaseException:
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def minimise(check, data, message):
    kind = message.strip().splitlines()[-1][:40]
    attempts, size = 0, max(1, len(data) // 2)
    while size >= 1:
        at = 0
        while at < len(data) and attempts < MAX_ATTEMPTS:
            attempts += 1
            shorter = data[:at] + data[at + size :]
            found = attempt(check, shorter)
            if found and found.strip().splitlines()[-1][:40] == kind:
                data = shorter
            else:
                at += size
        size //= 2
    return data


def search(check, words, corpus, options):
    numbers, coverage = random.Random(options.seed), Coverage()
    deadline = time.monotonic() + options.seconds
    kept, executions, corpus = [], 0, list(corpus)
    queue = list(corpus)
    while queue or time.monotonic() < deadline:
        data = queue.pop(0) if queue else mutate(numbers, corpus, words)
        executions += 1
        result = []
        is_new = coverage.run(lambda: result.append(attempt(check, data)))
        if result[0] is not None:
            data = minimise(check, data, result[0])
            return executions, kept, coverage, (data, attempt(check, data) or result[0])
        if is_new and data not in corpus:
            corpus.append(data)
            kept.append(data)
    return executions, kept, coverage, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--planted", action="store_true")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    target = targets.TARGETS[options.target]
    added = [base64.b64decode(each) for each in json.load(sys.stdin)]
    corpus = added if options.seconds == 0 and added else [*target.SEEDS, *added]
    found = search(target(options.planted), target.WORDS, corpus, options)
    executions, kept, coverage, finding = found
    print(json.dumps({
        "executions": executions,
        "kept": [base64.b64encode(each).decode() for each in kept],
        "covered": len(coverage.reached),
        "finding": finding and {
            "input": base64.b64encode(finding[0]).decode(),
            "message": finding[1],
        },
    }))


if __name__ == "__main__":
    main()
