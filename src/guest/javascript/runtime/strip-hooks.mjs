// Loader hooks of Node, which run in their own thread.
import { readFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const EXTENSION = /\.([cm]?)ts$/
const FORMATS = { '': 'module', m: 'module', c: 'commonjs' }

let stripper

export function initialize({ stripper: path }) {
  stripper = import(pathToFileURL(path).href)
}

export async function load(url, context, next) {
  const extension = url.startsWith('file:') ? EXTENSION.exec(new URL(url).pathname) : null
  if (extension === null) return await next(url, context)
  const file = fileURLToPath(url)
  const source = await stripTypes(await readFile(file, 'utf8'), file)
  return { format: FORMATS[extension[1]], source, shortCircuit: true }
}

async function stripTypes(text, file) {
  const { default: swc } = await stripper
  try {
    const { code } = await swc.transform(text, { mode: 'strip-only', filename: file })
    return code
  } catch (problem) {
    const { message, startLine, snippet } = problem
    const error = new SyntaxError(String(message ?? problem))
    error.stack = `${file}:${startLine ?? '?'}\n${snippet ?? ''}\nSyntaxError: ${error.message}`
    throw error
  }
}
