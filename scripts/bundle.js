// Joins the modules of the command line and the library into few files: loading forty small ones costs more than
// Node itself. What every command needs is one file, each command stays another, loaded when it is typed.
import { readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { bundlePackages, PACKAGE_FILES } from './bundle-packages.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const { exports, dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
/** The library: its entries are built at `dist/bundle/<path of the source>`. */
const LIBRARY = Object.values(exports)
  .flatMap((target) => target.default ?? [])
  .map((path) => path.slice('./dist/bundle/'.length, -'.js'.length))
/** Started as threads and processes of their own, each by a module that finds it next to its own place. */
const STARTED = ['core/offload/worker', 'core/detached/main']
const STARTERS = new Set(['core/offload/offload', 'core/runs/detached/start-detached'])
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
/** What every command shares with the client of the library, which runs in browsers: it imports nothing of the rest. */
const errors = new Set()
/** What every command shares with the rest of the library. */
const base = new Set()
const start = new Set()
const run = new Set()
/** What others import as well: they are not to bring all of a run along. */
const shared = new Set([`${root}src/core/skills/content/read-content.ts`])
/** Small modules that import nothing and are needed here and there: a file for each would be hundreds of files. */
const leaves = new Set()
const MAX_LEAF_CHARS = 1500
/** Each costs those who start none some of Node's own modules. */
const STARTS_PROCESSES = /src.core.(?:sandbox|languages)./

/** Installed beside this package by those who need them. */
const BESIDE = new Set(['@nats-io/jetstream', '@nats-io/transport-node', 'esbuild'])
/** A path in dist, which each file of the bundle names from its own place. */
const PLACE = 'skills-place:'
/** What is loaded with the `require` of a module: it is found from the place of the file that was joined. */
const REQUIRED = /(?<!`)\brequire(?<how>|\.resolve)\('(?<name>[^'.]+)'\)/g

/** A joined module still means the place of its own file by `import.meta.url`. */
const keepPlaces = {
  name: 'keep-places',
  resolveId(id, importer) {
    const file = id === 'zod' ? undefined : PACKAGE_FILES.get(id)
    const isOurs = importer?.startsWith(`${root}src`)
    return file && isOurs ? { id: PLACE + file, external: true } : undefined
  },
  load(id) {
    if (!id.startsWith(`${root}src`)) return undefined
    const file = relative(`${root}src`, id).replaceAll('\\', '/').replace(/\.ts$/, '')
    const path = `${STARTERS.has(file) ? 'bundle/' : ''}${file}.js`
    const place = `new URL(${JSON.stringify(PLACE + path)}, import.meta.url).href`
    const code = readFileSync(id, 'utf8')
      .replaceAll(/(?<!createRequire\()import\.meta\.url/g, place)
      .replaceAll(REQUIRED, (call, how, name) => {
        const packageFile = PACKAGE_FILES.get(name)
        if (packageFile) return `require${how}('${PLACE}${packageFile}')`
        checkInstalled(name)
        return call
      })
    return { code, moduleType: 'ts' }
  },
  renderChunk(code, { fileName }) {
    if (!code.includes(PLACE)) return undefined
    const folder = dirname(`bundle/${fileName}`)
    return code.replaceAll(/(?<quote>["'`])skills-place:(?<path>[^"'`]+)/g, (_, quote, path) => {
      const found = relative(folder, path)
      return `${quote}${found.startsWith('.') ? '' : './'}${found}`
    })
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
    collect(this, ['client/index'], errors)
    collect(this, LIBRARY, base)
    for (const id of this.getModuleIds()) if (!errors.has(id) && isLeaf(this, id)) leaves.add(id)
    for (const id of [...errors].filter((each) => !start.has(each))) errors.delete(id)
    for (const id of [...base].filter((each) => !start.has(each))) base.delete(id)
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

function isLeaf(bundler, id) {
  const { code, importedIds, importers, isEntry } = bundler.getModuleInfo(id)
  return (
    id.startsWith(`${root}src`) &&
    !isEntry &&
    importedIds.length === 0 &&
    importers.length > 1 &&
    code.length <= MAX_LEAF_CHARS
  )
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

const ZOD_ENTRY = PACKAGE_FILES.get('zod').slice('bundle/'.length, -'.js'.length)
/** The part of zod that is loaded by `require`. */
const entryOfZod = {
  name: 'entry-of-zod',
  resolveId: (id) => (id === ZOD_ENTRY ? `\0${ZOD_ENTRY}` : undefined),
  load: (id) =>
    id === `\0${ZOD_ENTRY}`
      ? `import { fromJSONSchema } from 'zod'
         export const z = { fromJSONSchema }`
      : undefined,
}

const isJoined = (id) => /^[./\0]/.test(id) || id.startsWith(root) || JOINED.test(id)
/** A package that the bundle has to find in the installation. */
function checkInstalled(id) {
  const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(id)
  if (id.startsWith('node:') || name in dependencies || BESIDE.has(name)) return
  throw new Error(`"${name}" is neither a dependency nor named in scripts/bundle-packages.js`)
}

const packages = await bundlePackages()
const bundle = await rolldown({
  cwd: root,
  input: {
    main: `${root}src/${FIRST[0]}.ts`,
    ...Object.fromEntries([...LIBRARY, ...STARTED].map((name) => [name, `${root}src/${name}.ts`])),
    [ZOD_ENTRY]: ZOD_ENTRY,
  },
  platform: 'node',
  // What a joined package needs may not be found from the place of the joined file.
  external(id, importer) {
    if (isJoined(id) || PACKAGE_FILES.has(id) || importer?.includes('/node_modules/')) return false
    checkInstalled(id)
    return true
  },
  tsconfig: false,
  logLevel: 'silent',
  plugins: [entryOfZod, leaveOutAjv, keepPlaces, collectStart],
})
const { output } = await bundle.write({
  dir: 'dist/bundle',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: {
    groups: [
      { name: 'errors', test: (id) => errors.has(id) },
      { name: 'base', test: (id) => base.has(id) },
      { name: 'start', test: (id) => start.has(id) },
      { name: 'shared', test: (id) => shared.has(id) },
      { name: 'run', test: (id) => run.has(id) },
      { name: 'mcp-first', test: (id) => MCP_FIRST.some((name) => id === `${root}src/${name}.ts`) },
      { name: 'leaves', test: (id) => leaves.has(id) },
      { name: 'zod', test: /node_modules\/zod\/(?!.*from-json-schema)/ },
      { name: 'mcp-sdk', test: /node_modules\/@modelcontextprotocol\// },
    ],
  },
})
await bundle.close()
checkBrowserFiles(['client/index.js'])

/** Browsers load the client without a bundler. The helpers of the bundler are for Node: `import()` of its modules needs them. */
function checkBrowserFiles(files) {
  const found = new Set(files)
  for (const file of found) {
    if (file.startsWith('node:')) throw new Error(`The client of the library imports "${file}"`)
    const { imports = [] } = output.find(({ fileName }) => fileName === file) ?? {}
    for (const each of imports) found.add(each)
  }
}

/** Files of the sources and of packages that are in the bundle. */
export const bundledFiles = [...packages, ...output.flatMap(({ moduleIds = [] }) => moduleIds)]
