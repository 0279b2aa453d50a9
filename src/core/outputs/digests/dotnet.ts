import type { DigestFailure } from './digest.ts'
import { addDifference, formatQuantity, matchLines, type DigestParser } from './parser.ts'

const PROBLEM = /^\s*(\S.*?)\((\d+),\d+\): error ([A-Z]+\d+): (.*?)(?: \[.*\])?$/
const TEST = /^ {2}(?:X|Failed) (\S.*?)(?: \[.*\])?$/
const LOCATION = /^ {3,}at .* in (.+):line (\d+)$/
const TOTAL =
  /^(?:Failed!|Passed!) +- +Failed: +(\d+), +Passed: +(\d+), +Skipped: +\d+, +Total: +(\d+)/
const BUILD = /^Build (succeeded|FAILED)\.?/

/** `dotnet build` and `dotnet test`, MSBuild and the compilers of .NET. */
export const dotnetParser: DigestParser = {
  kind: 'dotnet',
  command: /(?:^|[\s/])(?:dotnet|msbuild|mcs|csc)(?:\s|$)/,
  looksLike: (lines) => lines.some((line) => TOTAL.test(line) || BUILD.test(line)),
  parse({ all, exitCode }) {
    const failures = [...parseProblems(all), ...parseTests(all)]
    const totals = matchLines(all, TOTAL)
    if (failures.length === 0 && totals.length === 0 && !all.some((line) => BUILD.test(line))) {
      return undefined
    }
    const sumColumn = (at: number) => totals.reduce((sum, found) => sum + Number(found[at]), 0)
    const ok = failures.length === 0 && sumColumn(1) === 0 && exitCode === 0
    if (ok) {
      const tests = `${formatQuantity(sumColumn(2), 'test')} passed`
      return { ok, summary: totals.length > 0 ? tests : 'build succeeded', failures }
    }
    const [failed, count] = [sumColumn(1), sumColumn(3)]
    const summary = count > 0 ? `${failed}/${count} tests failed` : undefined
    return { ok, summary: summary ?? formatQuantity(failures.length, 'error'), failures }
  },
}

/** MSBuild lists each problem again at the end. */
function parseProblems(lines: readonly string[]): DigestFailure[] {
  const problems = new Map<string, DigestFailure>()
  for (const [, file = '', line, name = '', message = ''] of matchLines(lines, PROBLEM)) {
    problems.set(`${file}:${line}:${name}`, { name, file, line: Number(line), message })
  }
  return [...problems.values()]
}

function parseTests(lines: readonly string[]): DigestFailure[] {
  const failures: DigestFailure[] = []
  for (const [at, line] of lines.entries()) {
    const name = TEST.exec(line)?.[1]
    if (name === undefined) continue
    const rest = lines.slice(at + 1, at + 60)
    const end = rest.findIndex((each) => TEST.test(each) || TOTAL.test(each))
    const part = end === -1 ? rest : rest.slice(0, end)
    const from = part.findIndex((each) => each.trim() === 'Error Message:')
    if (from === -1) continue
    const below = part.slice(from + 1)
    const [location] = matchLines(part, LOCATION)
    failures.push({
      name,
      ...(location && { file: location[1] as string, line: Number(location[2]) }),
      message: addDifference(below.find((each) => each.trim() !== '')?.trim() ?? 'failed', below),
    })
  }
  return failures
}
