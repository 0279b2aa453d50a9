// Prints the files of a test report that have a test with a status, one per line: list-test-files.js report.json failed
import { readFileSync } from 'node:fs'

const [report, wanted] = process.argv.slice(2)
const { tests } = JSON.parse(readFileSync(report, 'utf8'))
const found = tests.filter(({ status, file }) => status === wanted && file !== '')
for (const file of new Set(found.map((test) => test.file))) console.log(file)
