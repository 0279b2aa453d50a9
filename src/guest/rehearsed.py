"""The skill that the zygote rehearses runs with."""


def main(args):
    return args
