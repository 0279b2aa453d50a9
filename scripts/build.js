// Compiles src to dist and copies what tsc does not: the Python that runs inside sandboxes.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)
rmSync('dist', { recursive: true, force: true })
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
if (compiled.status !== 0) process.exit(compiled.status ?? 1)
for (const folder of ['guest', 'core/lint/python']) {
  if (!existsSync(`src/${folder}`)) continue
  cpSync(`src/${folder}`, `dist/${folder}`, {
    recursive: true,
    filter: (path) => !path.endsWith('.ts') && !path.includes('__pycache__'),
  })
}
