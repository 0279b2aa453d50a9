def main(args):
    greeting = f"Hello, {args['name']}!"
    return {"summary": greeting, "greeting": greeting}
