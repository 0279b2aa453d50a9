// Prints the version and licence of each package that users get, installed or bundled; fails on a licence that is not
// allowed. What is bundled is known after a build.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listLicenses, type Lockfile } from './licenses/report.ts'

const file = resolve(process.argv[2] ?? 'package-lock.json')
const list = fileURLToPath(new URL('../dist/.bundled', import.meta.url))
if (!existsSync(list))
  throw new Error('dist/ is missing, and lists the bundled packages. Type: npm run build')
const bundled = JSON.parse(readFileSync(list, 'utf8')) as string[]
const found = listLicenses(JSON.parse(readFileSync(file, 'utf8')) as Lockfile, bundled)
const width = Math.max(0, ...found.map(({ name, version }) => name.length + version.length + 1))
for (const { name, version, license } of found) {
  process.stdout.write(`${`${name}@${version}`.padEnd(width)}  ${license ?? 'no licence'}\n`)
}
const refused = found.filter((each) => !each.isAllowed)
if (refused.length > 0) {
  const names = refused.map(({ name, license }) => `  ${name}: ${license ?? 'no licence'}`)
  process.stderr.write(`Licences that are not in the list of scripts/licenses/report.ts:\n`)
  process.stderr.write(`${names.join('\n')}\n`)
  process.exitCode = 1
}
