// Measures a command in a workspace against a cold sandboxed run of the same command, and the cost
// of 200 interactive commands.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { call, median, openRuntime, performRun } from './library.js'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 21)
const SESSIONS = 200
/** Part of the argv of each command, to find its processes. */
const MARK = `bench-${process.pid}-of-sessions`

const nothing = { stdout: () => {}, stderr: () => {} }
const cold = {
  kind: 'workspace',
  recordedArgs: {},
  program: { argv: ['/bin/bash', '-c', 'true'], cwd: '/workspace', env: {} },
  stdin: 'none',
  skills: [],
  mountsSkills: false,
  folders: [],
  inputBlobs: [],
  sinks: nothing,
}

/** Milliseconds of `true`, both ways in turns. */
export async function measureCommand() {
  const runtime = await openRuntime()
  const run = async () =>
    await runtime.skillRun({ session: 's', skill: 'demo', command: 'true' }, call)
  const bare = async () => await performRun(runtime, cold, call)
  const times = { command: [], cold: [] }
  for (let round = -3; round < ROUNDS; round++) {
    for (const [name, work] of [
      ['command', run],
      ['cold', bare],
    ]) {
      const start = performance.now()
      await work()
      if (round >= 0) times[name].push(performance.now() - start)
    }
  }
  return { command: median(times.command), cold: median(times.cold) }
}

/** Memory of this process and its sandboxes for 200 commands, and the time to end them. */
export async function measureSessions() {
  const runtime = await openRuntime({ 'run.max_concurrent': SESSIONS + 1 })
  await runtime.skillRun({ session: 's', skill: 'demo', command: 'true' }, call)
  const before = process.memoryUsage().rss
  const words = { session: 's', skill: 'demo', command: `read x # ${MARK}`, tty: true, yield_ms: 1 }
  const open = []
  for (let at = 0; at < SESSIONS; at += 10) {
    const ten = Array.from({ length: 10 }, async () => await runtime.skillExec(words, call))
    open.push(...(await Promise.all(ten)))
  }
  for (const { session_id } of open) {
    let view = await runtime.skillPollSession({ session: 's', session_id, yield_ms: 5000 }, call)
    while (!view.interaction) {
      view = await runtime.skillPollSession({ session: 's', session_id, yield_ms: 5000 }, call)
    }
  }
  const host = process.memoryUsage().rss
  const sandboxes = measureDescendants(process.pid)
  const watch = watchExits()
  await watch.ready
  const start = Date.now()
  const ending = (await runtime.liveSessions()).endAll()
  const endedMs = (await watch.ended) - start
  await ending
  const recordedMs = Date.now() - start
  return {
    hostMiB: host / 2 ** 20,
    grownMiB: (host - before) / 2 ** 20,
    sandboxesMiB: sandboxes,
    endedMs,
    recordedMs,
  }
}

/**
 * Waits in another process until no command is alive, wherever it is in the process tree: this
 * process is busy with cleaning up. The kernel reports the exits, so that waiting takes no CPU time
 * from the measured work. Resolves with the time.
 */
function watchExits() {
  const watcher = spawn('python3', ['-I', '-c', WATCH, MARK], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(watcher.stdout)[Symbol.asyncIterator]()
  const ready = lines.next()
  return { ready, ended: ready.then(async () => Number((await lines.next()).value)) }
}

const WATCH = `import glob, os, select, sys, time
poll, living = select.poll(), 0
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        words = open(path, "rb").read()
        if sys.argv[1].encode() in words and b"glob" not in words:
            poll.register(os.pidfd_open(int(path.split("/")[2])), select.POLLIN)
            living += 1
    except OSError:
        pass
assert living >= 200, living
print("ready", flush=True)
while living:
    for fd, _ in poll.poll():
        poll.unregister(fd)
        living -= 1
print(time.time() * 1000, flush=True)`

/** Memory of all descendants of a process (proportional set size). */
function measureDescendants(root) {
  const parents = new Map()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      parents.set(parent, [...(parents.get(parent) ?? []), Number(name)])
    } catch {
      // The process exited meanwhile.
    }
  }
  let kib = 0
  for (const pending = [...(parents.get(root) ?? [])]; pending.length > 0;) {
    const pid = pending.pop()
    pending.push(...(parents.get(pid) ?? []))
    try {
      kib += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1])
    } catch {
      // The process exited meanwhile.
    }
  }
  return kib / 1024
}
