from greetings import GREETINGS
from runtime import log


def main(args):
    log.info(f"Greeting in {args['language']}")
    greeting = f"{GREETINGS[args['language']]}, {args['name']}!"
    return {"summary": greeting, "greeting": greeting}
