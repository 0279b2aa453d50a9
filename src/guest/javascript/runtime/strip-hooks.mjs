// Loader hooks of Node, which run in their own thread.
import { readFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ENDING = /\.([cm]?)ts$/
const FORMATS = { '': 'module', m: 'module', c: 'commonjs' }

let stripper

export function initialize({ stripper: path }) {
  stripper = import(pathToFileURL(path).href)
}

export async function load(url, context, next) {
  const ending = url.startsWith('file:') ? ENDING.exec(new URL(url).pathname) : null
  if (ending === null) return await next(url, context)
  const file = fileURLToPath(url)
  const source = await strip(await readFile(file, 'utf8'), file)
  return { format: FORMATS[ending[1]], source, shortCircuit: true }
}

async function strip(text, file) {
  const { default: given } = await stripper
  try {
    const { code } = await given.transform(text, { mode: 'strip-only', filename: file })
    return code
  } catch (problem) {
    const { message, startLine, snippet } = problem
    const error = new SyntaxError(String(message ?? problem))
    error.stack = `${file}:${startLine ?? '?'}\n${snippet ?? ''}\nSyntaxError: ${error.message}`
    throw error
  }
}
