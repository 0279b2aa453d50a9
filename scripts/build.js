// Compiles src to dist and adds what tsc does not: the bundle and its licences, the Python that runs inside sandboxes,
// JSON Schemas, the tools as MCP lists them. The archive has the bundle; tests also use the single modules. Types are checked by `npm run types`, so that a build does not wait for it.
// With --if-stale it does nothing if dist has what it would write.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildConsole } from './build-console.js'
import { writeBundledPackages } from './bundle-licenses.js'
import { copyTypes } from './build-types.js'
import { DIGEST_FILE, digestSources, isBuilt } from './source-digest.js'

const root = fileURLToPath(new URL('..', import.meta.url))
if (process.argv.includes('--if-stale') && isBuilt()) process.exit()
process.chdir(root)
const digest = digestSources()
rmSync('dist', { recursive: true, force: true })
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck'], {
  stdio: 'inherit',
})
if (compiled.status !== 0) process.exit(compiled.status ?? 1)
for (const folder of ['guest', 'core/lint/python', 'core/adopting/python', 'core/trials/hooks']) {
  if (!existsSync(`src/${folder}`)) continue
  cpSync(`src/${folder}`, `dist/${folder}`, {
    recursive: true,
    filter: (path) => !path.endsWith('.ts') && !path.includes('__pycache__'),
  })
}
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
copyTypes(Object.values(exports).flatMap(({ types }) => types?.slice('./dist/types/'.length) ?? []))
const { bundledFiles } = await import('./bundle.js')
const { scripts } = await buildConsole('dist/console/')
writeBundledPackages([...bundledFiles, ...scripts.flatMap(({ modules }) => modules)])
mkdirSync('dist/schemas', { recursive: true })
const { SCHEMAS } = await import(new URL('../dist/core/schema/schemas.js', import.meta.url).href)
for (const [name, schema] of Object.entries(SCHEMAS)) {
  writeFileSync(`dist/schemas/${name}.schema.json`, `${JSON.stringify(schema(), null, 2)}\n`)
}
const known = new URL('../dist/mcp/tools/write-known-tools.js', import.meta.url)
const { writeKnownTools } = await import(known.href)
writeKnownTools()
writeFileSync(DIGEST_FILE, digest)
