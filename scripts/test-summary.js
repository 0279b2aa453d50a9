// Reads vitest's JSON reports: lists skipped tests, then prints the one line that counts. A test of several
// reports (one per version of Node) counts once, and as failed if one of them reports that.
import { readFileSync } from 'node:fs'

const files = process.argv.slice(2).flatMap((report) => {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  return testResults
})
const status = new Map()
const ORDER = ['skipped', 'passed', 'failed']
for (const { name, assertionResults } of files) {
  for (const [index, test] of assertionResults.entries()) {
    // Names of generated cases contain their seed.
    const key = `${name}\0${test.fullName.replaceAll(/\d{5,}/g, '')}\0${index}`
    const own = ORDER.includes(test.status) ? test.status : 'skipped'
    const known = status.get(key)
    if (!known || ORDER.indexOf(own) > ORDER.indexOf(known.own))
      status.set(key, { own, fullName: test.fullName })
  }
}
const tests = [...status.values()]
for (const { own, fullName } of tests) if (own === 'skipped') console.log(`skipped: ${fullName}`)
const broken = new Set(
  files
    .filter((file) => file.status === 'failed')
    .filter((file) => file.assertionResults.every((test) => test.status !== 'failed'))
    .map((file) => file.name),
)
for (const name of broken) console.log(`did not load: ${name}`)
const count = (own) => tests.filter((test) => test.own === own).length
const [passed, failed] = [count('passed'), count('failed') + broken.size]
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0 || passed === 0) process.exitCode = 1
