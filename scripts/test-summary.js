// Summarises a folder of vitest's JSON reports, one per version of Node: lists skipped, unsteady and failed tests,
// failed ones last because a log may be cut at its head, then prints the one line that counts. A test of several
// reports counts once, and as failed if it failed in one of them.
// `20.again.json` has the second run of the files that failed in `20.json`. A test that fails, then passes alone,
// is unsteady: it counts as passed and is listed.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const STATUSES = ['skipped', 'passed', 'unsteady', 'failed']
const MESSAGE_LENGTH = 600

const folder = process.argv[2]
const all = new Map()
for (const name of readdirSync(folder).filter((file) => /^[^.]+\.json$/.test(file))) {
  const tests = readTests(join(folder, name))
  const second = join(folder, name.replace('.json', '.again.json'))
  const repeated = existsSync(second) ? readTests(second) : new Map()
  for (const [key, test] of new Map([...repeated, ...tests])) {
    if (test.status === 'failed' && repeated.get(key)?.status === 'passed') test.status = 'unsteady'
    const known = all.get(key)
    if (!known || STATUSES.indexOf(test.status) > STATUSES.indexOf(known.status)) all.set(key, test)
  }
}
const results = [...all.values()].filter((test) => !test.isFile || test.status === 'failed')
for (const status of ['skipped', 'unsteady', 'failed'])
  for (const test of results.filter((result) => result.status === status)) print(test)
const count = (...statuses) => results.filter((test) => statuses.includes(test.status)).length
const [passed, failed] = [count('passed', 'unsteady'), count('failed')]
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0 || passed === 0) process.exitCode = 1

/** Tests of a report by a key that is the same in each report. A file has an entry of its own, which counts as a
 * failed test if the file did not load or a hook failed. */
function readTests(report) {
  const tests = new Map()
  for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    const name = relative(process.cwd(), file.name)
    const hasFailure = file.assertionResults.some((test) => test.status === 'failed')
    const status = file.status === 'failed' && !hasFailure ? 'failed' : 'passed'
    tests.set(name, { isFile: true, status, name: `${name} loads`, message: file.message ?? '' })
    for (const [index, test] of file.assertionResults.entries()) {
      // Names of generated cases contain their seed.
      const key = `${name}\0${test.fullName.replaceAll(/\d{5,}/g, '')}\0${index}`
      tests.set(key, {
        status: STATUSES.includes(test.status) ? test.status : 'skipped',
        name: test.status === 'failed' ? `${name}: ${test.fullName}` : test.fullName,
        message: (test.failureMessages ?? []).join('\n'),
      })
    }
  }
  return tests
}

function print({ status, name, message }) {
  console.log(`${status}: ${name}`)
  if (message) console.log(message.slice(0, MESSAGE_LENGTH).replaceAll(/^/gm, '    '))
}
