// Summarises a folder of test reports: lists skipped, unsteady and failed tests, failed ones last because a log may be cut
// at its head, then prints the one line that counts. A test of several reports counts once, and as failed if it failed in
// one of them.
// `fast.again.json` has the second run of the files that failed in `fast.json`. A test that fails, then passes alone, is
// unsteady: it counts as passed and is listed with its failure.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files whose times are printed, of each report that has so many. */
const SLOWEST = 40
const STATUSES = ['skipped', 'passed', 'unsteady', 'failed']
const MESSAGE_LENGTH = 600
/** Name of a failure that no test has, such as one of a hook. */
const OUTSIDE = 'outside of its tests'

const folder = process.argv[2]
const all = new Map()
for (const name of readdirSync(folder).filter((file) => /^[^.]+\.json$/.test(file))) {
  const second = join(folder, name.replace('.json', '.again.json'))
  const repeated = existsSync(second) ? readTests(second) : new Map()
  const repeatedFiles = new Set([...repeated.values()].map(({ file }) => file))
  for (const [key, test] of new Map([...repeated, ...readTests(join(folder, name))])) {
    const passedAgain =
      test.name === OUTSIDE
        ? repeatedFiles.has(test.file) && !repeated.has(key)
        : repeated.get(key)?.status === 'passed'
    if (test.status === 'failed' && passedAgain) test.status = 'unsteady'
    const known = all.get(key)
    if (!known || STATUSES.indexOf(test.status) > STATUSES.indexOf(known.status)) all.set(key, test)
  }
}
for (const name of ['bare', 'slow']) {
  const file = join(folder, `${name}.json`)
  if (existsSync(file)) printSlowest(name, JSON.parse(readFileSync(file, 'utf8')).seconds)
}
const results = [...all.values()]
const list = (status) => results.filter((test) => test.status === status)
for (const reason of new Set(list('skipped').map(({ message }) => message))) {
  const tests = list('skipped').filter(({ message }) => message === reason)
  console.log(`skipped: ${tests.length} tests: ${reason}`)
}
for (const status of ['unsteady', 'failed'])
  for (const { file, name, message } of list(status)) {
    console.log(`${status}: ${file}: ${name}`)
    if (message) console.log(message.slice(0, MESSAGE_LENGTH).replaceAll(/^/gm, '    '))
  }
const [passed, failed] = [list('passed').length + list('unsteady').length, list('failed').length]
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0 || passed === 0) process.exitCode = 1

/** Prints the slowest files of a report with their seconds, on few lines. */
function printSlowest(name, seconds) {
  const slowest = Object.entries(seconds ?? {})
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([file, time]) => `${Math.round(time)} ${file.replace(/^test\/|\.test\.ts$/g, '')}`)
  console.log(`slowest files of ${name}, in seconds: ${slowest.join(', ')}`)
}

/** Tests of a report by a key that is the same in each report. */
function readTests(report) {
  const counts = new Map()
  const tests = new Map()
  for (const test of JSON.parse(readFileSync(report, 'utf8')).tests) {
    // Names of generated cases contain their seed; several tests may have the same name.
    const name = `${test.file}\0${test.name.replaceAll(/\d{5,}/g, '')}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
    tests.set(`${name}\0${counts.get(name)}`, test)
  }
  return tests
}
