// What a command in a workspace costs beside a cold sandboxed run of the same, and what 200
// interactive commands take.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { call, median, openRuntime, performRun } from './library.js'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 21)
const SESSIONS = 200
/** Among the words of each of them. */
const MARK = `bench-${process.pid}-of-sessions`

const nothing = { stdout: () => {}, stderr: () => {} }
const cold = {
  kind: 'workspace',
  asked: {},
  program: { argv: ['/bin/bash', '-c', 'true'], cwd: '/workspace', env: {} },
  stdin: 'none',
  skills: [],
  mountsSkills: false,
  folders: [],
  inputBlobs: [],
  sinks: nothing,
}

/** Milliseconds of `true`, the two ways in turns. */
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

/** Memory that this process and its sandboxes took for 200 of them, and how long ending them took. */
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
  const sandboxes = memoryBelow(process.pid)
  const watch = watchTheEnd()
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
 * Waits from outside until no command lives any more, wherever it lies: this process is busy with
 * what they leave behind. The kernel says when, so that looking takes no processor from what is
 * looked at. Answers with when that was.
 */
function watchTheEnd() {
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

/** Of all processes below one, each page counted by its share. */
function memoryBelow(root) {
  const parents = new Map()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      parents.set(parent, [...(parents.get(parent) ?? []), Number(name)])
    } catch {
      // It ended meanwhile.
    }
  }
  let kib = 0
  for (const pending = [...(parents.get(root) ?? [])]; pending.length > 0;) {
    const pid = pending.pop()
    pending.push(...(parents.get(pid) ?? []))
    try {
      kib += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1])
    } catch {
      // The same.
    }
  }
  return kib / 1024
}
