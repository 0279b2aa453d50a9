// Writes the test files beyond the budget to test/file-times.json, from the report of the whole fast run
// (SKILLS_TEST_REPORT): node scripts/record-file-times.js <report>
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { BUDGET, FILE, readJson } from './file-times.js'

const [report] = process.argv.slice(2)
if (!report) {
  console.error('Type: node scripts/record-file-times.js <report of the fast tests>')
  process.exit(2)
}
const { date, seconds = {} } = readJson(report)
const files = Object.entries(seconds)
if (files.length === 0) {
  console.error(`${report} lists no test files: nothing is recorded`)
  process.exit(2)
}
const slow = files
  .filter(([, time]) => time > BUDGET)
  .map(([file, time]) => [file, Number(time.toFixed(1))])
  .toSorted(([, one], [, other]) => other - one)
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
writeFileSync(
  FILE,
  `${JSON.stringify({ commit, date: date.slice(0, 10), files: Object.fromEntries(slow) }, null, 2)}\n`,
)
console.log(`${FILE}: ${slow.length} of ${files.length} test files take more than ${BUDGET} s`)
