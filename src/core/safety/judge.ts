import type { SafetyFinding } from './safety-finding.ts'
import type { Signal } from './signal.ts'

/** Distance in a file within which signals belong to one task. */
const NEAR = 700

/** Findings of a skill: signals that complete, raise or repeat each other. */
export function judgeSignals(signals: readonly Signal[]): SafetyFinding[] {
  const whole = signals.filter(({ half }) => half === undefined)
  const halves = signals.filter(({ half }) => half !== undefined)
  const joined = [...joinHalves(halves, SECRET_SENT), ...joinHalves(halves, FETCH_OBEYED)]
  const all = [...whole, ...joined]
  const raised = all.map((signal) => raise(signal, all))
  return removeRepeated(raised)
}

interface Pair {
  first: Signal['half']
  second: Signal['half']
  create: (first: Signal, second: Signal) => Signal
}

const SECRET_SENT: Pair = {
  first: 'secret',
  second: 'send',
  create: (first, second) => ({
    ...second,
    class: 'data-upload',
    severity: weighTransfer(first, second),
    certainty: 'likely',
    message: 'The skill reads secrets here, and sends data to a host that it does not declare',
    help: 'Ask the author why the skill needs them, and whose host it is',
  }),
}

const FETCH_OBEYED: Pair = {
  first: 'fetch',
  second: 'obey',
  create: (first, second) => ({
    ...second,
    class: 'remote-instructions',
    severity: 'warning',
    certainty: 'likely',
    hiding: second.hiding ?? first.hiding,
    message: 'The text tells the agent to fetch a text and follow it',
    help: 'Put the instructions into the skill: a fetched text can change after each review',
  }),
}

/** The severity of secrets that are read near data that go out. */
function weighTransfer(first: Signal, second: Signal): Signal['severity'] {
  if (first.hiding || second.hiding) return 'error'
  if (first.isDescribed) return 'info'
  // A command beside a text is often the documentation of an interface.
  return first.isCode === second.isCode ? 'error' : 'warning'
}

function joinHalves(halves: readonly Signal[], { first, second, create }: Pair): Signal[] {
  const firsts = halves.filter(({ half }) => half === first)
  return halves.flatMap((signal): Signal[] => {
    if (signal.half !== second) return []
    const near = firsts.find((each) => isNear(each, signal))
    if (!near) return []
    const { half: _, ...joined } = create(near, signal)
    return [joined]
  })
}

function isNear(a: Signal, b: Signal, reach = NEAR): boolean {
  return a.file === b.file && Math.abs(a.start - b.start) <= reach
}

const LEVELS = ['info', 'warning', 'error'] as const

/** Classes that concealment makes worse. */
const WORSE_IF_HIDDEN = new Set<Signal['class']>([
  'data-upload',
  'credential-access',
  'agent-data',
  'remote-code',
  'remote-instructions',
  'persistence',
  'agent-configuration',
  'destruction',
  'disabled-protection',
  'skipped-approval',
  'acts-for-user',
  'sabotage',
])

/** Raises a signal that is kept from the eyes of readers. */
function raise(signal: Signal, all: readonly Signal[]): Signal {
  if (signal.isFixed) return signal
  const isHidden = signal.hiding !== undefined && signal.class !== 'trigger'
  const isConcealed =
    WORSE_IF_HIDDEN.has(signal.class) &&
    all.some((each) => each.class === 'concealment' && isNear(each, signal))
  const isConcealing =
    signal.class === 'concealment' &&
    all.some(
      (each) => WORSE_IF_HIDDEN.has(each.class) && each.severity !== 'info' && isNear(each, signal),
    )
  const isTriggered =
    WORSE_IF_HIDDEN.has(signal.class) &&
    signal.severity === 'info' &&
    all.some((each) => each.class === 'trigger' && isNear(each, signal) && !each.isCode)
  const steps = Number(isHidden) + Number(isConcealed || isConcealing || isTriggered)
  const level = LEVELS.indexOf(signal.severity) + steps
  const severity = LEVELS[Math.min(level, LEVELS.length - 1)] ?? 'error'
  const place = signal.hiding ? `, in text that readers do not see (${signal.hiding})` : ''
  return { ...signal, severity, message: `${signal.message}${place}` }
}

/** True for a finding of less that a transfer of data at its place includes. */
function isCoveredBy(signal: Signal, other: Signal): boolean {
  const isLess = signal.class === 'undeclared-behaviour' || signal.class === 'credential-access'
  return isLess && other.class === 'data-upload'
}

/** A note about a habit: one for each skill. */
const ONCE: ReadonlySet<Signal['class']> = new Set(['unpinned-package'])

/** Keeps the worst finding of a class at a place. */
function removeRepeated(signals: readonly Signal[]): SafetyFinding[] {
  const sorted = signals.toSorted((a, b) => LEVELS.indexOf(b.severity) - LEVELS.indexOf(a.severity))
  const kept: Signal[] = []
  for (const signal of sorted) {
    const isRepeated = kept.some(
      (each) =>
        (ONCE.has(signal.class) && each.class === signal.class) ||
        (each.file === signal.file &&
          (each.class === signal.class || isCoveredBy(signal, each)) &&
          each.start < signal.end &&
          signal.start < each.end),
    )
    if (!isRepeated) kept.push(signal)
  }
  return kept.map(({ class: name, severity, certainty, file, start, end, message, help }) => ({
    class: name,
    severity,
    certainty,
    file,
    span: { start, end },
    message,
    help,
  }))
}
