import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COVERAGE_FOLDER, SKILL_FOLDERS } from './python-tracer.ts'

/** Executed lines of Python files, and the lines that have code; by path inside. */
export interface PythonCoverage {
  hits: Readonly<Record<string, readonly number[]>>
  statements: Readonly<Record<string, readonly number[] | null>>
}

/** Counted ranges of a JavaScript file, outer ones before inner ones. */
export interface ScriptCoverage {
  /** Path inside. */
  path: string
  ranges: readonly CountedRange[]
  /** Lengths of the generated lines, and mappings, if the file was transformed. */
  map: { lineLengths: readonly number[]; mappings: string } | undefined
}

export interface CountedRange {
  start: number
  end: number
  count: number
}

/** Bounds of what one run may leave. */
const MAX_FILES = 64
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Reads the coverage that a run left in its workspace. The code of the run could write there, so that
 * links are not followed, sizes are bounded, and everything of another form is left out.
 */
export function readRawCoverage(workspace: string): {
  python: PythonCoverage[]
  scripts: ScriptCoverage[]
} {
  const folder = join(workspace, COVERAGE_FOLDER)
  const documents = listRegularFiles(folder).flatMap((path) => {
    const data = readJson(path)
    return isObject(data) ? [data] : []
  })
  return {
    python: documents.flatMap((data) => ('hits' in data ? toPythonCoverage(data) : [])),
    scripts: documents.flatMap((data) => ('result' in data ? toScriptCoverages(data) : [])),
  }
}

function listRegularFiles(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .slice(0, MAX_FILES)
    .map((name) => join(folder, name))
}

function readJson(path: string): unknown {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = fstatSync(file)
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

type UnknownObject = Record<string, unknown>

function isObject(value: unknown): value is UnknownObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toLines(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((each) => Number.isSafeInteger(each) && each > 0) : []
}

function toPythonCoverage({ hits, statements }: UnknownObject): PythonCoverage[] {
  if (!isObject(hits) || !isObject(statements)) return []
  const read = (table: UnknownObject) =>
    Object.fromEntries(Object.entries(table).map(([path, lines]) => [path, toLines(lines)]))
  const known = Object.entries(statements).filter(([, lines]) => lines !== null)
  return [{ hits: read(hits), statements: read(Object.fromEntries(known)) }]
}

function toScriptCoverages(data: UnknownObject): ScriptCoverage[] {
  const scripts = Array.isArray(data['result']) ? data['result'].filter(isObject) : []
  const maps = isObject(data['source-map-cache']) ? data['source-map-cache'] : {}
  return scripts.flatMap(({ url, functions }) => {
    const path = typeof url === 'string' ? toInsidePath(url) : undefined
    if (path === undefined || !Array.isArray(functions)) return []
    const ranges = functions
      .filter(isObject)
      .flatMap((each) => (Array.isArray(each['ranges']) ? each['ranges'].filter(isObject) : []))
      .flatMap(toRange)
      .sort((a, b) => a.start - b.start || b.end - a.end)
    return [{ path, ranges, map: toMap(maps[url as string]) }]
  })
}

function toInsidePath(url: string): string | undefined {
  const path = url.slice('file://'.length)
  const isOfSkill = SKILL_FOLDERS.some((folder) => path.startsWith(folder))
  if (!url.startsWith('file:///') || !isOfSkill) return undefined
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function toRange({ startOffset, endOffset, count }: UnknownObject): CountedRange[] {
  const numbers = [startOffset, endOffset, count]
  if (!numbers.every((each) => Number.isSafeInteger(each) && (each as number) >= 0)) return []
  return [{ start: startOffset as number, end: endOffset as number, count: count as number }]
}

function toMap(value: unknown): ScriptCoverage['map'] {
  if (!isObject(value) || !isObject(value['data']) || !Array.isArray(value['lineLengths'])) {
    return undefined
  }
  const { mappings } = value['data']
  if (typeof mappings !== 'string') return undefined
  return { lineLengths: value['lineLengths'].map(Number), mappings }
}
