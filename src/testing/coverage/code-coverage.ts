import type { FileCoverage } from './coverage-report.ts'
import { openStatementParser, type StatementStart } from './javascript-statements.ts'
import type { PythonCoverage, ScriptCoverage, CountedRange } from './raw-coverage.ts'
import { SKILL_FOLDERS } from './python-tracer.ts'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { TESTS_FOLDER } from '../../core/testing/suites/find-suites.ts'

/** Coverage of all runs of a skill, as they left it. */
export interface CollectedRuns {
  python: PythonCoverage[]
  scripts: ScriptCoverage[]
}

/** Adds up the executed lines of the files of a skill. Data about other files is left out. */
export async function computeCodeCoverage(
  { name, dir }: { name: string; dir: string },
  runs: CollectedRuns,
): Promise<FileCoverage[]> {
  const files = readCodeFiles(dir)
  const parse = files.some(({ language }) => language === 'javascript')
    ? await openStatementParser()
    : () => undefined
  return files.flatMap((file) => {
    const inside = new Set(SKILL_FOLDERS.map((folder) => `${folder}${name}/${file.path}`))
    const lines =
      file.language === 'python'
        ? countPythonLines(file, inside, runs.python)
        : countJavaScriptLines(file, inside, { scripts: runs.scripts, parse })
    return lines.size === 0 ? [] : [{ path: file.path, lines }]
  })
}

function countPythonLines(
  { text }: CountedFile,
  inside: ReadonlySet<string>,
  runs: readonly PythonCoverage[],
): Map<number, number> {
  const last = text.split('\n').length
  const select = (table: PythonCoverage['hits']) =>
    [...inside].flatMap((path) => (Object.hasOwn(table, path) ? (table[path] ?? []) : []))
  const listed = runs.find(({ statements }) => [...inside].some((path) => statements[path]))
  const statements = listed
    ? select(listed.statements as PythonCoverage['hits'])
    : listTextLines(text)
  const counts = new Map(
    [...new Set(statements)]
      .filter((line) => line <= last)
      .sort((a, b) => a - b)
      .map((line) => [line, 0]),
  )
  for (const line of runs.flatMap(({ hits }) => select(hits))) {
    const count = counts.get(line)
    if (count !== undefined) counts.set(line, count + 1)
  }
  return counts
}

/** Lines with text, for a file that no Python process could list. */
function listTextLines(text: string): number[] {
  return text.split('\n').flatMap((line, at) => (/^\s*[^\s#]/.test(line) ? [at + 1] : []))
}

function countJavaScriptLines(
  { path, text }: CountedFile,
  inside: ReadonlySet<string>,
  {
    scripts,
    parse,
  }: {
    scripts: readonly ScriptCoverage[]
    parse: Awaited<ReturnType<typeof openStatementParser>>
  },
): Map<number, number> {
  const statements = parse(path, text) ?? []
  const counts = new Map(statements.map(({ line }) => [line, 0]))
  for (const script of scripts.filter((each) => inside.has(each.path))) {
    for (const [line, count] of countScriptLines(script, statements)) {
      counts.set(line, (counts.get(line) ?? 0) + count)
    }
  }
  return counts
}

/** Counts how often the statement that begins each line was executed. */
function countScriptLines(
  { ranges, map }: ScriptCoverage,
  statements: readonly StatementStart[],
): Map<number, number> {
  const locate = map ? createLocator(map) : ({ offset }: StatementStart) => offset
  const counts = new Map<number, number>()
  for (const statement of statements) {
    const offset = locate(statement)
    const count = offset === undefined ? 0 : findCount(ranges, offset)
    counts.set(statement.line, Math.max(counts.get(statement.line) ?? 0, count))
  }
  return counts
}

/** Count of the innermost range; ranges are sorted, so that it is the last one that contains it. */
function findCount(ranges: readonly CountedRange[], offset: number): number {
  let count = 0
  for (const range of ranges) {
    if (range.start > offset) break
    if (offset < range.end) ({ count } = range)
  }
  return count
}

/** Finds the offset in the generated code at which a statement of the source begins. */
function createLocator({
  lineLengths,
  mappings,
}: NonNullable<ScriptCoverage['map']>): (start: StatementStart) => number | undefined {
  const starts = [0]
  for (const length of lineLengths) starts.push((starts.at(-1) ?? 0) + length + 1)
  const byLine = new Map<number, { column: number; offset: number }[]>()
  for (const { line, column, sourceLine, sourceColumn } of decodeMappings(mappings)) {
    const places = byLine.get(sourceLine) ?? []
    places.push({ column: sourceColumn, offset: (starts[line] ?? 0) + column })
    byLine.set(sourceLine, places)
  }
  return ({ line, column }) => {
    const places = (byLine.get(line - 1) ?? []).filter((each) => each.column >= column)
    return places.sort((a, b) => a.column - b.column)[0]?.offset
  }
}

/** A place of the generated code, and the place of the source that it comes from; all from 0. */
interface MappedPlace {
  line: number
  column: number
  sourceLine: number
  sourceColumn: number
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Decodes the mappings of a source map with one source. Unknown characters end the list. */
export function decodeMappings(mappings: string): MappedPlace[] {
  const places: MappedPlace[] = []
  let [sourceLine, sourceColumn] = [0, 0]
  for (const [line, text] of mappings.split(';').entries()) {
    let column = 0
    for (const segment of text === '' ? [] : text.split(',')) {
      const [generated, , lines, columns] = decodeNumbers(segment)
      if (generated === undefined) return places
      column += generated
      if (lines === undefined || columns === undefined) continue
      sourceLine += lines
      sourceColumn += columns
      places.push({ line, column, sourceLine, sourceColumn })
    }
  }
  return places
}

function decodeNumbers(segment: string): number[] {
  const numbers: number[] = []
  let [value, shift] = [0, 0]
  for (const character of segment) {
    const digit = DIGITS.indexOf(character)
    if (digit === -1 || shift > 25) return []
    value += (digit & 31) << shift
    shift += 5
    if ((digit & 32) === 0) {
      numbers.push(value & 1 ? -(value >> 1) : value >> 1)
      value = shift = 0
    }
  }
  return numbers
}

/** A file whose lines are counted. */
interface CountedFile {
  path: string
  language: 'python' | 'javascript'
  text: string
}

const LANGUAGES = [
  { language: 'python', extension: /\.py$/ },
  { language: 'javascript', extension: /\.(?:[cm]?[jt]s)$/ },
] as const
const LEFT_OUT = new Set([TESTS_FOLDER, 'node_modules', '__pycache__'])
const MAX_FILES = 2000
const MAX_BYTES = 1024 * 1024

/** Reads the code of a skill: regular files, without tests, packages and hidden folders. */
function readCodeFiles(skill: string): CountedFile[] {
  return listCountedFiles(skill, skill)
    .slice(0, MAX_FILES)
    .flatMap((path) => {
      const found = LANGUAGES.find(({ extension }) => extension.test(path))
      if (!found || path.endsWith('.d.ts')) return []
      const file = join(skill, path)
      if (lstatSync(file).size > MAX_BYTES) return []
      return [{ path, language: found.language, text: readFileSync(file, 'utf8') }]
    })
}

function listCountedFiles(skill: string, folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !LEFT_OUT.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return listCountedFiles(skill, path)
      return entry.isFile() ? [relative(skill, path).split(sep).join('/')] : []
    })
}
