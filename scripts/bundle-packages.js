// Puts the packages that the program loads late into dist/bundle/packages, each in one file, so that who installs the
// program installs none of them. The main bundle and these files name each other by their places in dist.
import { copyFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../', import.meta.url))
const FOLDER = 'bundle/packages'
/** Loaded by the program alone. */
const BUNDLED = [
  '@sigstore/bundle',
  '@sigstore/protobuf-specs',
  '@sigstore/verify',
  'fast-string-width',
  'fast-wrap-ansi',
  'fflate',
  'gpt-tokenizer/encoding/cl100k_base',
  'gpt-tokenizer/encoding/o200k_base',
  'jsonc-parser',
  'mdast-util-from-markdown',
  'mdast-util-gfm-strikethrough',
  'mdast-util-gfm-table',
  'micromark-extension-gfm-strikethrough',
  'micromark-extension-gfm-table',
  'semver',
  'toml-eslint-parser',
  'unbash',
  'yaml',
]
/** Sandboxes load these too: their folders are mounted. A package without "type" is CommonJS, which its name must say here. */
const COPIED = {
  acorn: { from: 'acorn/dist/acorn.mjs', to: `${FOLDER}/acorn/acorn.mjs` },
  '@swc/wasm-typescript': { from: '@swc/wasm-typescript/wasm.js', to: `${FOLDER}/swc/wasm.cjs` },
}
/** Makes its schemas from the copy of zod in the main bundle. */
const ZOD = `${FOLDER}/zod.js`

const nameFile = (name) => name.replace(/^@/, '').replaceAll('/', '-')
/** Path in dist of each package, by what the sources import. */
export const PACKAGE_FILES = new Map([
  ...BUNDLED.map((name) => [name, `${FOLDER}/${nameFile(name)}.js`]),
  ...Object.entries(COPIED).map(([name, { to }]) => [name, to]),
  ['zod', ZOD],
])

/** Names the exports of each package: a bundle of a CommonJS file has only a default one. */
const nameExports = {
  name: 'name-exports',
  resolveId: (id) => (id.startsWith('entry:') ? `\0${id}` : undefined),
  async load(id) {
    if (!id.startsWith('\0entry:')) return undefined
    const name = id.slice('\0entry:'.length)
    const found = Object.entries(await import(name))
    // A default that is an object has the same exports once more.
    const names = found
      .filter(([key, value]) =>
        key === 'default' ? typeof value === 'function' : /^(?!__)\w+$/.test(key),
      )
      .map(([key]) => key)
    return `export { ${names.join(', ')} } from '${name}'`
  },
}

/** Returns the files of packages that went into dist. */
export async function bundlePackages() {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(BUNDLED.map((name) => [nameFile(name), `entry:${name}`])),
    platform: 'node',
    // A file in the form of UMD requires others in a way that no bundler sees.
    resolve: { mainFields: ['module', 'main'] },
    tsconfig: false,
    logLevel: 'silent',
    plugins: [nameExports],
  })
  const { output } = await bundle.write({
    dir: `dist/${FOLDER}`,
    format: 'esm',
    // Tables of tokens have one to a line.
    minify: { compress: false, mangle: false, codegen: true },
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: 'markdown', test: /node_modules\/(?:micromark|mdast-)/ },
        { name: 'sigstore', test: /node_modules\/@sigstore\// },
      ],
    },
  })
  await bundle.close()
  const copied = Object.values(COPIED).map(({ from, to }) => {
    const file = `${root}node_modules/${from}`
    mkdirSync(new URL('.', new URL(`../dist/${to}`, import.meta.url)), { recursive: true })
    copyFileSync(file, `${root}dist/${to}`)
    return file
  })
  return [...output.flatMap(({ moduleIds = [] }) => moduleIds), ...copied]
}
