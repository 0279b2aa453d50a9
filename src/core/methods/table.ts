import { loadLazily } from '../../util/load-lazily.ts'
import { reportArtifacts } from '../workspaces/artifacts/report-artifacts.ts'
import type { MethodParams, MethodResult } from './define-method.ts'
import type { Definitions, MethodName } from './definitions.ts'
import type { MethodRow } from './method.ts'
import { OPERATOR_ROWS } from './operator-rows.ts'
import { RUN_ROWS } from './run-rows.ts'
import { SKILL_PAGE_ROWS } from './skill-page-rows.ts'
import { readCommandOutcome, readSessionOutcome, readStatus } from './outcomes.ts'

/** Profiles whose agents load skills. */
const LOADING_PROFILES = ['knowledge', 'agent'] as const

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
    profiles: ['protocol', 'agent'],
    outcome: readStatus,
    load: loadLazily(async () => (await import('./run-code/handler.ts')).runCode),
  },
  kernel: {
    scope: 'run',
    effect: 'control',
    profiles: ['agent'],
    requires: 'run_code',
    load: loadLazily(async () => (await import('./kernel/handler.ts')).controlKernel),
  },
  'runtime.execute': {
    scope: 'run',
    effect: 'run',
    profiles: ['programs'],
    outcome: readStatus,
    load: loadLazily(async () => (await import('./runtime-execute/handler.ts')).runtimeExecute),
  },
  ...RUN_ROWS,
  'runtime.languages': {
    scope: 'read',
    effect: 'read',
    profiles: ['programs'],
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
    profiles: ['agent', 'programs'],
    load: loadLazily(
      async () => (await import('./runtime-query-output/handler.ts')).queryRunOutput,
    ),
  },
  'runtime.workflow': {
    scope: 'run',
    effect: 'run',
    profiles: ['programs'],
    outcome: readStatus,
    load: loadLazily(async () => (await import('./runtime-workflow/handler.ts')).runWorkflow),
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
    skillParam: 'skill',
    outcome: readCommandOutcome,
    load: loadLazily(async () =>
      reportArtifacts((await import('../workspaces/commands/skill-run.ts')).runSkillCommand),
    ),
  },
  skill_exec: {
    scope: 'run',
    effect: 'run',
    requires: 'skill_run',
    skillParam: 'skill',
    outcome: readSessionOutcome,
    load: loadLazily(async () =>
      reportArtifacts((await import('../workspaces/sessions/skill-exec.ts')).execSkillCommand),
    ),
  },
  skill_write_stdin: {
    scope: 'run',
    effect: 'control',
    requires: 'skill_exec',
    outcome: readSessionOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/sessions/skill-exec.ts')).writeToSession,
    ),
  },
  skill_poll_session: {
    scope: 'run',
    effect: 'control',
    requires: 'skill_exec',
    outcome: readSessionOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/sessions/skill-exec.ts')).pollSession,
    ),
  },
  skill_kill_session: {
    scope: 'run',
    effect: 'control',
    requires: 'skill_exec',
    load: loadLazily(
      async () => (await import('../workspaces/sessions/skill-exec.ts')).killSession,
    ),
  },
  workspace_exec: {
    scope: 'run',
    effect: 'run',
    profiles: ['agent'],
    skillParam: 'skill',
    outcome: readSessionOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/commands/workspace-exec.ts')).execInWorkspace,
    ),
  },
  write_stdin: {
    scope: 'run',
    effect: 'control',
    profiles: ['agent'],
    requires: 'workspace_exec',
    outcome: readSessionOutcome,
    load: loadLazily(
      async () => (await import('../workspaces/commands/workspace-exec.ts')).writeInWorkspace,
    ),
  },
  kill: {
    scope: 'run',
    effect: 'control',
    profiles: ['agent'],
    requires: 'workspace_exec',
    load: loadLazily(
      async () => (await import('../workspaces/sessions/skill-exec.ts')).killSession,
    ),
  },
  workspace_save_artifact: {
    scope: 'run',
    effect: 'create',
    profiles: ['agent'],
    load: loadLazily(async () =>
      reportArtifacts((await import('../workspaces/artifacts/saved-files.ts')).saveFromWorkspace),
    ),
  },
  workspace_list_artifacts: {
    scope: 'read',
    effect: 'read',
    load: loadLazily(
      async () => (await import('../workspaces/artifacts/list-artifacts.ts')).listSessionArtifacts,
    ),
  },
  workspace_read: {
    scope: 'read',
    effect: 'read',
    profiles: ['agent'],
    load: loadLazily(
      async () => (await import('../workspaces/artifacts/saved-files.ts')).readFromWorkspace,
    ),
  },
  workspace_write: {
    scope: 'run',
    effect: 'change',
    profiles: ['agent'],
    load: loadLazily(
      async () => (await import('../workspaces/files/edit-files.ts')).writeInWorkspace,
    ),
  },
  workspace_replace: {
    scope: 'run',
    effect: 'change',
    profiles: ['agent'],
    load: loadLazily(
      async () => (await import('../workspaces/files/edit-files.ts')).replaceInWorkspace,
    ),
  },
  workspace_list: {
    scope: 'read',
    effect: 'read',
    profiles: ['agent'],
    load: loadLazily(
      async () => (await import('../workspaces/files/list-files.ts')).listInWorkspace,
    ),
  },
  workspace_add_files: {
    scope: 'run',
    effect: 'create',
    load: loadLazily(
      async () => (await import('../workspaces/files/add-files.ts')).addFilesToWorkspace,
    ),
  },
  ...SKILL_PAGE_ROWS,
  ...OPERATOR_ROWS,
} as const satisfies MethodTable

/** Handler of a method, by its name. */
export type HandlerFor<Name extends MethodName> = Awaited<
  ReturnType<(typeof METHOD_TABLE)[Name]['load']>
>
