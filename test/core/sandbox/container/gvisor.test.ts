// @module-tag slow
// @module-tag nightly
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import {
  findEngine,
  runEngine,
  type ContainerEngine,
} from '../../../../src/core/sandbox/container/engine.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { buildMain, createRuntimeIn, runPython } from '../../runs/run-python.ts'

const GUEST = fileURLToPath(new URL('../../../../src/guest/', import.meta.url))
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
const { probe } = await new Sandboxes().openBackend('container')
const here = await probe(env, { engine: 'podman', runtime: 'runsc', image: undefined })
const whyNot = here.ok ? '' : ` (not run: ${here.detail})`
const settings = { 'run.container.runtime': 'runsc' }

/** Executes machine code with a system call. */
const CALL_KERNEL = `import ctypes, mmap
def attempt(code):
    page = mmap.mmap(-1, 4096, prot=7); page.write(code)
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(start)()
`
/** Some virtual machines end every process with such a call, also outside of a sandbox. */
const hasI386Calls = process.arch === 'x64' && canCallAsI386()

/** The number 20 is getpid. */
function canCallAsI386(): boolean {
  const code = `${CALL_KERNEL}attempt(b"\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3")`
  return spawnSync('python3', ['-c', code], { env }).status === 0
}

const run = async (code: string, more: Record<string, unknown> = {}) =>
  await runPython(buildMain(code), {
    timeoutMs: 60_000,
    settings: { ...settings, ...more },
    call: { env },
  })

/** Opens all pipes of a process. */
const OPEN_PIPES = `
def opened(pid):
    found = []
    for fd in os.listdir("/proc/%d/fd" % pid):
        path = "/proc/%d/fd/%s" % (pid, fd)
        if not os.readlink(path).startswith(NAMES): continue
        for mode in (os.O_RDONLY, os.O_WRONLY):
            try: os.close(os.open(path, mode | os.O_NONBLOCK)); found.append(fd)
            except OSError: pass
    return found
`

