/** Finds the channel and its key, as hostile code in the harness's process could. */
export const FORGE = `import gc, json, os, sys, time, zlib

def find_channel():
    for each in gc.get_objects():
        if type(each).__name__ == "Channel":
            return each

def frame(kind, content):
    head = find_channel()._key + kind + len(content).to_bytes(4, "big")
    return head + zlib.crc32(content).to_bytes(4, "big") + content

def forge(kind, content):
    rest = frame(kind, content)
    while rest: rest = rest[os.write(find_channel()._fd, rest):]

def forged_result(value):
    return json.dumps({"output": json.dumps(value)}).encode()
`

/** Builds a `main` function with this body, after the code that forges frames. */
export function wrapForgingMain(lines: string): string {
  return `${FORGE}\n${wrapMain(lines)}`
}

/** Builds a `main` function with this body. */
export function wrapMain(lines: string): string {
  const body = lines
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
  return `import ctypes, gc, json, os, resource, signal, socket, subprocess, sys, threading, time\n\ndef main(args):\n${body}\n`
}
