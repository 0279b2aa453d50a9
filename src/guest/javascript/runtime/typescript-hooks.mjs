// Loader hooks of Node, which run in their own thread.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { detectFormat, initializeTransform, transformTypeScript } from './typescript-transform.mjs'

const EXTENSION = /\.(?:[cm]?ts|tsx)$/
const RELATIVE = /^(?:\.{1,2}(?:\/|$)|\/|file:)/
/** Files that an import without an extension may mean. */
const ADDED = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '/index.ts', '/index.js']
/** Extensions of sources, by those of their compiled files. */
const SOURCES = { '.js': ['.ts', '.tsx'], '.mjs': ['.mts'], '.cjs': ['.cts'] }
const NOT_FOUND = new Set(['ERR_MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'])

let options

export function initialize(data) {
  options = data
  if (data.swc !== undefined) initializeTransform(data)
}

export async function resolve(specifier, context, next) {
  const own = resolveParent(context)
  try {
    return await next(specifier, own)
  } catch (error) {
    if (!NOT_FOUND.has(error.code) || !RELATIVE.test(specifier)) throw error
    for (const candidate of listPossibleFiles(specifier)) {
      const found = await next(candidate, own).catch(() => undefined)
      if (found) return found
    }
    throw error
  }
}

/** Imports of inline code resolve from the current folder. */
function resolveParent(context) {
  const { inline, cwd } = options
  const isInline = inline !== undefined && context.parentURL === pathToFileURL(inline).href
  return isInline ? { ...context, parentURL: pathToFileURL(join(cwd, 'inline.mts')).href } : context
}

function listPossibleFiles(specifier) {
  const extension = /\.[cm]?js$/.exec(specifier)?.[0] ?? ''
  const base = specifier.slice(0, specifier.length - extension.length)
  const sources = (SOURCES[extension] ?? []).map((each) => base + each)
  return [...sources, ...ADDED.map((each) => specifier.replace(/\/$/, '') + each)]
}

export async function load(url, context, next) {
  const { swc, inline, cwd } = options
  const { pathname } = new URL(url)
  if (swc === undefined || !url.startsWith('file:') || !EXTENSION.test(pathname)) {
    return await next(url, context)
  }
  const file = fileURLToPath(url)
  const text = await readFile(file, 'utf8')
  if (options.strips && !file.endsWith('.tsx') && !new RegExp(options.syntax).test(text)) {
    return await next(url, context)
  }
  const format = detectFormat(text, file)
  const folder = file === inline ? cwd : undefined
  return { format, source: transformTypeScript(text, { file, format, folder }), shortCircuit: true }
}
