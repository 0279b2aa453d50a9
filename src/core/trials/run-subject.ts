import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { runTrial, type EndedTrial } from './run-trial.ts'
import type { Subject, SubjectCommand } from './subjects/subject.ts'
import type { TrialContext } from './trial-context.ts'
import type { Proof, TrialReport } from './trial-report.ts'
import { listVariants, SCRIPT_ANSWERS, type Variant } from './variants.ts'

/** For all trials of a subject together. */
const SUBJECT_MS = 5000
/** For one trial. */
const TRIAL_MS = 4000
/** A sandbox needs this long to start. */
const MIN_TRIAL_MS = 300

interface SubjectRun {
  context: TrialContext
  report: TrialReport
  options: {
    /** Source of the skill in the commands that repeat a trial. */
    name?: string | undefined
    only?: { variant?: string | undefined } | undefined
  }
  subject: Subject
  /** End of all trials, on the monotonic clock. */
  deadline: number
  onVariant(variant: string): void
}

/** Runs a subject in its variants until one has a proof or the time is over. */
export async function runSubject(run: SubjectRun): Promise<void> {
  const { context, report, subject, options } = run
  const missing = subject.commands.find(({ program }) => !context.programs.has(program))?.program
  if (missing !== undefined) {
    report.notRun.push({ subject: subject.name, reason: `${missing} is not installed` })
    return
  }
  const end = Math.min(run.deadline, performance.now() + SUBJECT_MS)
  const attempts: Attempt[] = []
  const isOver = () => attempts.some(({ ended }) => ended.proofs.length > 0)
  const skipped = new Set<string>()
  for (const next of planTrials(subject, attempts, options.only?.variant)) {
    if (isOver() || context.signal?.aborted) return
    const wallMs = Math.min(TRIAL_MS, end - performance.now())
    if (wallMs < MIN_TRIAL_MS) {
      skipped.add(next.variant.name)
      continue
    }
    run.onVariant(next.variant.name)
    const ended = await startTrial(run, { ...next, wallMs })
    if (!ended) return
    attempts.push({ ...next, ended })
  }
  if (skipped.size > 0 && !isOver()) {
    const reason = `no time was left for these variants: ${[...skipped].join(', ')}`
    report.notRun.push({ subject: subject.name, reason })
  }
}

interface Attempt {
  variant: Variant
  command: SubjectCommand
  ended: EndedTrial
}

/** Plans each trial when the ones before it have ended: all arguments first, then the best ones. */
function* planTrials(
  subject: Subject,
  attempts: readonly Attempt[],
  only: string | undefined,
): Generator<Pick<Attempt, 'variant' | 'command'>> {
  const [plain, ...others] = listVariants(subject)
  const isWanted = ({ name }: Variant) => only === undefined || only === name
  if (plain && isWanted(plain)) {
    for (const command of subject.commands) yield { variant: plain, command }
  }
  for (const variant of others.filter(isWanted)) yield { variant, command: chooseCommand(subject, attempts) }
  const hasFetched = attempts.some(({ ended }) => ended.hasFetched)
  if (only === SCRIPT_ANSWERS.name || (hasFetched && only === undefined)) {
    yield { variant: SCRIPT_ANSWERS, command: chooseCommand(subject, attempts) }
  }
}

/** Chooses the command line that did most: one that is refused for its arguments shows little. */
function chooseCommand({ commands }: Subject, attempts: readonly Attempt[]): SubjectCommand {
  const score = ({ ended }: Attempt) => ended.trace.length + (ended.outcome === 'exit 0' ? 1000 : 0)
  const best = attempts.toSorted((a, b) => score(b) - score(a))[0]?.command
  return best ?? commands[0] ?? { program: 'bash', args: ['-c', ':'] }
}

/** Runs one trial and adds it to the report; undefined if its sandbox did not start. */
async function startTrial(
  { context, report, subject, options }: SubjectRun,
  trial: Pick<Attempt, 'variant' | 'command'> & { wallMs: number },
): Promise<EndedTrial | undefined> {
  const { name } = subject
  const variant = trial.variant.name
  try {
    const ended = await runTrial(context, trial)
    const { outcome, durationMs, trace } = ended
    report.subjects.push({ subject: name, variant, outcome, durationMs, trace })
    for (const proof of ended.proofs) {
      report.proofs.push({ ...proof, subject: name, variant, ...describeRepeat(subject, variant, options.name) })
    }
    return ended
  } catch (error) {
    if (context.signal?.aborted) return undefined
    // Without a sandbox for this one, there is none for the others.
    if (error instanceof SkillsError && error.code.startsWith('sandbox/')) throw error
    report.notRun.push({ subject: name, reason: `its sandbox did not start: ${(error as Error).message}` })
    return undefined
  }
}

// eslint-disable-next-line max-params -- the subject, its variant and the source
function describeRepeat(
  { name, file, line }: Subject,
  variant: string,
  source = '.',
): Pick<Proof, 'file' | 'line' | 'repeat'> {
  const words = ['skills', 'vet', source, '--run', '--only', name, '--variant', variant]
  const repeat = words.map(quoteShellWord).join(' ')
  return { file, ...(line !== undefined && { line }), repeat }
}
