// Runs tests: `npm test` the fast ones, `npm run test:all` all of them. With --area signing it runs those in folders of this
// name. With --matrix, suites try each attack on each subject instead of a covering selection. Other arguments go to
// vitest. Builds the program first, if the sources have changed. Nothing is installed, and temporary files are in one
// folder that is removed.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuilt } from './source-digest.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const started = Date.now()
const given = process.argv.slice(2)
const isAll = given.includes('--all')
const area = given.includes('--area') ? given.splice(given.indexOf('--area'), 2) : undefined
const others = given.filter((argument) => argument !== '--all' && argument !== '--matrix')
if (area) others.push(...findAreas(area[1] ?? ''))

if (!isBuilt()) {
  console.log('Building: the sources have changed')
  const built = spawnSync(process.execPath, [`${root}scripts/build.js`], { stdio: 'inherit' })
  if (built.status !== 0) process.exit(built.status ?? 1)
}

const folder = mkdtempSync(join(tmpdir(), 'skills-tests-'))
// Tests that become another user create folders in it, as they would in /tmp.
chmodSync(folder, 0o1777)
const argv = [`${root}node_modules/vitest/vitest.mjs`, 'run']
if (!isAll) argv.push('--tags-filter=!slow')
const child = spawn(process.execPath, [...argv, ...others], {
  cwd: root,
  env: {
    ...process.env,
    TMPDIR: folder,
    SKILLS_TESTS_STARTED: String(started),
    ...(given.includes('--matrix') ? { SKILLS_TEST_MATRIX: 'full' } : {}),
    ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
  },
  stdio: 'inherit',
})
// A terminal sends its signals to vitest as well, which ends its workers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('close', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    // A test that was killed may have left a file system mounted in it.
    console.error(`The temporary files of the tests cannot be removed: ${error.message}`)
    process.exitCode ||= 1
  }
})

/** Folders of tests with a name, such as test/core/signing/ and test/cli/signing/. */
function findAreas(name) {
  const found = readdirSync(`${root}test`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name: last }) => `${join(parentPath, last)}/`.slice(root.length))
    .filter((path) => path.endsWith(`/${name}/`))
  if (found.length > 0) return found
  console.error(
    `No folder of tests has the name "${name}": type one, such as "--area signing" or "--area core/lint"`,
  )
  process.exit(2)
}
