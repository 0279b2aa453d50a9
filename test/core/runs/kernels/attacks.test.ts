// @module-tag slow
import { describe, expect, it } from 'vitest'
import { openKernels } from './in-kernel.ts'

/** A frame with the result `"forged"`, and a key that is sent to all channels that are found. */
const FORGE = `
import binascii, os
def frame(key, content=b'{"output": "\\\\"forged\\\\"", "value": "forged"}'):
    return key + b"R" + len(content).to_bytes(4, "big") + binascii.crc32(content).to_bytes(4, "big") + content
def find_sockets():
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink("/proc/self/fd/" + name).startswith("socket:"): found.append(int(name))
        except OSError: pass
    return found
def find_key():
    import gc
    for each in gc.get_objects():
        if type(each).__name__ == "CellChannel": return each._key
`

describe('code of a cell', () => {
  it('cannot end a later cell from a process that it left behind', async () => {
    const { python } = await openKernels()
    await python(FORGE)
    // A forked process has the channel and the key, and sends results all the time.
    const fork = `
import time
key = find_key()
assert key is not None and find_sockets()
if os.fork() == 0:
    os.setsid()
    until = time.monotonic() + 5
    while time.monotonic() < until:
        for fd in find_sockets(): os.write(fd, frame(key))
        time.sleep(0.005)
    os._exit(0)
None`
    expect((await python(fork)).output).toBeNull()
    const { output } = await python('import time\ntime.sleep(0.5)\n"own"')
    expect(output).toBe('own')
  })

  it('could end its own cell by such a frame: the interpreter is the sender', async () => {
    const { python } = await openKernels()
    await python(FORGE)
    // Control: the frame is a valid one if it comes from the right process with the right key.
    const own =
      'import time\nos.write(find_sockets()[0], frame(find_key()))\ntime.sleep(0.2)\n"own"'
    expect((await python(own)).output).toBe('forged')
    // What follows belongs to no cell.
    expect((await python('"next"')).output).toBe('next')
  })

  it('cannot end a later cell with the key of its own', async () => {
    const { python } = await openKernels()
    await python(FORGE)
    const thread = `
import threading, time
key = find_key()
def forge():
    for _ in range(100):
        for fd in find_sockets(): os.write(fd, frame(key))
        time.sleep(0.005)
threading.Thread(target=forge, daemon=True).start()
None`
    await python(thread)
    expect((await python('import time\ntime.sleep(0.3)\n"own"')).output).toBe('own')
  })

  it('ends its kernel by bytes on the channel that are no frame', async () => {
    const { python } = await openKernels()
    await python(FORGE)
    const { status } = await python(
      'import time\nos.write(find_sockets()[0], b"x" * 64)\ntime.sleep(5)\n"own"',
    )
    expect(status).toBe('failed')
    expect((await python('"next"')).output).toBe('next')
  })

  it('cannot replace the functions that report later cells', async () => {
    const { python, node } = await openKernels()
    await python(`
import builtins, json, os, binascii, sys
builtins.repr = lambda value: "forged"
json.dumps = lambda *args, **more: '{"output": "\\\\"forged\\\\""}'
json.JSONEncoder.encode = json.dumps
os.write = lambda fd, data: len(data)
binascii.crc32 = lambda *args: 0
for name in ("kernel", "harness", "channel", "results"):
    assert name not in sys.modules, name
`)
    expect(await python('"own"')).toMatchObject({ output: 'own', kernel: { value: "'own'" } })
    await node(
      `JSON.stringify = () => '{"output":"\\\\"forged\\\\""}'
JSON.parse = () => ({ code: '"forged"' })
require('util').inspect = () => 'forged'
require('fs').writeSync = () => 0
Buffer.concat = () => Buffer.alloc(0)
require('module').syncBuiltinESMExports()
undefined`,
      { kernel: 'n' },
    )
    expect(await node('"own"', { kernel: 'n' })).toMatchObject({
      output: 'own',
      kernel: { value: "'own'" },
    })
  })

  it('cannot inspect or signal the process that supervises it', async () => {
    const { python } = await openKernels()
    const { output } = await python(`
import os
def attempt(work):
    try: return str(work())
    except OSError as error: return type(error).__name__
[attempt(lambda: os.listdir("/proc/1/fd")), attempt(lambda: open("/proc/1/mem", "rb").read(1)),
 attempt(lambda: os.kill(1, 9)), os.getppid()]`)
    expect(output).toEqual(['PermissionError', 'PermissionError', 'None', 1])
    // The first process of a namespace gets no signal from inside.
    expect((await python('1')).output).toBe(1)
  })

  it('prints nothing into a later cell', async () => {
    const { python, node } = await openKernels()
    const left = `
import asyncio, os, subprocess, threading, time
def late():
    time.sleep(0.2)
    print("late thread")
threading.Thread(target=late).start()
threading.Timer(0.2, lambda: os.system("true") or print("late timer")).start()
subprocess.Popen("sleep 0.2; echo late process; echo late >&2", shell=True)
subprocess.Popen("sleep 0.2; echo late daemon", shell=True, start_new_session=True)
async def task():
    await asyncio.sleep(0.2)
    print("late task")
_task = asyncio.get_event_loop().create_task(task()) if False else None
print("first")`
    expect((await python(left)).logs_preview).toBe('first\n')
    const later = 'import asyncio\nawait asyncio.sleep(0.6)\nprint("own")'
    expect((await python(later)).logs_preview).toBe('own\n')
    const leftByNode = `
const { spawn } = require('child_process')
setTimeout(() => { console.log('late timer'); process.stdout.write('late'); require('fs').writeSync(1, 'late') }, 200)
spawn('sh', ['-c', 'sleep 0.2; echo late process; echo late >&2'], { stdio: 'inherit' })
console.log('first')`
    expect((await node(leftByNode, { kernel: 'n' })).logs_preview).toBe('first\n')
    const own = "await new Promise((done) => setTimeout(done, 600)); console.log('own')"
    expect((await node(own, { kernel: 'n' })).logs_preview).toBe('own\n')
  })

  it('would print into the running cell: the control waits for the same processes', async () => {
    const { python } = await openKernels()
    const { logs_preview: logs } = await python(
      'import subprocess, time\nsubprocess.Popen("sleep 0.2; echo late process", shell=True)\ntime.sleep(0.6)',
    )
    expect(logs).toBe('late process\n')
  })

  it('reaches no other kernel of the same caller', async () => {
    const { python } = await openKernels()
    await python('open("/tmp/mine", "w").write("x"); open("mine", "w").write("x")')
    const { output } = await python(
      'import os\n[os.listdir("/tmp"), os.listdir("."), [each for each in os.listdir("/proc") if each.isdigit()]]',
      { kernel: 'other' },
    )
    expect(output).toEqual([[], [], ['1', expect.any(String)]])
  })

  it('has its secrets masked in all that a cell returns', async () => {
    const { python } = await openKernels()
    const secret = `ghp_${'aB3dE5gH7j'.repeat(4).slice(0, 36)}`
    const { kernel, logs_preview: logs } = await python(`value = "${secret}"\nprint(value)\nvalue`)
    expect([kernel?.value, logs]).toEqual(["'[redacted]'", '[redacted]\n'])
    // Control: the text is masked because of its shape.
    expect((await python('value[1:]')).kernel?.value).toContain(secret.slice(1))
  })
})
