import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { runTrial, type EndedTrial } from './run-trial.ts'
import type { Subject, SubjectCommand } from './subjects/subject.ts'
import type { TrialContext } from './trial-context.ts'
import type { Proof, TrialReport } from './trial-report.ts'
import type { TrialSlots } from './trial-slots.ts'
import { listVariants, SCRIPT_ANSWERS, withPackages, type Variant } from './variants.ts'

/** For all trials of a subject together. */
const SUBJECT_MS = 5000
/** Share of one trial in the time of its subject. */
const TRIAL_SHARE = 0.8
/** A sandbox needs this long to start. */
const MIN_TRIAL_MS = 300

interface SubjectRun {
  context: TrialContext
  slots: TrialSlots
  report: TrialReport
  options: {
    /** Source of the skill in the commands that repeat a trial. */
    name?: string | undefined
    only?: { variant?: string | undefined } | undefined
    subjectMs?: number | undefined
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
  const { subjectMs = SUBJECT_MS } = options
  const end = Math.min(run.deadline, performance.now() + subjectMs)
  const trialMs = subjectMs * TRIAL_SHARE
  const state: SubjectState = { attempts: [], skipped: new Set(), isOver: false, trialMs, end }
  for (const plan of [planPlain, planScripts, planPackages, planOthers]) {
    const trials = plan(subject, state.attempts, options.only?.variant)
    await Promise.all(trials.map(async (trial) => await attemptTrial(run, state, trial)))
  }
  if (state.skipped.size > 0 && !state.isOver) {
    const reason = `no time was left for these variants: ${[...state.skipped].join(', ')}`
    report.notRun.push({ subject: subject.name, reason })
  }
}

/** Proofs beside which another variant may show worse. */
const WEAK_PROOFS = new Set<Proof['kind']>(['read-and-sent', 'document-sent'])

interface SubjectState {
  attempts: Attempt[]
  /** Variants for which no time was left. */
  skipped: Set<string>
  /** True once there is a proof, or no more sandbox. */
  isOver: boolean
  /** For one trial. */
  trialMs: number
  /** On the monotonic clock. */
  end: number
}

type PlannedAttempt = Pick<Attempt, 'variant' | 'command'>

interface Attempt {
  variant: Variant
  command: SubjectCommand
  ended: EndedTrial
}

// eslint-disable-next-line max-params -- the run, its state and the next trial
async function attemptTrial(
  run: SubjectRun,
  state: SubjectState,
  trial: PlannedAttempt,
): Promise<void> {
  await run.slots.use(async () => {
    if (state.isOver || run.context.signal?.aborted) return
    const wallMs = Math.min(state.trialMs, state.end - performance.now())
    if (wallMs < MIN_TRIAL_MS) return void state.skipped.add(trial.variant.name)
    run.onVariant(trial.variant.name)
    const ended = await startTrial(run, { ...trial, wallMs })
    if (ended) state.attempts.push({ ...trial, ended })
    state.isOver ||= !ended || ended.proofs.some(({ kind }) => !WEAK_PROOFS.has(kind))
  })
}

type PlanTrials = (
  subject: Subject,
  attempts: readonly Attempt[],
  only: string | undefined,
) => PlannedAttempt[]

/** All arguments, in the plain variant. */
const planPlain: PlanTrials = (subject, _, only) =>
  listVariants(subject)
    .slice(0, 1)
    .filter(({ name }) => only === undefined || only === name)
    .flatMap((variant) => subject.commands.map((command) => ({ variant, command })))

/** A subject that has fetched something gets a program instead. */
const planScripts: PlanTrials = (subject, attempts, only) => {
  const hasFetched = attempts.some(({ ended }) => ended.hasFetched)
  const isPlanned = only === undefined ? hasFetched : only === SCRIPT_ANSWERS.name
  return isPlanned ? [{ variant: SCRIPT_ANSWERS, command: chooseCommand(subject, attempts) }] : []
}

/** A subject that fails everywhere may lack programs and packages: it gets stand-ins for them. */
const planPackages: PlanTrials = (subject, attempts, only) => {
  if (only !== undefined || !isStuck(attempts)) return []
  return planPlain(subject, attempts, only).map(({ variant, command }) => ({
    variant: withPackages(variant),
    command,
  }))
}

function isStuck(attempts: readonly Attempt[]): boolean {
  return attempts.length > 0 && attempts.every(({ ended }) => ended.outcome !== 'exit 0')
}

/** The other variants, with the arguments that did most. */
const planOthers: PlanTrials = (subject, attempts, only) => {
  const command = chooseCommand(subject, attempts)
  const [plain = SCRIPT_ANSWERS, ...others] = listVariants(subject)
  const hasPackages = attempts.some(({ variant }) => variant.hasPackages === true)
  const hasFetched = attempts.some(({ ended }) => ended.hasFetched)
  const scripts = hasPackages && hasFetched ? [SCRIPT_ANSWERS] : []
  const planned = hasPackages ? [...scripts, ...others].map(withPackages) : others
  const prepared = [plain, SCRIPT_ANSWERS, ...others].map(withPackages)
  const all = only === undefined ? planned : [...others, ...prepared]
  return all
    .filter(({ name }) => only === undefined || only === name)
    .map((variant) => ({ variant, command }))
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
      // Trials with other arguments run at the same time.
      const isKnown = report.proofs.some(
        (each) =>
          each.subject === name && each.variant === variant && each.message === proof.message,
      )
      if (isKnown) continue
      report.proofs.push({
        ...proof,
        subject: name,
        variant,
        ...describeRepeat(subject, variant, options.name),
      })
    }
    return ended
  } catch (error) {
    if (context.signal?.aborted) return undefined
    // Without a sandbox for this one, there is none for the others.
    if (error instanceof SkillsError && error.code.startsWith('sandbox/')) throw error
    report.notRun.push({
      subject: name,
      reason: `its sandbox did not start: ${(error as Error).message}`,
    })
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
