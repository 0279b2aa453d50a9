import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { copyLinksAsLinks } from '../../util/files/copy-links-as-links.ts'
import type { CoverageCollector } from '../coverage/coverage-collector.ts'
import type { CaseRecord } from '../../core/testing/expectations/case-record.ts'
import { formatCalls } from '../../core/testing/expectations/conversation/record.ts'
import {
  judgeExpectation,
  type ExpectationFailure,
  type SnapshotJudge,
  type RecordNeed,
  type JudgeContext,
} from '../../core/testing/expectations/expectation.ts'
import type { CaseContext } from '../kinds/case-performer.ts'
import { loadPerformer } from '../kinds/index.ts'
import type { CaseNetwork } from '../network/case-network.ts'
import type { CaseAttempt, CaseReport, CaseStatus } from '../report/test-report.ts'
import { nameCaseFiles } from '../../core/testing/suites/sibling-files.ts'
import type { TestCase } from '../../core/testing/suites/suite.ts'
import type { DeferWrite } from './deferred-writes.ts'
import { createSnapshotJudge, type SnapshotMode } from './judge-snapshot.ts'
import type { PlannedCase } from './plan-tests.ts'
import type { TestRuntime } from './test-runtime.ts'
import { formatOwnFrames } from '../../util/traceback/format-traceback.ts'
import { MASK } from '../../core/runs/redaction/mask-ranges.ts'
import { createRedactor } from '../../core/runs/redaction/redact.ts'
import { quoteShellWord } from '../../util/shell-word.ts'

/** Settings of each case of a test run. */
export interface CaseSettings {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
  /** Number of times that each case runs; one failure makes it fail. */
  repeat: number
  /** Number of times that a failed case is tried again. */
  retry: number
  /** Folder for the workspaces of failed cases, if they are kept. */
  keepIn: string | undefined
  /** Default: `review`. */
  snapshots?: SnapshotMode | undefined
  coverage?: CoverageCollector | undefined
  /** True to record the cassettes of cases, instead of replaying them. */
  record: boolean
}

interface NumberedSettings extends CaseSettings {
  /** Place of the case in the test run. */
  number: number
  defer: DeferWrite
}

/** Runs one case, as often as the settings require, and judges its records. */
export async function runCase(
  runtime: TestRuntime,
  planned: PlannedCase,
  settings: NumberedSettings,
): Promise<CaseReport> {
  const attempts: CaseAttempt[] = []
  let status: CaseStatus = 'passed'
  for (let round = 0; round < settings.repeat && status !== 'failed'; round++) {
    let hasPassed = false
    for (let tries = 0; tries <= settings.retry && !hasPassed; tries++) {
      const attempt = await tryCase(runtime, planned, { ...settings, tries: attempts.length })
      attempts.push(attempt)
      hasPassed = attempt.failures.length === 0
      if (hasPassed && tries > 0) status = 'flaky'
    }
    if (!hasPassed) status = 'failed'
  }
  const { entry, suite, testCase } = planned
  const { name, tags } = testCase
  const path = relative(settings.cwd, suite.file)
  const titles = { skill: entry.name, suite: suite.name, path, name, tags }
  return {
    ...titles,
    status,
    attempts,
    get position() {
      return testCase.position
    },
  }
}

