import { runSkillCommand } from '../../core/workspaces/commands/skill-run.ts'
import { getWorkspaceKey } from '../../core/workspaces/commands/skill-command.ts'
import { writeWorkspaceFile } from '../../core/workspaces/files/write-file.ts'
import { copyFolder } from '../../core/sandbox/rootfs/copy-folder.ts'
import type { Isolation } from '../../core/sandbox/isolation.ts'
import type { NetworkDecision } from '../../core/sandbox/egress/decision.ts'
import type { Services } from '../../core/services.ts'
import {
  EMPTY_RECORD,
  type CaseRecord,
  type WorkspaceChanges,
} from '../../core/testing/expectations/case-record.ts'
import { COMMAND_PATH } from '../../core/workspaces/commands/command-plan.ts'
import { GUEST_FOLDERS } from '../../core/sandbox/guest-host/guest-job.ts'
import { FAKE_FOLDER } from '../../core/testing/suites/fake-commands.ts'
import type { CommandAction } from '../../core/testing/suites/suite.ts'
import type { CaseContext, CasePerformer } from './case-performer.ts'
import { readWorkspace } from './read-workspace.ts'
import { recordRefusedRun } from './record-function.ts'
import { listSetupFiles } from './setup.ts'

/** PATH of a command, which has the programs of the skill in front. */
const FAKE_PATH = `${GUEST_FOLDERS.workspace}/${FAKE_FOLDER}:${COMMAND_PATH}`

/** Folders of a workspace that the runtime owns. */
const OWN_FOLDERS = /^(?:runs|skills|\.venvs|work\/inputs)\//

/** Runs a command of the skill in a workspace of its own, as `skill_run` does. */
export const performCommandCase: CasePerformer<CommandAction> = async (action, context) => {
  const services = bindTestedSkill(context)
  const { testCase, entry } = context
  const session = context.folder
  const call = { ...context.call, ...watchRun() }
  const key = getWorkspaceKey(session, call)
  const workspaces = await services.workspaces()
  const empty = { ...EMPTY_RECORD, secrets: testCase.secrets }
  return await workspaces.use(key, call, async (workspace) => {
    const tree = await workspace.tree()
    for (const [path, { bytes, isProgram }] of listSetupFiles(testCase)) {
      writeWorkspaceFile(tree, path, { bytes, mode: isProgram ? 0o755 : 0o644 })
    }
    const { command, stdin } = action
    const timeout = testCase.timeoutMs === undefined ? undefined : testCase.timeoutMs / 1000
    const env = { ...context.call.environment, ...(testCase.fakes.size > 0 && { PATH: FAKE_PATH }) }
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
        network: call.network,
        isolation: call.applied(),
        durationMs: result.duration_ms,
      }
    } catch (thrown) {
      record = recordRefusedRun(empty, thrown)
    }
    context.coverage?.readWorkspace(workspace.root)
    if (context.needs.has('workspace')) {
      const maxBytes = services.config.run.limits.workspaceBytes
      await copyFolder(Buffer.from(workspace.root), Buffer.from(context.folder), { maxBytes })
    }
    const { files, calls } = readWorkspace(context.folder, testCase)
    return { ...record, files: selectOwnFiles(files), calls }
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

function watchRun() {
  const network: NetworkDecision[] = []
  let isolation: Isolation | null = null
  return {
    network,
    applied: () => isolation,
    onIsolated: (applied: Isolation) => void (isolation = applied),
    onEvent: (event: { type: string; decision?: NetworkDecision }) => {
      if (event.type === 'network' && event.decision) network.push(event.decision)
    },
  }
}

function selectOwnFiles(changes: WorkspaceChanges): WorkspaceChanges {
  return { ...changes, created: changes.created.filter((path) => !OWN_FOLDERS.test(path)) }
}
