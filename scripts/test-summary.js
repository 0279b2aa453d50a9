// Reads vitest's JSON report: lists skipped tests, then closes with the one line that counts.
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const tests = report.testResults.flatMap((file) => file.assertionResults)
const skipped = tests.filter((test) => ['skipped', 'pending', 'todo'].includes(test.status))
for (const test of skipped) console.log(`skipped: ${test.fullName}`)
const brokenFiles = report.testResults.filter(
  (file) =>
    file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
)
for (const file of brokenFiles) console.log(`did not load: ${file.name}`)
const failed = tests.filter((test) => test.status === 'failed').length + brokenFiles.length
const passed = tests.filter((test) => test.status === 'passed').length
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0 || passed === 0) process.exitCode = 1
