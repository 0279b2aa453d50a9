// Many warm runs, with and without somebody who kills runs and zygotes: no wrong answer, none lost, nothing
// left, memory flat. `node test/bench/warm/endurance.js [runs]`; 20,000 and half as many with kills unless given.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openRuntime } from '../runs/library.js'

const RUNS = Number(process.argv[2] ?? 20_000)
const CONCURRENT = 8
const KILL_EVERY_MS = 150
/** What the allocator and the collector keep back for themselves. */
const MOST_GROWN_MIB = 48
const BODY = 'def main(args):\n    return args["n"] * 2\n'

const flat = await endure(RUNS)
const killed = await endure(Math.ceil(RUNS / 2), { withKills: true })
const report = { flat, killed }
console.log(JSON.stringify(report, null, 2))
const isGood =
  [flat, killed].every(({ wrong, lost, leftProcesses }) => wrong + lost + leftProcesses === 0) &&
  flat.failed === 0 &&
  flat.grownMiB <= MOST_GROWN_MIB
process.exit(isGood ? 0 : 1)

async function endure(runs, { withKills = false } = {}) {
  const run = await openRuntime({}, { warm: true })
  const seen = { runs, right: 0, wrong: 0, lost: 0, failed: 0, cold: 0, kills: 0 }
  let next = 0
  let isOver = false
  let startMiB = 0
  const work = async () => {
    for (let n = next++; n < runs; n = next++) {
      // The first tenth fills caches.
      if (n === Math.ceil(runs / 10)) startMiB = memoryMiB()
      const result = await run(BODY, { args: { n } }).catch(() => undefined)
      count(seen, result, n)
    }
  }
  const killing = withKills ? kill(seen, () => isOver) : undefined
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  isOver = true
  await killing
  const grownMiB = Math.round(memoryMiB() - startMiB)
  await run.stop()
  return { ...seen, grownMiB, leftProcesses: ours().length }
}

function count(seen, result, n) {
  if (!result) return (seen.lost += 1)
  if (result.isolation?.path === 'cold') seen.cold += 1
  // Who was killed says so; whoever says that it ended well has to have the answer.
  if (result.status === 'failed') return (seen.failed += 1)
  return result.output === n * 2 ? (seen.right += 1) : (seen.wrong += 1)
}

/** Now a run, now a zygote, at any moment of their lives. */
async function kill(seen, isOver) {
  while (!isOver()) {
    await sleep(Math.random() * 2 * KILL_EVERY_MS)
    const all = ours()
    const zygotes = all.filter(({ depth }) => depth === 2)
    const forks = all.filter(({ depth }) => depth > 2)
    const from = Math.random() < 0.1 ? zygotes : forks
    const victim = from[Math.floor(Math.random() * from.length)]
    if (!victim) continue
    try {
      process.kill(victim.pid, 'SIGKILL')
      seen.kills += 1
    } catch {
      // Gone by itself.
    }
  }
}

/** Processes of our zygotes, by how many namespaces they are deep. */
function ours() {
  return readdirSync('/proc').flatMap((name) => {
    const status = read(name, 'status')
    const depth = /^NSpid:\t(.+)$/m.exec(status)?.[1].split('\t').length ?? 0
    const isOurs = /^Name:\tpython/m.test(status) && isBelow(Number(name), process.pid)
    return depth > 1 && isOurs ? [{ pid: Number(name), depth }] : []
  })
}

function isBelow(pid, top) {
  for (let at = pid; at > 1;) {
    if (at === top) return true
    at = Number(/^PPid:\t(\d+)$/m.exec(read(at, 'status'))?.[1] ?? 0)
  }
  return false
}

function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

function memoryMiB() {
  globalThis.gc?.()
  return process.memoryUsage.rss() / 1024 ** 2
}
