// A cold run in gVisor, the tier of `run.isolation.strangers = "kernel"`, against a cold run on the kernel
// of this machine. Where gVisor starts no run, a line says so.
import { median, quantile } from '../quantile.js'
import { openRuntime, runTrivialCode } from './library.js'

const ROUNDS = 5

export async function measureOwnKernel() {
  const shared = await openRuntime({ 'run.backend': 'namespaces' })
  const own = await openRuntime({ 'run.container.runtime': 'runsc' })
  try {
    await runTrivialCode(own, 'cold')
  } catch (error) {
    console.log(`cold run in gVisor: not measured, it starts none here: ${error.message}`)
    return []
  }
  const times = { shared: [], own: [] }
  for (let round = 0; round < ROUNDS; round++) {
    times.shared.push(await timed(() => runTrivialCode(shared, 'cold')))
    times.own.push(await timed(() => runTrivialCode(own, 'cold')))
  }
  const ratios = times.own.map((ms, at) => ms / times.shared[at])
  const medianMs = { shared: median(times.shared), own: median(times.own) }
  return {
    arm: 'cold run in gVisor',
    against: "a cold run on this machine's kernel",
    median: medianMs.own / medianMs.shared,
    p95: quantile(ratios, 0.95),
    medianMs,
  }
}

async function timed(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}
