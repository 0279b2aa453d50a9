"""The skill of the zygote's rehearsal."""


def main(args):
    return args
