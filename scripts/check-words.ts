// Fails where a limit of words or names is exceeded; --list prints every place that counts.
import { fileURLToPath } from 'node:url'
import { readFlags } from './read-flags.ts'
import { checkWords } from './words/check-words.ts'

const isListing = readFlags('list').has('list')
for (const { what, found, limit } of checkWords(
  fileURLToPath(new URL('../src', import.meta.url)),
)) {
  const isExceeded = found.length > limit
  process.stdout.write(
    `${isExceeded ? 'too many' : 'ok'}: ${found.length} ${what}, at most ${limit}\n`,
  )
  if (isExceeded || isListing) for (const each of found) process.stdout.write(`  src/${each}\n`)
  if (isExceeded) process.exitCode = 1
}
