// Prints the arms of cold and warm runs as a table.
import { measureArm } from '../measure-arm.js'
import { measureLanguages } from './languages.js'
import { measureWarm } from './measure.js'

/** Prints one line per arm and returns the results. */
export async function printWarm() {
  const rows = []
  for (const measure of [measureWarm, measureLanguages]) {
    const measured = await measureArm(measure.name, measure)
    printRows(measured)
    rows.push(...measured)
  }
  return rows
}

/** Prints one line per row that has a value. */
export function printRows(rows) {
  for (const row of rows) {
    if (row.failure !== undefined) console.log(`${row.arm.padEnd(40)} failed: ${row.failure}`)
    if (row.median !== undefined) console.log(`${row.arm.padEnd(40)} ${formatCell(row)}`)
  }
}

function formatCell({ median, p95, against, limit, limitP95, atLeast, ms, perSecond, serverBusy }) {
  const most = limit === undefined ? '' : `, at most ${limit}${limitP95 ? ` and ${limitP95}` : ''}`
  const least = atLeast === undefined ? '' : `, at least ${atLeast}`
  const spread = p95 === undefined ? '' : ` (p95 ${p95.toFixed(2)}${most})`
  const times = ms ? `; ${ms.median.toFixed(1)} ms, p95 ${ms.p95.toFixed(1)} ms` : ''
  const rates = perSecond
    ? `; ${perSecond.ours.toFixed(0)}/s against ${perSecond.base.toFixed(0)}/s`
    : ''
  const busy =
    serverBusy === undefined ? '' : `; the server computes for ${serverBusy.toFixed(2)} of it`
  return `${median.toFixed(2).padStart(6)} x ${against}${spread}${least}${times}${rates}${busy}`
}
