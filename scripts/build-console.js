// Bundles the console: scripts and one style sheet with the digest of their content in their names, the
// page that loads them, and each file in the forms in which servers send it.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../', import.meta.url))
const source = `${root}src/console/`
const target = `${root}dist/console/`

const bundle = await rolldown({
  cwd: root,
  input: { main: `${source}main.tsx` },
  platform: 'browser',
  tsconfig: `${source}tsconfig.json`,
  logLevel: 'silent',
})
const { output } = await bundle.generate({
  format: 'esm',
  minify: true,
  entryFileNames: '[name]-[hash].js',
  chunkFileNames: '[name]-[hash].js',
})
await bundle.close()

const styles = readdirSync(`${source}styles`)
  .filter((name) => name.endsWith('.css'))
  .toSorted()
  .map((name) => readFileSync(`${source}styles/${name}`, 'utf8'))
const style = minifyStyle(styles.join('\n'))
const styleName = `style-${createHash('sha256').update(style).digest('hex').slice(0, 8)}.css`
const scripts = output.filter(({ type }) => type === 'chunk')
const entry = scripts.find(({ isEntry }) => isEntry)
const page = readFileSync(`${source}index.html`, 'utf8')
  .replace('{{style}}', `/console/assets/${styleName}`)
  .replace('{{script}}', `/console/assets/${entry.fileName}`)

rmSync(target, { recursive: true, force: true })
mkdirSync(`${target}assets`, { recursive: true })
writeForms('index.html', page)
writeForms('assets/icon.svg', readFileSync(`${source}icon.svg`, 'utf8'))
writeForms(`assets/${styleName}`, style)
for (const { fileName, code } of scripts) writeForms(`assets/${fileName}`, code)
// Loaded with the page; everything else is loaded when a page needs it.
const first = [entry.fileName, ...entry.imports]
writeFileSync(
  `${target}files.json`,
  `${JSON.stringify({ first: [...first, styleName], all: [styleName, ...scripts.map(({ fileName }) => fileName)] }, null, 2)}\n`,
)

function writeForms(name, text) {
  const bytes = Buffer.from(text)
  writeFileSync(`${target}${name}`, bytes)
  writeFileSync(`${target}${name}.gz`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${target}${name}.br`, brotliCompressSync(bytes, { params }))
}

/** Removes comments and space between tokens. No string of the style sheet has two spaces. */
function minifyStyle(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .trim()
}
