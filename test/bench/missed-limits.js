/** A shared machine is this noisy: a limit that is missed by less is printed, but fails nothing. */
const TOLERANCE = 0.25

/** The limits that rows of a bench miss, each with by how much: 0.1 is a tenth beyond the limit. */
export function findMissedLimits(rows) {
  return rows.flatMap(({ arm, median, p95, max, limit, limitP95, atLeast, least, ...row }) =>
    [
      {
        what: median === undefined ? 'worst case' : 'median',
        value: median ?? p95 ?? max,
        most: limit,
      },
      { what: 'p95', value: p95, most: limitP95 },
      { what: 'median', value: median, least: atLeast ?? least },
      { what: 'MiB', value: row.memoryMiB, most: row.memoryLimitMiB },
    ]
      .map((bound) => ({ arm, ...bound, beyond: missedBy(bound) }))
      .filter(({ beyond }) => beyond > 0),
  )
}

function missedBy({ value, most, least }) {
  if (value === undefined) return 0
  if (most !== undefined) return value / most - 1
  return least === undefined ? 0 : least / value - 1
}

/** Prints every missed limit and failed arm; true if noise does not explain all of them. */
export function printMissedLimits(rows) {
  const missed = findMissedLimits(rows)
  const failed = rows.filter(({ failure }) => failure !== undefined)
  for (const { arm, failure } of failed) console.log(`failed by itself: ${arm}: ${failure}`)
  for (const { arm, what, value, most, least, beyond } of missed) {
    const bound = most === undefined ? `at least ${least}` : `at most ${most}`
    const verdict = beyond > TOLERANCE ? 'failed' : 'missed'
    console.log(`${verdict}: ${arm}: ${what} ${value.toFixed(2)}, ${bound}`)
  }
  return failed.length > 0 || missed.some(({ beyond }) => beyond > TOLERANCE)
}
