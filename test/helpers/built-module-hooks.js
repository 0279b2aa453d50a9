// Hooks of Node: modules of src are loaded from dist, and types are removed from files of the tests.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SOURCES = new URL('../../src/', import.meta.url).href
const BUILT = new URL('../../dist/', import.meta.url).href

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  if (!found.url.startsWith(SOURCES) || !/\.tsx?$/.test(found.url)) return found
  const path = found.url.slice(SOURCES.length).replace(/\.tsx?$/, '.js')
  return { ...found, url: BUILT + path, format: 'module' }
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !/\.m?ts$/.test(url)) return await next(url, context)
  const { transformSync } = await import('rolldown/utils')
  const path = fileURLToPath(url)
  const { code, errors } = transformSync(path, readFileSync(path, 'utf8'))
  if (errors.length > 0) throw new Error(errors[0].message)
  return { format: 'module', source: code, shortCircuit: true }
}
