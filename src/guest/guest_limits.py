"""Resource limits of each process, and a filter of system calls that no limit counts."""
import resource

from c_library import Filter


def set_limits(job):
    for name, value in job["limits"].items():
        which = getattr(resource, "RLIMIT_" + name)
        soft, hard = value
        _, ceiling = resource.getrlimit(which)
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(which, (soft, hard))
    if job.get("filter"):
        Filter(bytes.fromhex(job["filter"])).load()
