import { runSkillCommand } from '../../core/workspaces/commands/skill-run.ts'
import { getWorkspaceKey } from '../../core/workspaces/commands/skill-command.ts'
import type { Services } from '../../core/services.ts'
import { EMPTY_RECORD, type CaseRecord } from '../../core/testing/expectations/case-record.ts'
import type { CommandAction } from '../../core/testing/suites/suite.ts'
import type { CaseContext, CasePerformer } from './case-performer.ts'
import { recordRefusedRun } from './record-function.ts'
import { recordWorkspace, writeSetupFiles } from './session-workspace.ts'
import { FAKE_PATH } from './setup.ts'
import { watchRuns } from './watch-runs.ts'

/** Runs a command of the skill in a workspace of its own, as `skill_run` does. */
export const performCommandCase: CasePerformer<CommandAction> = async (action, context) => {
  const services = bindTestedSkill(context)
  const { testCase, entry } = context
  const session = context.folder
  const watched = watchRuns()
  const call = { ...context.call, onEvent: watched.onCommandEvent }
  const key = getWorkspaceKey(session, call)
  const workspaces = await services.workspaces()
  const empty = { ...EMPTY_RECORD, secrets: testCase.secrets }
  return await workspaces.use(key, call, async (workspace) => {
    writeSetupFiles(await workspace.tree(), testCase)
    const { command, stdin } = action
    const timeout = testCase.timeoutMs === undefined ? undefined : testCase.timeoutMs / 1000
    const env = {
      ...context.call.grants?.environment,
      ...(testCase.fakes.size > 0 && { PATH: FAKE_PATH }),
    }
    const params = { skill: entry.name, session, command, stdin, timeout, env }
    let record: CaseRecord
    try {
      const result = await runSkillCommand(services, params, call)
      const exitCode = result.exit_code < 0 ? null : result.exit_code
      record = {
        ...empty,
        status: exitCode === 0 ? 'completed' : 'failed',
        exitCode,
        stdout: result.stdout,
        stderr: result.stderr,
        error: describeCommandFailure(result),
        network: watched.network,
        isolation: watched.readIsolation(),
        durationMs: result.duration_ms,
      }
    } catch (thrown) {
      record = recordRefusedRun(empty, thrown)
    }
    return { ...record, ...(await recordWorkspace(workspace, context)) }
  })
}

/** The name of the tested skill refers to the tested folder. */
function bindTestedSkill({ services, entry }: CaseContext): Services {
  const { repository } = services
  return {
    ...services,
    repository: {
      ...repository,
      resolve: async (name, version) =>
        name === entry.name ? entry : await repository.resolve(name, version),
    },
  }
}

function describeCommandFailure(result: {
  timed_out: boolean
  exit_code: number
}): CaseRecord['error'] {
  if (result.timed_out) return { type: 'Timeout', message: 'The command ran into its time limit' }
  if (result.exit_code === 0) return undefined
  return { type: 'ExitCode', message: `The command ended with exit code ${result.exit_code}` }
}
