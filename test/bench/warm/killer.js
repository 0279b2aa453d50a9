// Kills processes of runs and of zygotes at random times.
import { setTimeout as sleep } from 'node:timers/promises'
import { listDescendants, read } from '../processes.js'

/** Average number of runs between two kills, so that slow and fast machines have equally many. */
const EVERY_RUNS = 20
const LOOK_MS = 5
/** Probability of each kind; if there is no such process, another try follows. */
const KINDS = { fork: 0.75, zygote: 0.1, around: 0.05, cold: 0.1 }

/** Kills until it is stopped; reports how often each kind was killed. */
export async function killAtRandom({ answers, isOver }) {
  const hits = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, 0]))
  for (let next = 0; !isOver();) {
    await sleep(Math.random() * 2 * LOOK_MS)
    if (answers() < next) continue
    const kind = chooseKind()
    const all = classifyProcesses(listDescendants())[kind]
    const victim = all[Math.floor(Math.random() * all.length)]
    if (victim === undefined || !kill(victim)) continue
    hits[kind] += 1
    next = answers() + Math.random() * 2 * EVERY_RUNS
  }
  return hits
}

function chooseKind() {
  let left = Math.random()
  return Object.keys(KINDS).find((kind) => (left -= KINDS[kind]) < 0) ?? 'fork'
}

/** Classifies processes by command line and by parent. */
function classifyProcesses(pids) {
  const words = new Map(pids.map((pid) => [pid, read(`/proc/${pid}/cmdline`)]))
  const named = pids.filter((pid) => words.get(pid).includes('/guest/zygote.py'))
  const zygotes = named.filter((pid) => isFirst(pid) && measureDepth(pid) === 2)
  const forks = new Set(zygotes.flatMap((pid) => listDescendants(pid)))
  const guests = pids.filter((pid) => words.get(pid).includes('/guest/init.py'))
  return {
    fork: [...forks],
    zygote: zygotes,
    around: named.filter((pid) => !zygotes.includes(pid) && !forks.has(pid)),
    cold: [...new Set(guests.flatMap((pid) => [pid, ...listDescendants(pid)]))],
  }
}

function listPids(pid) {
  return /^NSpid:\t(.+)$/m.exec(read(`/proc/${pid}/status`))?.[1].split('\t') ?? []
}

const measureDepth = (pid) => listPids(pid).length
const isFirst = (pid) => listPids(pid).at(-1) === '1'

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}