describe.skipIf(!here.ok)(`a run in gVisor${whyNot}`, () => {
  it('is that of an uploaded skill where strangers need a kernel of their own', async () => {
    const { runtime } = await startTestServer({ settings: { 'run.isolation.strangers': 'kernel' } })
    const runtimeFacts = { language: 'python', entrypoint: 'main.py', export: 'main' }
    const facts = { name: 'user.one', version: '0.1.0', description: 'x', kind: 'action' }
    await runtime.createSkill({
      manifest: { ...facts, runtime: runtimeFacts },
      skill_md: '# One\n',
      files: [{ path: 'main.py', content: 'def main(args):\n    return 1\n' }],
    })
    const call = { cwd: '/', env }
    const uploaded = await runtime.executeSkill({ name: 'user.one' }, call)
    expect(uploaded).toMatchObject({ output: 1, isolation: { kernel: 'gvisor', tier: 'strict' } })
    const code = 'def main(args):\n    return 1\n'
    const { isolation } = await runtime.runCode({ language: 'python', code }, call)
    expect(isolation).not.toHaveProperty('kernel')
  })

  it('reports the kernel and which of its limits apply', async () => {
    const { output, isolation, error } = await run('return os.uname().release')
    expect({ output, error }).toEqual({ output: '4.4.0' })
    expect(isolation).toMatchObject({
      backend: 'container',
      engine: 'podman',
      kernel: 'gvisor',
      tier: 'strict',
      seccomp: true,
      network: 'none',
      namespaces: ['mount', 'pid', 'network', 'ipc', 'uts'],
      limits: { processes: 'rlimit', inodes: 'none', workspace: 'tmpfs' },
    })
    expect(isolation?.limits['memory']).toMatch(/^cgroup/)
    expect(isolation?.limits['total_memory']).toMatch(/^cgroup/)
  }, 60_000)

  it('cannot open the streams of its first process, which has a user of its own', async () => {
    const code = `NAMES = "host:"${OPEN_PIPES}
return [opened(1), os.stat("/proc/1/fd").st_uid != os.getuid()]`
    const { output, error } = await run(code)
    expect({ output, error }).toEqual({ output: [[], true] })
  }, 60_000)

  it('could open them if they had the same user, which is the control', async () => {
    const engine = findEngine(
      { engine: 'podman', runtime: 'runsc', image: undefined },
      env,
    ) as ContainerEngine
    const code = `import os, sys, time
NAMES = "host:"${OPEN_PIPES}
if os.fork() == 0:
    print(len(opened(1)) > 0, flush=True)
    os._exit(0)
os.wait()`
    const root = createFolder()
    chmodSync(root, 0o755)
    const mounts = ['/usr', '/lib', '/lib64'].flatMap((folder) => [
      '--mount',
      `type=bind,src=${realpathSync(folder)},dst=${folder},readonly`,
    ])
    const options =
      '--rm --interactive --network none --read-only --cap-drop all --user 65534:65534'
    const { stdout } = await runEngine(
      engine,
      ['run', ...options.split(' '), ...mounts, '--rootfs', root, '/usr/bin/python3', '-c', code],
      Buffer.from(''),
    )
    expect(stdout.trim()).toBe('True')
  }, 60_000)

  it('has no capability, and a first process with three that starts and ends its processes', async () => {
    const code = `def sets(pid): return [int(line.split()[1], 16) for line in open("/proc/%s/status" % pid) if line.startswith("Cap")]
return [sets("self"), sets(1)]`
    const { output } = await run(code)
    expect(output).toEqual([
      [0, 0, 0, 0],
      [0, 0xe0, 0xe0, 0],
    ])
  }, 60_000)

  it('cannot signal its first process, or open a device that it created', async () => {
    const code = `import stat
def attempt(action):
    try: return action() or "done"
    except OSError as error: return error.errno
def open_device():
    os.mknod("/workspace/disk", stat.S_IFBLK | 0o600, os.makedev(254, 0))
    os.open("/workspace/disk", os.O_RDONLY)
return [attempt(lambda: os.kill(1, 9)), attempt(open_device)]`
    // EPERM and ENXIO.
    expect((await run(code)).output).toEqual([1, 6])
  }, 60_000)

  it.skipIf(!hasI386Calls)(
    `has its filter for system calls that it makes as an i386 program would${hasI386Calls ? '' : ' (needs a machine that has them)'}`,
    async () => {
      // ptrace has the number 101 for x86-64, and ioperm has it for i386.
      const code = `${CALL_KERNEL}
return [attempt(b"\\xb8\\x65\\0\\0\\0" + bytes.fromhex(call) + b"\\xc3") for call in ("0f05", "cd80")]`
      expect((await run(code)).output).toEqual([-1, -1])
    },
    60_000,
  )

  it('starts no more processes than its limit', async () => {
    const code = `count = 0
try:
    while True:
        if os.fork() == 0: time.sleep(60)
        count += 1
except OSError: return count`
    // The run itself is one of them.
    expect((await run(code, { 'run.limits.processes': 12 })).output).toBe(11)
  }, 60_000)

  it('may open its own output again by its path', async () => {
    const code = 'for name in ("out", "err"): open("/dev/std" + name, "w").close()\nreturn 1'
    expect((await run(code)).output).toBe(1)
  }, 60_000)

  it.each(['command', 'session'])(
    'lets a command open its own streams again by their paths, in a sandbox of its %s',
    async (sandbox) => {
      const data = createFolder()
      const runtime = await createRuntimeIn(data, {
        ...settings,
        'run.backend': 'container',
        'workspace.sandbox': sandbox,
      })
      const call = { cwd: data, env }
      const command = 'cat /dev/stdin > /dev/stdout; echo more > /dev/stderr'
      const params = { session: 's', agent: 'a', command, stdin: 'input\n' }
      try {
        const { output, exit_code: code } = await runtime.workspaceExec(params, call)
        expect({ output, code }).toEqual({ output: 'input\nmore\n', code: 0 })
      } finally {
        await (await runtime.sharedSandboxes()).stop()
        await runtime.sandboxes.stop()
      }
    },
    120_000,
  )

  it('is refused if a program with the name of runsc starts it in another kernel', async () => {
    const bin = createFolder()
    const drop = 'for each; do shift; [ "$each" = --network=none ] || set -- "$@" "$each"; done'
    writeFileSync(join(bin, 'runsc'), `#!/bin/sh\n${drop}\nexec crun "$@"\n`, { mode: 0o755 })
    const started = runPython(buildMain('return 1'), {
      settings,
      call: { env: { ...env, PATH: `${bin}:${env.PATH}` } },
    })
    await expect(started).rejects.toMatchObject({
      code: 'sandbox/unavailable',
      message: expect.stringContaining('its kernel was not found here') as string,
    })
  }, 60_000)
})

describe('gVisor', () => {
  it.skipIf(!existsSync('/usr/bin/python3'))('is refused by the guest on another kernel', () => {
    const folder = createFolder()
    for (const name of [
      'gvisor',
      'pid1',
      'guest_messages',
      'second_wall',
      'skill_user',
      'c_library',
    ])
      copyFileSync(join(GUEST, `${name}.py`), join(folder, `${name}.py`))
    const code = `import sys\nsys.path.insert(0, ${JSON.stringify(folder)})\nimport gvisor\ntry: gvisor.require()\nexcept PermissionError as error: print(error)`
    const printed = execFileSync('/usr/bin/python3', ['-I', '-c', code], { encoding: 'utf8' })
    expect(printed.trim()).toBe('the kernel of this container is not that of gVisor')
  })

  it('is refused with docker, and where runsc or podman is missing', async () => {
    const empty = { PATH: createFolder() }
    const createSettings = (engine: 'auto' | 'docker') =>
      ({ engine, runtime: 'runsc', image: undefined }) as const
    expect(await probe(env, createSettings('docker'))).toMatchObject({
      ok: false,
      detail: 'gVisor is used with podman only',
    })
    expect(await probe(empty, createSettings('auto'))).toMatchObject({
      ok: false,
      detail: 'no runsc is installed',
      fix: 'On Debian, type: apt-get install runsc podman',
    })
  })
})
