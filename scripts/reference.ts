// Writes docs/reference from the tables of the source code; with --check it only compares.
import { fileURLToPath } from 'node:url'
import { readFlags } from './read-flags.ts'
import { renderReference } from './reference/pages.ts'
import { findStale, writePages } from './reference/sync.ts'

const folder = fileURLToPath(new URL('../docs/reference', import.meta.url))
const isCheck = readFlags('check').has('check')
const pages = await renderReference()
if (isCheck) {
  const stale = findStale(folder, pages)
  if (stale.length > 0) {
    const files = stale.map((path) => `  docs/reference/${path}`).join('\n')
    process.stderr.write(`Out of date:\n${files}\nType: npm run reference\n`)
    process.exitCode = 1
  }
} else {
  const written = writePages(folder, pages)
  process.stdout.write(`${written.length} of ${pages.size} pages of docs/reference changed\n`)
}
