// Measures one path of two builds, for as long as the comparison is unclear.
import { createTemporaryFolder } from '../temporary-folder.js'
import { runInTurns } from '../turns.js'
import { isClearlyFast } from './compare.js'

const ROUNDS = 9
/** A path that may be slow is measured in this number of batches. */
const BATCHES = 4

/** Returns the times of the one build divided by those of the other, a ratio per round. */
export async function measurePath(path, roots) {
  const builds = roots.map((root) => {
    const dir = createTemporaryFolder('against')
    path.fill?.(dir)
    return { root, dir }
  })
  const ratios = { wall: [], cpu: [] }
  for (let batch = 0; batch < BATCHES && !isClearlyFast(ratios); batch++) {
    const [own, other] = await measureBatch(path, builds)
    for (const [metric, list] of Object.entries(ratios)) {
      list.push(...own.map((sample, round) => sample[metric] / other[round][metric]))
    }
  }
  return ratios
}

/** Each batch has its own processes, because one process may be slower than another by chance. */
async function measureBatch(path, builds) {
  const arms = await Promise.all(builds.map(path.open))
  try {
    const measured = Object.fromEntries(arms.map(({ measure }, at) => [at, measure]))
    return Object.values(await runInTurns(measured, { rounds: ROUNDS }))
  } finally {
    await Promise.all(arms.map(({ close }) => close?.()))
  }
}
