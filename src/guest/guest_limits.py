"""Resource limits of each process."""
import resource


def set_limits(limits):
    for name, value in limits.items():
        which = getattr(resource, "RLIMIT_" + name)
        soft, hard = value
        _, ceiling = resource.getrlimit(which)
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(which, (soft, hard))
