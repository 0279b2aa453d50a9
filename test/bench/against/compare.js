// Decides from ratios of two builds whether a path is slow. A ratio is the time of one build divided
// by that of the other in the same round, above 1 if it is slower.
import { median, quantile } from '../quantile.js'

/** A path whose median ratio is higher is slow. */
const LIMIT = 1.15
const NAMES = { wall: 'wall time', cpu: 'CPU time' }

/** True if all medians are below the limit with a confidence of 95 %. */
export function isClearlyFast(ratios) {
  return Object.values(ratios).every((list) => findUpperBound(list) <= LIMIT)
}

/** Upper bound of the median by its rank, which assumes nothing about the distribution of noise. */
function findUpperBound(list) {
  const rank = Math.ceil((list.length + 1) / 2 + 0.82 * Math.sqrt(list.length))
  return list.toSorted((a, b) => a - b)[rank - 1] ?? Infinity
}

/** Returns a sentence per metric in which the path is slow. */
export function findSlow(name, ratios) {
  return Object.entries(ratios)
    .filter(([, list]) => median(list) > LIMIT)
    .map(
      ([metric, list]) =>
        `slow: ${name}: ${median(list).toFixed(2)} times the ${NAMES[metric]}, at most ${LIMIT} (${list.length} rounds)`,
    )
}

export function formatRatios({ wall, cpu }) {
  return `wall ${formatSpread(wall)}   CPU ${formatSpread(cpu)}   ${wall.length} rounds`
}

function formatSpread(list) {
  const [middle, low, high] = [0.5, 0.25, 0.75].map((share) => quantile(list, share).toFixed(2))
  return `${middle} (${low} to ${high})`
}
