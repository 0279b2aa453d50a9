/**
 * Calls every arm once a round and returns its samples by name. The arms alternate, so that a
 * machine that slows down affects all of them, and each round reverses their order, so that none
 * always follows the same other.
 */
export async function runInTurns(arms, { rounds, warmUp = 1 }) {
  const samples = Object.fromEntries(Object.keys(arms).map((name) => [name, []]))
  const order = Object.entries(arms)
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, measure] of order) {
      const sample = await measure()
      // The first rounds fill our caches and those of the system.
      if (round >= 0) samples[name].push(sample)
    }
    order.reverse()
  }
  return samples
}

/** The milliseconds that each arm takes in each round. */
export async function timeInTurns(arms, options) {
  const timed = Object.entries(arms).map(([name, work]) => [name, () => measureMs(work)])
  return await runInTurns(Object.fromEntries(timed), options)
}

export async function measureMs(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}
