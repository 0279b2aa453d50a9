// Prints the test files that failed according to a JSON report of vitest, one per line.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
for (const { name, status } of testResults)
  if (status === 'failed') console.log(relative(process.cwd(), name))
