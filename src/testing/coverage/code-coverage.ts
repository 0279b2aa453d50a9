import { readCodeFiles, type CountedFile } from './code-files.ts'
import type { FileCoverage } from './coverage-report.ts'
import { openStatementParser } from './javascript-statements.ts'
import type { PythonCoverage, ScriptCoverage } from './raw-coverage.ts'
import { SKILL_FOLDERS } from './python-tracer.ts'
import { countScriptLines } from './script-lines.ts'

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
