// @module-tag slow
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlainObject } from '../../../../src/core/skills/manifest/manifest.ts'
import { TierRuntime, TIERS } from './tier-runtime.ts'
import { procFile } from './warm-runtime.ts'

/** Returns the output of a forked run, or the reason for which it was not forked. */
async function runForkedBody(all: TierRuntime, body: string, args: PlainObject = {}) {
  const result = await all.run(body, { args })
  expect(result.isolation).toMatchObject({ path: 'warm', reason: 'zygote' })
  expect(result.error).toBeUndefined()
  return result.output
}

describe.each(TIERS)('a forked run of %s', (tier) => {
  let all: TierRuntime
  beforeAll(async () => {
    all = new TierRuntime(tier)
    await all.zygote()
  })
  afterAll(async () => await all.close())

  it('finds no process of the zygote, and only its own memory', async () => {
    const body = `import ctypes
found = []
for name in os.listdir("/proc"):
    if name.isdigit():
        try:
            with open("/proc/%s/mem" % name, "rb"): found.append(int(name))
        except OSError: pass
attached = [pid for pid in range(1, 300) if ctypes.CDLL(None).ptrace(16, pid, 0, 0) == 0]
return [sorted(int(name) for name in os.listdir("/proc") if name.isdigit()), found, attached, os.getpid()]`
    expect(await runForkedBody(all, body)).toEqual([[1, 2], [2], [], 2])
    // Control: the same search from outside finds it.
    expect(procFile(await all.zygote(), 'cmdline')).toContain('/guest/zygote.py')
  })

  it('cannot reach the listening socket of a fork', async () => {
    await runForkedBody(all, 'return 1')
    const root = `/proc/${await all.zygote()}/root`
    const body = `met = set()
for name in args["doors"]:
    for path in ("/door/%s", "/.old/door/%s", "/proc/1/root/door/%s", "/proc/1/cwd/door/%s", "\\0/door/%s", "../door/%s"):
        with socket.socket(socket.AF_UNIX) as wire:
            try: wire.connect(path % name)
            except OSError as error: met.add(type(error).__name__)
            else: met.add(path)
return sorted(met)`
    const look = () => readdirSync(`${root}/door`).filter((name) => name !== 'first')
    const met = (await runForkedBody(all, body, { doors: look() })) as string[]
    // For an abstract name, the kernel reports a refused connection.
    expect(met).toEqual(['ConnectionRefusedError', 'FileNotFoundError', 'PermissionError'])
    // Control: from outside, the socket of an idle fork is visible at once.
    await expect.poll(look, { timeout: 10_000 }).not.toEqual([])
  })

  it('holds only its own four file descriptors', async () => {
    // The descriptor that lists the folder is closed by the time it is checked.
    const body = `names = os.listdir("/proc/self/fd")
return [int(name) for name in names if os.path.lexists("/proc/self/fd/" + name)]`
    expect(await runForkedBody(all, body)).toEqual([0, 1, 2, 7])
    expect(readdirSync(`/proc/${await all.zygote()}/fd`).length).toBeGreaterThan(4)
  })

  it('does not see the files of the zygote', async () => {
    const body = `places = [line.split(" ")[4] for line in open("/proc/self/mountinfo")]
there = [path for path in ("/stage", "/door", "/new", "/.old", "/newroot", "/oldroot") if os.path.lexists(path)]
return [there, [each for each in places if each.startswith(("/stage", "/door", "/new", "/.old"))]]`
    expect(await runForkedBody(all, body)).toEqual([[], []])
    const seen = readdirSync(`/proc/${await all.zygote()}/root`)
    expect(seen).toEqual(expect.arrayContaining(['stage', 'door', 'new']))
  })

  it('knows nothing of other runs, although it was forked from the same memory', async () => {
    await runForkedBody(all, 'return 1', { word: 'of-another-run-5b1e' })
    const body = `import gc
mark = "5b1e"[::-1][::-1]
maps = [line.split() for line in open("/proc/self/maps")]
found = 0
with open("/proc/self/mem", "rb") as memory:
    for words in maps:
        if "w" not in words[1] or words[-1] == "[vvar]": continue
        start, end = (int(each, 16) for each in words[0].split("-"))
        memory.seek(start)
        try: found += memory.read(end - start).count(args["a"].encode() + args["b"].encode())
        except (OSError, ValueError): pass
return found`
    // Joined only here, so that the search does not find its own argument; the control finds its
    // own text.
    expect(await runForkedBody(all, body, { a: 'of-another-run', b: '-5b1e' })).toBeLessThanOrEqual(
      1,
    )
    const own = await runForkedBody(all, `kept = args["a"] + args["b"]\n${body}`, {
      a: 'mine-',
      b: '77aa',
    })
    expect(own).toBeGreaterThanOrEqual(1)
  })

  it('leaves nothing to the next run', async () => {
    const spoil = `import builtins, json, random
json.loads = json.dumps = builtins.len = None
os.environ["LEFT"] = "x"
sys.modules["left"] = os
for path in ("/tmp/left", "/dev/shm/left", "/workspace/left"):
    open(path, "w").close()
random.seed(1)
return "spoiled"`
    const look = `import json, random
left = [path for path in ("/tmp/left", "/dev/shm/left", "/workspace/left") if os.path.exists(path)]
return [json.loads("1"), len([1]), os.environ.get("LEFT"), "left" in sys.modules, left, random.random()]`
    // Serializing its own result fails: the damage is limited to this run.
    const spoiled = await all.run(spoil)
    expect(spoiled.status).toBe('failed')
    const seen = [
      (await runForkedBody(all, look)) as unknown[],
      (await runForkedBody(all, look)) as unknown[],
    ]
    for (const each of seen) expect(each.slice(0, 5)).toEqual([1, 1, null, false, []])
    expect(seen[0]?.[5]).not.toBe(seen[1]?.[5])
  })

  it('is invisible to a concurrent run', async () => {
    const stay = `open("/dev/shm/of-me", "w").close()
wire = socket.socket(socket.AF_UNIX)
wire.bind("\\0of-me")
wire.listen()
server = socket.create_server(("127.0.0.1", 4040))
open("/tmp/of-me", "w").close()
time.sleep(1.5)
return sorted(os.listdir("/tmp"))`
    const look = `time.sleep(0.7)
reached = []
for family, address in ((socket.AF_UNIX, "\\0of-me"), (socket.AF_INET, ("127.0.0.1", 4040))):
    with socket.socket(family) as wire:
        try: wire.connect(address); reached.append(address)
        except OSError: pass
return [os.listdir("/dev/shm"), os.listdir("/tmp"), [name for name in os.listdir("/proc") if name.isdigit()], reached]`
    const [mine, seen] = await Promise.all([runForkedBody(all, stay), runForkedBody(all, look)])
    expect(mine).toEqual(['of-me'])
    expect(seen).toEqual([[], [], ['1', '2'], []])
  })

  it('cannot reach the zygote by writing to its file descriptors', async () => {
    const before = await all.zygote()
    const noise = `for fd in range(3, 300):
    try: os.write(fd, b'{"dead": 1}\\n{"made": 2, "pid": 1}\\n' * 20)
    except OSError: pass
return 1`
    expect((await all.run(noise)).error?.type).toBe('SandboxError')
    expect(await runForkedBody(all, 'return 2')).toBe(2)
    expect(await all.zygote()).toBe(before)
  })

  it('exhausts neither the zygote nor other runs', async () => {
    const before = await all.zygote()
    const bomb = `made = 0
while True:
    try:
        if os.fork() == 0: time.sleep(60)
        made += 1
    except OSError: break
time.sleep(0.5)
return made`
    const [made, ...others] = await Promise.all([
      all.run(bomb),
      ...Array.from({ length: 6 }, async (_, at) => await runForkedBody(all, `return ${at}`)),
    ])
    expect(others).toEqual([0, 1, 2, 3, 4, 5])
    expect(made.isolation?.path).toBe('warm')
    expect(await all.zygote()).toBe(before)
  })

  it('cannot create namespaces, mounts or users, although the zygote can', async () => {
    const body = `import ctypes
libc = ctypes.CDLL(None)
made = [name for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("net", 0x40000000)) if libc.unshare(flag) == 0]
made += ["tmpfs"] if libc.mount(b"x", b"/tmp", b"tmpfs", 0, None) == 0 else []
made += ["umount"] if libc.umount2(b"/usr", 2) == 0 else []
made += ["root"] if libc.setresuid(0, 0, 0) == 0 else []
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().split("\\n") if ":\\t" in line)
return [made, [status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")]]`
    const none = '0000000000000000'
    expect(await runForkedBody(all, body)).toEqual([[], [none, none, none, none, none, '1', '2']])
    // Control: the zygote's own status shows capabilities that no run has.
    const rights = /^CapEff:\t(\w+)$/m.exec(procFile(await all.zygote(), 'status'))?.[1]
    expect(rights).not.toBe(none)
  })
})
