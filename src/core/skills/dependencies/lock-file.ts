/** One pinned version of a package, with the hashes of its allowed archives. */
export interface Pin {
  /** Normalized as in other lock files: lower case, with dashes. */
  name: string
  version: string
  /** Requirement line for pip; it never names a location. */
  line: string
}

/** A line that is not a valid pin. */
interface LockProblem {
  /** Counted from 1. */
  line: number
  /** Offsets into the text. */
  start: number
  end: number
  message: string
}

/** Expects single spaces between words, so that long runs of spaces cannot cause backtracking. */
const PIN =
  /^(?<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(?<extras>\[[\w., -]*\])?==(?<version>[A-Za-z0-9][\w.!+-]*) ?(?<marker>;[\w .'"<>=!~(),-]+?)?(?<hashes>(?: --hash=sha256:[0-9a-f]{64})+)$/
/** Limit for readability. */
const MAX_PROBLEMS = 100

/**
 * Parses a lock file; invalid lines are reported one by one, and includes or URLs are never
 * followed.
 */
export function readLock(text: string): { pins: Pin[]; problems: LockProblem[] } {
  const pins: Pin[] = []
  const problems: LockProblem[] = []
  for (const { requirement, ...position } of splitLogicalLines(text)) {
    if (problems.length === MAX_PROBLEMS) break
    const pin = readPin(requirement)
    if (pin) pins.push(pin)
    else problems.push({ ...position, message: describeInvalidLine(requirement) })
  }
  if (pins.length + problems.length === 0) {
    problems.push({ line: 1, start: 0, end: 0, message: 'It pins no package' })
  }
  return { pins, problems }
}

function readPin(requirement: string): Pin | undefined {
  const found = PIN.exec(requirement)?.groups
  if (!found) return undefined
  const { name = '', extras = '', version = '', marker = '', hashes = '' } = found
  // An option may look like part of an environment marker.
  if (/--|[\s;]-/.test(marker)) return undefined
  const line = `${name}${extras}==${version}${marker === '' ? '' : ` ${marker}`}${hashes}`
  return { name: name.toLowerCase().replaceAll(/[._-]+/g, '-'), version, line }
}

/** Joins lines that end in a backslash, and removes comments. */
function* splitLogicalLines(text: string): Generator<Omit<LockProblem, 'message'> & { requirement: string }> {
  let requirement = ''
  let first: { line: number; start: number } | undefined
  let at = 0
  for (const [index, physicalLine] of text.split('\n').entries()) {
    const start = at
    at += physicalLine.length + 1
    const line = physicalLine.replace(/\r$/, '').replace(/(?:^|\s)#.*$/s, '')
    const isContinued = line.endsWith('\\')
    requirement += ` ${isContinued ? line.slice(0, -1) : line}`
    first ??= { line: index + 1, start }
    if (isContinued && at <= text.length) continue
    const { start: begin } = first
    requirement = requirement.replaceAll(/\s+/g, ' ').trim()
    if (requirement !== '') {
      yield { requirement, line: first.line, start: begin, end: start + physicalLine.length }
    }
    requirement = ''
    first = undefined
  }
}

function describeInvalidLine(requirement: string): string {
  const short = requirement.length > 60 ? `${requirement.slice(0, 57)}…` : requirement
  return `"${short}" ${explainInvalidLine(requirement)}, expected name==version --hash=sha256:<64 hex digits>`
}

function explainInvalidLine(requirement: string): string {
  if (requirement.startsWith('-')) return 'is an option'
  if (/:\/\/|\s@\s|^\w[\w.-]*@/.test(requirement)) return 'names an address'
  if (/^[./~]|\.whl\b/.test(requirement)) return 'names a file'
  if (!/^[\w.-]+(?:\[[^\]]*\])?==[\w]/.test(requirement) || /==\S*\*/.test(requirement))
    return 'pins no version'
  if (!requirement.includes('--hash=')) return 'has no hash'
  return 'is not a pinned package'
}
