// Runs all checks side by side: npm run check. Each is a script of package.json, which runs alone by its own name.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runParts } from './check/run-parts.js'

/** More than these at once use gigabytes of memory. */
const MAX_AT_ONCE = 4

const root = fileURLToPath(new URL('../', import.meta.url))
process.chdir(root)
process.env.PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

// Long ones first among those that can start. Parts that read dist/ wait until it is built, also if they do not need
// it: it is incomplete meanwhile.
const parts = [
  { name: 'build', command: `${scripts.build} --if-stale` },
  { name: 'types', command: scripts.types },
  { name: 'lint', command: scripts.lint, after: 'build' },
  { name: 'package', command: scripts.package, needs: 'build' },
  { name: 'unused code', command: scripts.knip, after: 'build' },
  { name: 'public types', command: `${scripts.api} --check`, needs: 'build' },
  { name: 'reference', command: `${scripts.reference} --check`, after: 'build' },
  { name: 'format', command: scripts['format:check'] },
  { name: 'words', command: scripts.words },
  { name: 'licences', command: scripts.licenses, needs: 'build' },
  { name: 'file times', command: scripts['file-times'] },
]

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(name, () => {
    process.exitCode = 130
    stop.abort()
  })
// The reader of a pipe has gone, as in `npm run check | head`.
process.stdout.on('error', () => {
  process.exitCode = 1
  stop.abort()
})
const begin = performance.now()
const failed = await runParts(parts, {
  limit: Math.min(MAX_AT_ONCE, availableParallelism()),
  print: (text) => process.stdout.write(text),
  signal: stop.signal,
})
if (!stop.signal.aborted) {
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  const outcome = failed === 0 ? 'passed' : `did not pass: ${failed}`
  process.stdout.write(`${parts.length} checks, ${outcome}, ${seconds} s\n`)
  if (failed > 0) process.exitCode = 1
}
