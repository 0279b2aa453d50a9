// Transforms TypeScript: SWC in this process, and esbuild for the syntax that SWC leaves as it is.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ES_MODULE = /^\s*(?:import\b(?!\s*\()|export\b(?!\s*=))/m
const TOP_AWAIT = /^(?:\S.*)?\bawait\b/m
const COMMON_JS = /\brequire\s*\(|\bmodule\.exports\b|^\s*exports\.|^\s*export\s*=/m
/** Comments that begin a line, where tags look like decorators. */
const COMMENT = /^[ \t]*(?:\/\*[^]*?\*\/|\/\/.*$)/gm
const DECORATOR = /(?:^|[\s;{}(,])@[\w$(]/m
/** Syntax of newer versions of JavaScript, which SWC leaves as it is. */
const NEWER = /\busing\s+[\w$]+\s*(?:=|of\b|:)|\baccessor\s+[\w$#[]/
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2

let swc
let paths

export function initializeTransform(data) {
  paths = data
}

/** Returns the format of a file. A file without imports and exports may use `require`. */
export function detectFormat(text, file) {
  if (file.endsWith('.cts')) return 'commonjs'
  const isModule = file.endsWith('.mts') || ES_MODULE.test(text) || TOP_AWAIT.test(text)
  return !isModule && COMMON_JS.test(text) ? 'commonjs' : 'module'
}

/** `folder` is the one whose tsconfig.json applies, if it is not that of the file. */
export function transformTypeScript(text, { file, format, folder }) {
  const isDecorated = DECORATOR.test(text.replaceAll(COMMENT, ''))
  const isNewer = paths.esbuild !== undefined && NEWER.test(text)
  if (!isDecorated && !isNewer && !file.endsWith('.tsx'))
    return transformBySwc(text, { file, format })
  if (paths.esbuild === undefined) {
    throw new SyntaxError(
      `${file}: decorators and .tsx files need the optional package "esbuild": type "npm install esbuild" where skills-protocol is installed`,
    )
  }
  return transformByEsbuild(file, { format, folder })
}

function transformBySwc(text, { file, format }) {
  swc ??= createRequire(import.meta.url)(paths.swc)
  const importExportAssignConfig = format === 'commonjs' ? 'Classic' : 'NodeNext'
  try {
    const { code, map } = swc.transformSync(text, {
      mode: 'transform',
      filename: file,
      sourceMap: true,
      transform: { importExportAssignConfig },
    })
    const inlined = Buffer.from(map).toString('base64')
    return `${code}\n//# sourceMappingURL=data:application/json;base64,${inlined}\n`
  } catch (problem) {
    const { message, startLine, snippet } = problem
    throw createSyntaxError(`${file}:${startLine ?? '?'}\n${snippet ?? ''}`, message ?? problem)
  }
}

function transformByEsbuild(file, { format, folder }) {
  const settings = folder === undefined ? undefined : findSettings(folder)
  const args = [
    file,
    `--format=${format === 'commonjs' ? 'cjs' : 'esm'}`,
    '--platform=node',
    `--target=node${process.versions.node}`,
    '--sourcemap=inline',
    '--sources-content=false',
    `--source-root=${pathToFileURL(join(process.cwd(), '/')).href}`,
    '--log-level=error',
    ...(settings === undefined ? [] : [`--tsconfig=${settings}`]),
  ]
  try {
    return execFileSync(paths.esbuild, args, {
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { GOMAXPROCS: '2' },
    })
  } catch (problem) {
    const report = String(problem.stderr || problem.message).trim()
    throw createSyntaxError(report, /\[ERROR\] (.*)/.exec(report)?.[1] ?? 'esbuild failed')
  }
}

/** Finds the tsconfig.json of a folder. */
function findSettings(folder) {
  for (let each = folder; ; each = dirname(each)) {
    const path = join(each, 'tsconfig.json')
    if (existsSync(path)) return path
    if (each === dirname(each)) return undefined
  }
}

function createSyntaxError(location, message) {
  const error = new SyntaxError(String(message))
  error.stack = `${location}\nSyntaxError: ${error.message}`
  return error
}
