import type { DigestFailure } from './digest.ts'
import { matchLines, type DigestParser } from './parser.ts'

/** `FAILED test_math.py::test_wrong - AssertionError: off by one`. */
const SHORT = /^(FAILED|ERROR) (\S+?\.py)(?:::(.+?))?(?: - (.*))?$/
const LOCATION = /^(\S+?\.py):(\d+): (\S.*)$/
const TITLE = /^_{3,} (?:ERROR (?:at setup of|at teardown of|collecting) )?(.+?) _{3,}$/
const REASON = /^E +(.*)$/
const END =
  /^(?:=+ )?((?:no tests ran|\d+ (?:failed|passed|errors?|skipped|deselected|xfailed|xpassed|warnings?))(?:, \d+ \w+)*) in [\d.]+s.*$/

/** Pytest, verbose or quiet. */
export const pytestParser: DigestParser = {
  kind: 'pytest',
  command: /(?:^|[\s/])(?:pytest|py\.test)(?:\s|$)/,
  looksLike: (lines) =>
    lines.some((line) => /^=+ test session starts =+$/.test(line)) ||
    lines.some((line) => END.test(line)),
  parse({ all, exitCode }) {
    const end = matchLines(all, END).at(-1)
    const details = parseDetails(all)
    const listed = matchLines(all, SHORT).map(([, , file = '', name, reason]) =>
      toFailure({ file, name, reason }, details),
    )
    const failures = listed.length > 0 ? listed : listDetails(details)
    if (!end && failures.length === 0) return undefined
    const ok = failures.length === 0 && !/failed|error/.test(end?.[1] ?? '')
    const summary = end?.[1] ?? `${failures.length} failed`
    return { ok: ok && exitCode !== 5, summary, failures }
  },
}

interface FailureDetail {
  file: string | undefined
  line: number | undefined
  reason: string | undefined
  /** The values of an assertion with a message of its own. */
  compared: string | undefined
}

function toFailure(
  { file, name, reason }: { file: string; name: string | undefined; reason: string | undefined },
  details: ReadonlyMap<string, FailureDetail>,
): DigestFailure {
  const detail = details.get(name?.replaceAll('::', '.') ?? file)
  const line = detail?.file === file ? detail.line : undefined
  return {
    ...(name !== undefined && { name }),
    file,
    ...(line !== undefined && { line }),
    message: addComparison(selectMessage(reason, detail?.reason), detail?.compared),
  }
}

/** The short summary is cut at the width of the terminal. */
function selectMessage(short: string | undefined, detailed: string | undefined): string {
  const isCut = short === undefined || short.endsWith('...')
  return (isCut ? detailed : short) ?? short ?? 'failed'
}

function addComparison(message: string, compared: string | undefined): string {
  return compared === undefined ? message : `${message}: ${compared}`
}

/** Failures of the tracebacks, if the summary at the end is turned off. */
function listDetails(details: ReadonlyMap<string, FailureDetail>): DigestFailure[] {
  return [...details].map(([name, { file, line, reason, compared }]) => ({
    name,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    message: addComparison(reason ?? 'failed', compared),
  }))
}

const NO_DETAIL: FailureDetail = {
  file: undefined,
  line: undefined,
  reason: undefined,
  compared: undefined,
}

/** Location and reason of each failure, by its title in the tracebacks. */
function parseDetails(lines: readonly string[]): Map<string, FailureDetail> {
  const details = new Map<string, FailureDetail>()
  let title: string | undefined
  for (const line of lines) {
    title = TITLE.exec(line)?.[1] ?? title
    if (title === undefined) continue
    const detail = details.get(title) ?? { ...NO_DETAIL }
    const [, file, number] = LOCATION.exec(line) ?? []
    if (file !== undefined) Object.assign(detail, { file, line: Number(number) })
    addReason(detail, REASON.exec(line)?.[1])
    details.set(title, detail)
  }
  return details
}

function addReason(detail: FailureDetail, reason: string | undefined): void {
  if (detail.reason !== undefined && reason?.startsWith('assert ')) detail.compared ??= reason
  detail.reason ??= reason
}
