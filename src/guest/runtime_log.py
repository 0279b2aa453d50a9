"""The module `runtime.log`: log lines with a level."""
import sys
import types

LEVELS = ("debug", "info", "warning", "error")
PIECE = 64 * 1024


def make_log(drafts):
    def writer(level):
        def write(msg):
            text = str(msg)
            channel = drafts.channel
            if not channel.is_own():
                # Only the first process may write to the channel, not one that the skill started.
                sys.stderr.write("[%s] %s\n" % (level, text))
                sys.stderr.flush()
                return
            # Keeps the order with output that was printed before.
            for stream in (sys.stdout, sys.stderr):
                try:
                    stream.flush()
                except Exception:
                    pass
            for start in range(0, len(text), PIECE) or (0,):
                piece = text[start : start + PIECE]
                last = start + PIECE >= len(text)
                channel.send_json(b"L", {"level": level, "text": piece, "last": last})

        write.__name__ = level
        write.__doc__ = "Writes a line of level %s to the logs of this run." % level
        return write

    module = types.ModuleType("runtime.log", "Lines with a level among the run's logs.")
    for level in LEVELS:
        setattr(module, level, writer(level))
    return module
