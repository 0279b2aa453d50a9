import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { text as textOf } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { ConformanceCase } from './case.ts'

/** A process with a unique name. */
const DAEMON = `skills-conformance-${process.pid}`
const daemon = `if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: os.execv("/bin/sleep", ["${DAEMON}", "600"])\n    os._exit(0)\ntime.sleep(0.3)\n`

function daemons(): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(DAEMON)
    } catch {
      return false
    }
  })
}

/** The environment of a run and its isolation. The code returns true if an access succeeds. */
export const ENVIRONMENT_CASES: readonly ConformanceCase[] = [
  {
    name: "the environment is the configured one, not the host's",
    code: 'return sorted(os.environ)',
    gives: { output: ['HOME', 'LANG', 'PATH', 'TMPDIR'] },
  },
  {
    name: 'the workspace is empty, is the current folder, and is removed afterwards',
    code: 'found = os.listdir(".")\nopen("mine", "w").close()\nreturn [found, os.getcwd(), os.environ["HOME"]]',
    check: ({ output }) => {
      const [found, cwd, home] = output as [string[], string, string]
      expect([found, home]).toEqual([[], cwd])
      expect(existsSync(`${cwd}/mine`)).toBe(false)
    },
  },
  {
    name: 'a copy of the workspace is kept if requested',
    code: 'open("kept.txt", "w").write("of the run")\nos.symlink("/etc/passwd", "link")\nreturn 1',
    check: (_, { kept }) => {
      expect(readFileSync(`${kept}/kept.txt`, 'utf8')).toBe('of the run')
      expect(readdirSync(kept)).toEqual(['kept.txt'])
    },
    keeps: true,
  },
  {
    name: 'a blob can be read by its path, by its id and through the runtime',
    blob: 'of the host',
    code: 'from runtime import blobs\nid = args["blob"]\nfile = blobs.path(id)\nlink = os.path.join(os.path.dirname(file), id)\nreturn [open(file).read(), open(link).read(), blobs.read_text(id)]',
    gives: { output: ['of the host', 'of the host', 'of the host'] },
  },
  {
    name: 'changes to a copy of a blob do not change the blob',
    blob: 'of the host',
    code: 'from runtime import blobs\nfile = blobs.path(args["blob"])\ntry:\n    os.chmod(file, 0o666)\n    open(file, "w").write("changed")\nexcept OSError: pass\nreturn args["blob"]',
    check: async ({ runtime, output }) => {
      const content = await textOf(await (await runtime.blobs()).read(output as string))
      expect(content).toBe('of the host')
    },
  },
  {
    name: 'a blob that a run writes arrives complete',
    code: 'from runtime import blobs\nwith blobs.open(mode="wb", kind="text/csv") as file:\n    for _ in range(100): file.write(b"0123456789" * 1000)\nreturn file.blob_id',
    check: async ({ runtime, output, output_blobs: ids }) => {
      expect(ids).toEqual([output])
      const content = await textOf(await (await runtime.blobs()).read(output as string))
      expect(content).toBe('0123456789'.repeat(100_000))
    },
  },
  {
    name: 'log lines have their level, and streams are unchanged',
    code: 'from runtime import log\nlog.warning("careful")\nprint("out", flush=True)\nprint("err", file=sys.stderr, flush=True)\nreturn 1',
    check: ({ logs_preview: preview }, { events }) => {
      const logs = events.filter((event) => event.type === 'log')
      const texts = (stream: string) =>
        logs
          .filter((log) => log.stream === stream)
          .map(({ text }) => text)
          .join('')
      expect(logs.find(({ stream }) => stream === 'log')).toMatchObject({ level: 'warning' })
      expect([texts('log'), texts('stdout'), texts('stderr')]).toEqual([
        '[warning] careful\n',
        'out\n',
        'err\n',
      ])
      expect(preview).toContain('careful')
    },
  },
  {
    name: 'a secret reaches the run and is hidden in its output',
    secrets: { TOKEN: 'hunter2-conformance' },
    options: { toml: '[permissions]\nsecrets = ["TOKEN"]\n' },
    code: 'print(os.environ["TOKEN"])\nreturn [len(os.environ["TOKEN"]), os.environ["TOKEN"]]',
    gives: { output: [19, '[redacted]'] },
    check: (result, { events }) =>
      expect(JSON.stringify([result.logs_preview, events])).not.toContain('hunter2'),
  },
  {
    name: 'a daemon is dead when the result arrives',
    code: `${daemon}return 1`,
    gives: { status: 'completed', output: 1 },
    check: () => expect(daemons()).toEqual([]),
  },
  {
    name: 'a daemon is dead after the timeout of its run',
    code: `${daemon}time.sleep(600)`,
    options: { timeoutMs: 2500 },
    gives: { error: { type: 'Timeout' } },
    check: () => expect(daemons()).toEqual([]),
  },
  {
    name: 'the result reports the applied isolation',
    code: 'return os.getuid()',
    check: ({ isolation, output }, { backend }) => {
      const { isolates, tier } = backend.guarantees
      expect(isolation).toMatchObject({
        backend: backend.name,
        user: output,
        seccomp: isolates['system calls'],
        network: isolates.network ? 'none' : 'host',
      })
      if (tier === 'none') expect(isolation?.tier).toBe('none')
      for (const name of [
        'wall',
        'cpu',
        'memory',
        'processes',
        'open_files',
        'workspace',
        'output',
      ]) {
        expect(isolation?.limits).toHaveProperty(name)
      }
    },
  },
  {
    name: 'files of the host cannot be read',
    needs: { isolates: 'files' },
    code: 'return os.path.exists(args["file"])',
  },
  {
    name: 'skills cannot be changed',
    needs: { isolates: 'files' },
    code: 'try: open(os.path.join(os.path.dirname(__file__), "new"), "w").close()\nexcept OSError: return False\nreturn True',
  },
  {
    name: 'the host cannot be reached by network',
    needs: { isolates: 'network' },
    code: 'import socket\ntry: socket.create_connection(("127.0.0.1", args["port"]), 5).close()\nexcept OSError: return False\nreturn True',
  },
  {
    name: 'processes of the host are invisible',
    needs: { isolates: 'processes' },
    code: 'return os.path.exists("/proc/%d" % args["pid"]) and os.getsid(args["pid"]) >= 0',
  },
  {
    name: 'the user id is unused on the host',
    needs: { isolates: 'user' },
    code: 'return os.getuid() == args["uid"]',
  },
  {
    name: 'namespaces cannot be created',
    needs: { isolates: 'system calls' },
    code: 'return ctypes.CDLL(None).unshare(0x10000000) == 0',
  },
]
