// One step inside the other kernel; prints its result as one line of JSON.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const MIB = 1024 ** 2
// A step that hangs must not block the others.
setTimeout(() => process.exit(1), 60_000).unref()
const step = process.argv[2]
const { createControlGroup, sweepControlGroups } =
  await import('./dist/core/sandbox/cgroups/cgroup.js')

const EATS = 'x = []\nwhile True: x.append(bytearray(1 << 20))'
const FORKS = `import os, time
for _ in range(60):
    try:
        if os.fork() == 0: time.sleep(60)
    except OSError: pass
os.setsid()
time.sleep(60)`

/** Starts Python in a group; Python waits until it has been added. */
async function startIn(group, code) {
  const child = spawn('python3', ['-c', `input()\n${code}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const end = new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal)))
  await group.add(child.pid)
  child.stdin.end('\n')
  return { child, end }
}

async function tryGroup(limits) {
  // Removes leftovers of a step that hung, as every run does at its start.
  sweepControlGroups()
  const group = createControlGroup('run_step', { memoryBytes: 64 * MIB, processes: 20, ...limits })
  if (!group) return { group: null }
  const where = group.folders[0]
  await startIn(group, EATS)
  while (group.memoryKills() === 0) await sleep(50)
  const memory = { hit: group.memoryKills() > 0, total: group.totalHit(), cpuMs: group.cpuMs() }
  const forker = await startIn(group, FORKS)
  const isAlive = () => forker.child.exitCode === null && forker.child.signalCode === null
  while (group.refusedProcesses() === 0 && isAlive()) await sleep(50)
  const refused = group.refusedProcesses()
  const members = readFileSync(`${where}/cgroup.procs`, 'utf8').trim().split('\n').length
  await group.remove()
  await forker.end
  return { kind: group.kind, where, memory, refused, members, isGone: !existsSync(where) }
}

async function runCode() {
  const { createRuntime, loadConfig } = await import('./dist/index.js')
  const env = { HOME: process.env.HOME, PATH: process.env.PATH }
  const flags = { 'directories.data': `${process.env.HOME}/data`, 'run.limits.memory': 64 * MIB }
  const { config } = await loadConfig({ cwd: '/', env, file: undefined, noFiles: true, flags })
  const runtime = createRuntime({ config, cacheDir: null })
  const run = async (body) => {
    const code = `def main(args):\n    ${body}\n`
    const { status, error, isolation } = await runtime.runCode(
      { language: 'python', code },
      { cwd: '/', env },
    )
    return { status, error: error?.type, tier: isolation?.tier, limits: isolation?.limits }
  }
  return { fine: await run('return 1'), eats: await run(EATS.replaceAll('\n', '\n    ')) }
}

/** Weights of a group: at first, lowered for each reason, and after a reset. */
async function lowerWeights() {
  const group = createControlGroup('run_weights', { memoryBytes: 64 * MIB, processes: 20 })
  if (!group) return { group: null }
  const file = `${group.folders[0]}/cpu.weight`
  if (!existsSync(file)) return { weights: null, isWeighted: group.lowerPriority('several') }
  const read = () => Number(readFileSync(file, 'utf8'))
  const lower = (reason) => {
    group.lowerPriority(reason)
    return read()
  }
  const weights = [read(), lower('long'), lower('several'), lower('long')]
  group.reset()
  weights.push(read())
  await group.remove()
  return { weights }
}

const STEPS = {
  total: () => tryGroup({ memoryBytes: 512 * MIB, totalMemoryBytes: 48 * MIB }),
  run: runCode,
  weights: lowerWeights,
}

const found = await (STEPS[step] ?? tryGroup)().catch((error) => ({ error: String(error) }))
const own = readFileSync('/proc/self/cgroup', 'utf8').trim()
console.log(JSON.stringify({ step, own, ...found }))
