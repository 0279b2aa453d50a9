// Takes the pictures that docs/console-pages.md shows, from the pages that the browser tests open:
// npm run docs:pictures
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const shown = readFileSync(`${root}docs/console-pages.md`, 'utf8').matchAll(
  /\/console\/([\w-]+\.png)/g,
)
const names = [...new Set([...shown].map(([, name]) => name))]
const taken = mkdtempSync(join(tmpdir(), 'pictures-'))
const { status } = spawnSync('npx', ['vitest', 'run', 'test/console'], {
  cwd: root,
  env: { ...process.env, SKILLS_SCREENSHOTS: taken },
  stdio: 'inherit',
})
if (status !== 0) {
  console.error('The tests of the console failed, so the pictures stay as they were.')
  process.exit(1)
}
const folder = `${root}docs/public/console`
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const name of names) {
  if (existsSync(join(taken, name))) copyFileSync(join(taken, name), join(folder, name))
  else {
    console.error(
      `No test takes the picture ${name}. Remove it from docs/console-pages.md, or add it to a test.`,
    )
    process.exitCode = 1
  }
}
rmSync(taken, { recursive: true })
console.log(`${names.length} pictures are in docs/public/console.`)
