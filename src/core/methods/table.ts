import { loadLazily } from '../../util/load-lazily.ts'
import type { MethodParams, MethodResult } from './define-method.ts'
import type { Definitions, MethodName } from './definitions.ts'
import type { MethodRow, CallOutcome } from './method.ts'

/** Profiles whose agents load skills. */
const LOADING_PROFILES = ['full', 'knowledge_only', 'workspace'] as const

type MethodTable = {
  [Name in MethodName]: MethodRow<MethodParams<Definitions[Name]>, MethodResult<Definitions[Name]>>
}

/**
 * Authorization and handler of each method, in one table for review. It is separate from the
 * definitions because those load zod, which costs a command as much as starting Node: the facade
 * and the CLI call handlers through this table alone.
 */
export const METHOD_TABLE = {
  list_skills: {
    scope: 'read',
    effect: 'read',
    profiles: ['protocol'],
    load: loadLazily(async () => (await import('./list-skills/handler.ts')).listSkills),
  },
  describe_skill: {
    scope: 'read',
    effect: 'read',
    profiles: ['protocol'],
    skillParam: 'name',
    load: loadLazily(async () => (await import('./describe-skill/handler.ts')).describeSkill),
  },
  read_skill_file: {
    scope: 'read',
    effect: 'read',
    profiles: ['protocol'],
    skillParam: 'name',
    load: loadLazily(async () => (await import('./read-skill-file/handler.ts')).readSkillFile),
  },
  execute_skill: {
    scope: 'run',
    effect: 'run',
    profiles: ['protocol'],
    skillParam: 'name',
    outcome: readStatus,
    load: loadLazily(async () => (await import('./execute-skill/handler.ts')).executeSkill),
  },
  run_code: {
    scope: 'run',
    effect: 'run',
    profiles: ['protocol'],
    outcome: readStatus,
    load: loadLazily(async () => (await import('./run-code/handler.ts')).runCode),
  },
  'runtime.execute': {
    scope: 'run',
    effect: 'run',
    outcome: readStatus,
    load: loadLazily(async () => (await import('../programs/execute.ts')).executeRequest),
  },
  'runtime.languages': {
    scope: 'read',
    effect: 'read',
    load: loadLazily(async () => (await import('./runtime-languages/handler.ts')).runtimeLanguages),
  },
  create_blob: {
    scope: 'write',
    effect: 'create',
    profiles: ['protocol'],
    load: loadLazily(async () => (await import('./create-blob/handler.ts')).createBlob),
  },
  read_blob: {
    scope: 'read',
    effect: 'read',
    profiles: ['protocol'],
    load: loadLazily(async () => (await import('./read-blob/handler.ts')).readBlob),
  },
  load_skills_protocol_guide: {
    scope: 'read',
    effect: 'read',
    profiles: ['protocol'],
    load: loadLazily(
      async () => (await import('./load-skills-protocol-guide/handler.ts')).loadSkillsProtocolGuide,
    ),
  },
  create_skill: {
    scope: 'write',
    effect: 'create',
    load: loadLazily(async () => (await import('./create-skill/handler.ts')).createSkill),
  },
  'runtime.queryOutput': {
    scope: 'read',
    effect: 'read',
    load: loadLazily(
      async () => (await import('./runtime-query-output/handler.ts')).queryRunOutput,
    ),
  },
  skill_load: {
    scope: 'read',
    effect: 'read',
    profiles: LOADING_PROFILES,
    skillParam: 'skill',
    load: loadLazily(async () => (await import('./skill-load/handler.ts')).skillLoad),
  },
  skill_select_docs: {
    scope: 'read',
    effect: 'read',
    profiles: LOADING_PROFILES,
    skillParam: 'skill',
    load: loadLazily(async () => (await import('./skill-select-docs/handler.ts')).skillSelectDocs),
  },
  skill_list_docs: {
    scope: 'read',
    effect: 'read',
    profiles: LOADING_PROFILES,
    skillParam: 'skill',
    load: loadLazily(async () => (await import('./skill-list-docs/handler.ts')).skillListDocs),
  },
  skill_context: {
    scope: 'read',
    effect: 'read',
    load: loadLazily(async () => (await import('./skill-context/handler.ts')).skillContext),
  },
  skill_run: {
    scope: 'run',
    effect: 'run',
    profiles: ['full'],
    skillParam: 'skill',
    outcome: readCommandOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/commands/skill-run.ts')).runSkillCommand,
    ),
  },
  skill_exec: {
    scope: 'run',
    effect: 'run',
    profiles: ['full'],
    requires: 'skill_run',
    skillParam: 'skill',
    outcome: readSessionOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/sessions/skill-exec.ts')).execSkillCommand,
    ),
  },
  skill_write_stdin: {
    scope: 'run',
    effect: 'control',
    profiles: ['full'],
    requires: 'skill_exec',
    outcome: readSessionOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/sessions/skill-exec.ts')).writeToSession,
    ),
  },
  skill_poll_session: {
    scope: 'run',
    effect: 'control',
    profiles: ['full'],
    requires: 'skill_exec',
    outcome: readSessionOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/sessions/skill-exec.ts')).pollSession,
    ),
  },
  skill_kill_session: {
    scope: 'run',
    effect: 'control',
    profiles: ['full'],
    requires: 'skill_exec',
    load: loadLazily(
      async () => (await import('../workspaces/sessions/skill-exec.ts')).killSession,
    ),
  },
  workspace_exec: {
    scope: 'run',
    effect: 'run',
    profiles: ['workspace'],
    outcome: readSessionOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/commands/workspace-exec.ts')).execInWorkspace,
    ),
  },
  workspace_write_stdin: {
    scope: 'run',
    effect: 'control',
    profiles: ['workspace'],
    requires: 'workspace_exec',
    outcome: readSessionOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/commands/workspace-exec.ts')).writeInWorkspace,
    ),
  },
  workspace_kill_session: {
    scope: 'run',
    effect: 'control',
    profiles: ['workspace'],
    requires: 'workspace_exec',
    load: loadLazily(
      async () => (await import('../workspaces/sessions/skill-exec.ts')).killSession,
    ),
  },
  workspace_save_artifact: {
    scope: 'run',
    effect: 'create',
    profiles: ['workspace'],
    load: loadLazily(
      async () => (await import('../workspaces/artifacts/saved-files.ts')).saveFromWorkspace,
    ),
  },
  workspace_read: {
    scope: 'read',
    effect: 'read',
    load: loadLazily(
      async () => (await import('../workspaces/artifacts/saved-files.ts')).readFromWorkspace,
    ),
  },
} as const satisfies MethodTable

/** Handler of a method, by its name. */
export type HandlerFor<Name extends MethodName> = Awaited<
  ReturnType<(typeof METHOD_TABLE)[Name]['load']>
>

function readStatus<Status extends CallOutcome>({ status }: { status: Status }): Status {
  return status
}

function readCommandOutcome(result: { exit_code: number; timed_out?: boolean }): CallOutcome {
  if (result.timed_out === true) return 'timeout'
  return result.exit_code === 0 ? 'completed' : 'failed'
}

/** Outcome of a command that may still be running; an ended one has an exit code. */
function readSessionOutcome(view: SessionOutcomeView): CallOutcome {
  if (view.status === 'running') return 'running'
  return readCommandOutcome({
    exit_code: view.exit_code ?? -1,
    timed_out: view.result?.timed_out === true,
  })
}

interface SessionOutcomeView {
  status: 'running' | 'exited'
  exit_code?: number | undefined
  result?: { timed_out: boolean } | undefined
}