/** Runs a case once. */
async function tryCase(
  runtime: TestRuntime,
  planned: PlannedCase,
  settings: NumberedSettings & { tries: number },
): Promise<CaseAttempt> {
  const { entry, testCase } = planned
  const { cwd, number, tries, coverage, snapshots: mode = 'review', defer } = settings
  const own = join(runtime.folder, `case-${number}-${tries}`)
  mkdirSync(own)
  try {
    const network = await openPlannedNetwork(runtime, planned, settings)
    const context = createContext(runtime, planned, { settings, own, network })
    const folders = new Map([
      [own, '[CASE]'],
      [entry.dir, '[SKILL]'],
    ])
    const snapshots = createSnapshotJudge(planned, { mode, cwd, folders, defer })
    const perform = await loadPerformer(testCase.action.kind)
    const performed = await perform(testCase.action, context)
    const record = coverage?.closeCase(entry, testCase, performed) ?? performed
    const failures = [
      ...(network?.finish() ?? []),
      ...(await judgeRecord(context, record, snapshots)),
    ]
    const kept = failures.length > 0 ? keepWorkspace(context, settings) : undefined
    return { failures, durationMs: record.durationMs, output: formatOutput(context, record), kept }
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

interface ContextParts {
  settings: CaseSettings
  /** Folder of this attempt. */
  own: string
  network: CaseNetwork | undefined
}

function createContext(
  { services }: TestRuntime,
  { entry, testCase }: PlannedCase,
  { settings, own, network }: ContextParts,
): CaseContext {
  const { cwd, env, signal, keepIn, coverage } = settings
  const needs = listNeeds(testCase)
  if (keepIn !== undefined || coverage) needs.add('workspace')
  const { secrets, memoryBytes } = testCase
  const environment = { ...buildFixedEnvironment(testCase), ...coverage?.environment }
  return {
    services: network ? { ...services, instruments: network.instruments } : services,
    entry,
    testCase: coverage?.addFiles(testCase) ?? testCase,
    coverage: coverage?.openCase(entry),
    needs,
    folder: join(own, 'workspace'),
    call: {
      cwd,
      env,
      signal,
      caller: { door: 'cli' },
      grants: {
        environment,
        secrets,
        memoryBytes,
        watchesNetwork: needs.has('network'),
        ...network?.grants,
      },
    },
  }
}

async function openPlannedNetwork(
  runtime: TestRuntime,
  { testCase, cassette }: PlannedCase,
  { cwd, env, record: isRecording, defer }: NumberedSettings,
): Promise<CaseNetwork | undefined> {
  if (!cassette) return undefined
  const { openCaseNetwork } = await import('../network/case-network.ts')
  return await openCaseNetwork({
    services: runtime.services,
    testCase,
    caseCassette: cassette,
    cwd,
    defer,
    readSecrets: isRecording ? async (names) => await runtime.readSecrets(names, env) : undefined,
  })
}

/** Copies the workspace of a failed case; undefined if none is kept, or if its run left none. */
function keepWorkspace(
  { folder, testCase }: CaseContext,
  { keepIn, number }: NumberedSettings,
): string | undefined {
  if (keepIn === undefined || !existsSync(folder)) return undefined
  const target = join(keepIn, `${number + 1}-${nameCaseFiles(testCase.name)}`)
  mkdirSync(dirname(target), { recursive: true })
  copyLinksAsLinks(folder, target)
  return target
}

async function judgeRecord(
  context: CaseContext,
  record: CaseRecord,
  snapshots: SnapshotJudge,
): Promise<ExpectationFailure[]> {
  const failures: ExpectationFailure[] = []
  const services = { ...createJudgeContext(context), snapshots }
  for (const each of context.testCase.expectations) {
    const failure = await judgeExpectation(each, record, services)
    if (failure) failures.push(failure)
  }
  return mergeSameError(failures, record.error)
}

/** Drops failures that only repeat the error of the run, which an earlier one names. */
function mergeSameError(
  failures: readonly ExpectationFailure[],
  error: CaseRecord['error'],
): ExpectationFailure[] {
  if (!error) return [...failures]
  const [first, ...rest] = failures.filter(({ message }) => message.includes(error.message))
  return first ? failures.filter((each) => !rest.includes(each)) : [...failures]
}

function listNeeds({ expectations }: TestCase): Set<RecordNeed> {
  return new Set(expectations.flatMap(({ kind, value }) => kind.needs?.(value) ?? []))
}

/** Output of a run, then the lines of the skill's code that its error passed through. */
function formatOutput(
  { entry, call }: CaseContext,
  { logs, stdout, stderr, conversation, error }: CaseRecord,
): string {
  const calls = conversation ? formatCalls(conversation) : ''
  const folders = new Map([[entry.name, entry.dir]])
  const locations = { cwd: call.cwd, folders, codeName: undefined }
  const places = formatOwnFrames(error?.traceback ?? '', locations).join('\n')
  return [logs, stdout, stderr, calls, places].filter((text) => text !== '').join('\n')
}

/** Variables of every case, so that results do not depend on the machine. */
const FIXED_ENVIRONMENT: Readonly<Record<string, string>> = {
  TZ: 'UTC',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  PYTHONHASHSEED: '0',
  NO_COLOR: '1',
  COLUMNS: '80',
}

/** The variables of a case: SOURCE_DATE_EPOCH is its time, in seconds. */
function buildFixedEnvironment({ fixed }: Pick<TestCase, 'fixed'>): Record<string, string> {
  const { nowMs = Date.now() } = fixed
  return { ...FIXED_ENVIRONMENT, SOURCE_DATE_EPOCH: String(Math.floor(nowMs / 1000)) }
}

/** Creates the services of the judges of one case. */
function createJudgeContext(context: CaseContext): Omit<JudgeContext, 'snapshots'> {
  return {
    revealsSecret(text, values) {
      return text.includes(MASK) || createRedactor([...values]).text(text) !== text
    },
    async runProgram(program, stdin) {
      const perform = await loadPerformer('command')
      const command = program.map((word) => quoteShellWord(word)).join(' ')
      const { call, testCase, folder, services } = context
      const { environment, memoryBytes } = call.grants ?? {}
      const bare = { files: new Map(), fakes: new Map(), blobs: new Map(), secrets: new Map() }
      return await perform(
        { kind: 'command', command, stdin },
        {
          ...context,
          // A judge gets no answers of a cassette.
          services: { ...services, instruments: undefined },
          folder: `${folder}-judge`,
          needs: new Set(),
          testCase: { ...testCase, ...bare },
          call: { ...call, grants: { environment, memoryBytes } },
        },
      )
    },
  }
}
