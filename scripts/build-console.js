// Bundles the console: scripts and one style sheet with the digest of their content in their names, the
// page that loads them, and each file in the forms in which servers send it.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../', import.meta.url))
const source = `${root}src/console/`

/** Builds the console into a folder. Returns the name of its style sheet, and facts about its scripts. */
export async function buildConsole(target) {
  const scripts = await bundleScripts()
  const entry = scripts.find(({ isEntry }) => isEntry)
  const style = minifyStyle(readStyles())
  const styleName = `style-${createHash('sha256').update(style).digest('hex').slice(0, 8)}.css`
  const page = readFileSync(`${source}index.html`, 'utf8')
    .replace('{{style}}', `/console/assets/${styleName}`)
    .replace('{{preloads}}', listPreloads(scripts).join('\n    '))
    .replace('{{script}}', `/console/assets/${entry.fileName}`)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(`${target}assets`, { recursive: true })
  writeForms(`${target}assets/icon.svg`, readFileSync(`${source}icon.svg`, 'utf8'))
  writeForms(`${target}assets/${styleName}`, style)
  for (const { fileName, code } of scripts) writeForms(`${target}assets/${fileName}`, code)
  writeForms(`${target}index.html`, page)
  return {
    style: styleName,
    scripts: scripts.map(({ fileName, facadeModuleId, imports, moduleIds }) => ({
      file: fileName,
      entry: facadeModuleId,
      imports,
      modules: moduleIds,
    })),
  }
}

/** Links to what the first script imports, so that all is fetched at once and not one after the other. */
function listPreloads(scripts) {
  return listFirst(scripts)
    .filter(({ isEntry }) => !isEntry)
    .map(({ fileName }) => `<link rel="modulepreload" href="/console/assets/${fileName}" />`)
}

async function bundleScripts() {
  const bundle = await rolldown({
    cwd: root,
    input: { main: `${source}main.tsx` },
    platform: 'browser',
    tsconfig: `${source}tsconfig.json`,
    logLevel: 'silent',
  })
  const options = {
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  }
  const split = await generateChunks(bundle, options)
  // All that the first page needs is one file: a browser fetches few at once.
  const first = new Set(listFirst(split).flatMap(({ moduleIds }) => moduleIds))
  const groups = [{ name: 'first', test: (id) => first.has(id) }]
  const scripts = await generateChunks(bundle, { ...options, codeSplitting: { groups } })
  await bundle.close()
  return scripts
}

async function generateChunks(bundle, options) {
  const { output } = await bundle.generate(options)
  return output.filter(({ type }) => type === 'chunk')
}

/** The first script, and those that it imports. */
function listFirst(scripts) {
  const found = new Set()
  const pending = scripts.filter(({ isEntry }) => isEntry)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (found.has(next)) continue
    found.add(next)
    pending.push(...scripts.filter(({ fileName }) => next.imports.includes(fileName)))
  }
  return [...found]
}

function readStyles() {
  return readdirSync(`${source}styles`)
    .filter((name) => name.endsWith('.css'))
    .toSorted()
    .map((name) => readFileSync(`${source}styles/${name}`, 'utf8'))
    .join('\n')
}

function writeForms(path, text) {
  const bytes = Buffer.from(text)
  writeFileSync(path, bytes)
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
}

/** Removes comments and space between tokens. No string of the style sheet has two spaces. */
function minifyStyle(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .trim()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole(`${root}dist/console/`)
