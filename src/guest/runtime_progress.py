"""The function `runtime.progress`. At most one message per interval is sent, so that a loop may
call it for each of its steps.
"""
import json
import math
import time

INTERVAL_SECONDS = 0.1
MESSAGE_LIMIT = 500


class Progress:
    def __init__(self, drafts):
        self._drafts = drafts
        self._sent_at = -math.inf
        self._pending = None

    def report(self, done, total, message=None):
        """Reports that `done` of `total` steps are complete, with an optional text."""
        total = check_number("total", total, math.inf)
        done = check_number("done", done, total)
        if message is not None and not isinstance(message, str):
            raise TypeError("runtime.progress: expected message to be text, got %s" % type(message).__name__)
        self._pending = (done, total, message)
        if time.monotonic() - self._sent_at >= INTERVAL_SECONDS:
            self.flush()

    def flush(self):
        """Sends the latest values, which may still wait for the end of the interval."""
        pending, self._pending = self._pending, None
        channel = self._drafts.channel
        # Only the first process may write to the channel, not one that the skill started.
        if pending is None or not channel.is_own():
            return
        self._sent_at = time.monotonic()
        done, total, message = pending
        value = {"done": done, "total": total}
        if message:
            value["message"] = message[:MESSAGE_LIMIT]
        channel.send(b"P", json.dumps(value).encode("ascii"))


def check_number(name, value, largest):
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError("runtime.progress: expected %s to be a number, got %s" % (name, type(value).__name__))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if 0 <= number <= largest and math.isfinite(number):
        return int(number) if number.is_integer() else number
    limit = "" if largest == math.inf else " and at most the total, %s" % largest
    raise ValueError("runtime.progress: expected %s to be at least 0%s, got %.100s" % (name, limit, value))
