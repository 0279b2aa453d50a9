// Joins the modules of the command line into few files: loading forty small ones costs more than Node
// itself. What every command needs is one file, each command stays another, loaded when it is typed.
// The library and the files that are found by their place stay as the compiler wrote them.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../', import.meta.url))
/** What runs in every command line, with the command that is measured against Node itself. */
const FIRST = ['cli/main', 'cli/program', 'cli/commands/list']
/** What every run in a sandbox needs, whichever command line or server begins it. */
const RUN_FIRST = [
  'core/runs/perform-run',
  'core/runs/record-run',
  'core/runs/authorize',
  'core/runs/supervise/function',
  'core/runs/supervise/program',
  'core/policy/load-policy',
  'core/audit/audit-log',
  'core/runs/history/file-run-store',
  'core/storage/file-blob-store',
  'core/outputs/store/file-output-store',
  'util/stamped-values',
  'core/sandbox/sandboxes',
  'core/sandbox/linux/start-cold',
  'core/languages/python',
]
/** What a client of MCP waits for until it has its first answer. */
const MCP_FIRST = [
  'cli/commands/mcp',
  'mcp/stdio/line-transport',
  'mcp/stdio/fast-path/first-answer',
  'mcp/stdio/fast-path/known-tools',
  'mcp/prompts/prompt-listings',
]
/** Packages of many or large files, which are loaded while somebody waits for a first answer. */
const JOINED = /^(?:commander$|execa$|smol-toml$|zod(?:\/|$)|@modelcontextprotocol\/)/
const start = new Set()
const run = new Set()
/** What others import as well: they are not to bring all of a run along. */
const shared = new Set([`${root}src/core/skills/content/read-content.ts`])
/** Each costs those who start none some of Node's own modules. */
const STARTS_PROCESSES = /src.core.(?:sandbox|languages)./

/** A joined module still means the place of its own file by `import.meta.url`. */
const keepPlaces = {
  name: 'keep-places',
  load(id) {
    if (!id.startsWith(`${root}src`)) return undefined
    const file = relative(`${root}src`, id).replaceAll('\\', '/').replace(/\.ts$/, '.js')
    const place = `new URL(${JSON.stringify(`../${file}`)}, import.meta.url).href`
    return { code: readFileSync(id, 'utf8').replaceAll('import.meta.url', place), moduleType: 'ts' }
  },
}

/** The MCP SDK checks answers to questions that we never ask with a library larger than itself. */
const SHIMS = '@modelcontextprotocol/server/_shims'
const leaveOutAjv = {
  name: 'leave-out-ajv',
  resolveId: (id) => (id === SHIMS ? `\0${SHIMS}` : undefined),
  load: (id) =>
    id === `\0${SHIMS}`
      ? `export { default as process } from 'node:process'
         export class DefaultJsonSchemaValidator {
           getValidator() { throw new Error('This server asks its clients nothing') }
         }`
      : undefined,
}

/** Follows the imports that are not put off, from what runs first. */
const collectStart = {
  name: 'collect-start',
  buildEnd() {
    collect(this, FIRST, start)
    collect(this, RUN_FIRST, run)
    const isShared = (id) =>
      start.has(id) || this.getModuleInfo(id)?.importers.some((each) => !run.has(each))
    const own = new Set(RUN_FIRST.map((name) => `${root}src/${name}.ts`))
    for (let left = -1; left !== run.size;) {
      left = run.size
      for (const id of run) {
        if (own.has(id) || !isShared(id)) continue
        run.delete(id)
        if (!start.has(id) && !STARTS_PROCESSES.test(id)) shared.add(id)
      }
    }
  },
}

function collect(bundler, names, found) {
  const pending = names.map((name) => `${root}src/${name}.ts`)
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (found.has(id) || !isJoined(id)) continue
    found.add(id)
    const module = bundler.getModuleInfo(id)
    if (!module) throw new Error(`"${id}" is no part of the command line any more`)
    pending.push(...module.importedIds)
  }
}

const isJoined = (id) => /^[./]/.test(id) || id.startsWith(root) || JOINED.test(id)
const bundle = await rolldown({
  cwd: root,
  input: `${root}src/${FIRST[0]}.ts`,
  platform: 'node',
  // What a joined package needs may not be found from the place of the joined file.
  external: (id, importer) => !isJoined(id) && !importer?.includes('/node_modules/'),
  tsconfig: false,
  logLevel: 'silent',
  plugins: [leaveOutAjv, keepPlaces, collectStart],
})
await bundle.write({
  dir: 'dist/bundle',
  format: 'esm',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: {
    groups: [
      { name: 'start', test: (id) => start.has(id) },
      { name: 'shared', test: (id) => shared.has(id) },
      { name: 'run', test: (id) => run.has(id) },
      { name: 'mcp-first', test: (id) => MCP_FIRST.some((name) => id === `${root}src/${name}.ts`) },
      { name: 'zod', test: /node_modules\/zod\// },
      { name: 'mcp-sdk', test: /node_modules\/@modelcontextprotocol\// },
    ],
  },
})
