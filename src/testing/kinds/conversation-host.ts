import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SkillHost } from '../../agent/host.ts'
import { localHost } from '../../agent/local-host.ts'
import { refusedParam } from '../../errors.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import type { FakeCall } from '../../core/testing/expectations/case-record.ts'
import { CALLS_FILE, parseCalls } from '../../core/testing/suites/fake-commands.ts'
import { RESERVED_FOLDER } from '../../core/testing/suites/setup-files.ts'
import { COVERAGE_FOLDER } from '../coverage/python-tracer.ts'
import type { CaseContext } from './case-performer.ts'
import { offerSkills } from './offer-skills.ts'
import { createSetup, FAKE_PATH, listSetupFiles } from './setup.ts'
import type { WatchedRuns } from './watch-runs.ts'

/** Tools that call a function, in a workspace of its own. */
const FUNCTION_TOOLS: ReadonlySet<string> = new Set(['execute_skill', 'run_code'])
/** Tools that run a command in the workspace of the session. */
const COMMAND_TOOLS: ReadonlySet<string> = new Set(['skill_run', 'skill_exec', 'workspace_exec'])

/** Folders of a workspace that belong to test runs. */
const OWN_FOLDERS: ReadonlySet<string> = new Set([RESERVED_FOLDER, COVERAGE_FOLDER])

export interface ConversationHost {
  host: SkillHost
  /** Calls of fake commands by functions, whose workspaces are not that of the session. */
  calls: readonly FakeCall[]
}

/**
 * The skills of a conversation. Its runs have the fake secrets, fixed values and fake commands of
 * the case, and the network of the case: none, or a cassette.
 */
export function openConversationHost(
  context: CaseContext,
  entries: readonly SkillEntry[],
  { onEvent, onCommandEvent }: WatchedRuns,
): ConversationHost {
  const { services, testCase, needs, folder, coverage } = context
  const { signal: _, ...own } = context.call
  const setup = createSetup(context, listReservedFiles(context))
  const offered = {
    ...services,
    repository: offerSkills(services.repository, entries),
    instruments: { ...services.instruments, setup },
  }
  const host = localHost(offered, { call: { ...own, onEvent: onCommandEvent } })
  const calls: FakeCall[] = []
  let count = 0
  return {
    calls,
    host: {
      ...host,
      async call(method, params, at) {
        refuseDetachedRun(params)
        if (!FUNCTION_TOOLS.has(method.name)) {
          const isFaked = testCase.fakes.size > 0 && COMMAND_TOOLS.has(method.name)
          return await host.call(method, isFaked ? addFakePath(params) : params, at)
        }
        const keepIn = needs.has('workspace') ? `${folder}-run-${(count += 1)}` : undefined
        const call = { ...own, onEvent, keepIn }
        const result = await localHost(offered, { call }).call(method, params, at)
        if (keepIn === undefined || !existsSync(keepIn)) return result
        calls.push(...readCalls(keepIn))
        coverage?.readWorkspace(keepIn)
        return result
      },
    },
  }
}

/** A detached run has a process of its own, which knows neither the case nor its fake secrets. */
function refuseDetachedRun(params: object): void {
  if ('detach' in params && params.detach === true) {
    throw refusedParam(
      'detach',
      'A run of a test cannot be detached, because it ends with its case',
    )
  }
}

function addFakePath(params: object): object {
  const { env = {} } = params as { env?: Readonly<Record<string, string>> }
  return { ...params, env: { PATH: FAKE_PATH, ...env } }
}

/** Fake commands, and files of the tracer. The other files of a case are those of its session. */
function listReservedFiles({ testCase }: CaseContext): ReturnType<typeof listSetupFiles> {
  const files = [...listSetupFiles(testCase)]
  return new Map(files.filter(([path]) => OWN_FOLDERS.has(path.split('/', 1)[0] ?? '')))
}

function readCalls(folder: string): readonly FakeCall[] {
  const file = join(folder, CALLS_FILE)
  return existsSync(file) ? parseCalls(readFileSync(file)) : []
}
