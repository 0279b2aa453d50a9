import type { MethodResult } from './define-method.ts'
import { createBlobMethod } from './create-blob/definition.ts'
import { createSkillMethod } from './create-skill/definition.ts'
import { describeSkillMethod } from './describe-skill/definition.ts'
import { executeSkillMethod } from './execute-skill/definition.ts'
import { getRunRecordMethod } from './get-run-record/definition.ts'
import { listRunHistoryMethod } from './list-run-history/definition.ts'
import { listSkillsMethod } from './list-skills/definition.ts'
import { kernelMethod } from './kernel/definition.ts'
import { killMethod } from './kill/definition.ts'
import { loadSkillsProtocolGuideMethod } from './load-skills-protocol-guide/definition.ts'
import { readBlobMethod } from './read-blob/definition.ts'
import { readBlobDocumentMethod } from './read-blob-document/definition.ts'
import { readSkillFileMethod } from './read-skill-file/definition.ts'
import { runsMethod, type RunsResults } from './runs/definition.ts'
import { runtimeExecuteMethod } from './runtime-execute/definition.ts'
import { runtimeLanguagesMethod } from './runtime-languages/definition.ts'
import { runCodeMethod } from './run-code/definition.ts'
import { runtimeQueryOutputMethod } from './runtime-query-output/definition.ts'
import { runtimeWorkflowMethod } from './runtime-workflow/definition.ts'
import { skillContextMethod } from './skill-context/definition.ts'
import { skillExecMethod } from './skill-exec/definition.ts'
import { skillKillSessionMethod } from './skill-kill-session/definition.ts'
import { skillListDocsMethod } from './skill-list-docs/definition.ts'
import { skillLoadMethod } from './skill-load/definition.ts'
import { skillPollSessionMethod } from './skill-poll-session/definition.ts'
import { skillRunMethod } from './skill-run/definition.ts'
import { skillSelectDocsMethod } from './skill-select-docs/definition.ts'
import { skillWriteStdinMethod } from './skill-write-stdin/definition.ts'
import { workspaceAddFilesMethod } from './workspace-add-files/definition.ts'
import { workspaceExecMethod } from './workspace-exec/definition.ts'
import { workspaceListArtifactsMethod } from './workspace-list-artifacts/definition.ts'
import { workspaceListMethod } from './workspace-list/definition.ts'
import { workspaceReadMethod } from './workspace-read/definition.ts'
import { workspaceReplaceMethod } from './workspace-replace/definition.ts'
import { workspaceSaveArtifactMethod } from './workspace-save-artifact/definition.ts'
import { workspaceWriteMethod } from './workspace-write/definition.ts'
import { writeStdinMethod } from './write-stdin/definition.ts'
import { inspectSkillMethod } from './inspect-skill/definition.ts'
import { searchSkillsMethod } from './search-skills/definition.ts'
import { readSkillDocumentMethod } from './read-skill-document/definition.ts'
import { lintSkillMethod } from './lint-skill/definition.ts'
import { countSkillTokensMethod } from './count-skill-tokens/definition.ts'
import { describeSkillToolsMethod } from './describe-skill-tools/definition.ts'
import { checkPolicyMethod } from './check-policy/definition.ts'
import { describePolicyMethod } from './describe-policy/definition.ts'
import { listAuditRecordsMethod } from './list-audit-records/definition.ts'
import { verifyAuditLogMethod } from './verify-audit-log/definition.ts'
import { checkRuntimeMethod } from './check-runtime/definition.ts'
import { describeConfigurationMethod } from './describe-configuration/definition.ts'
import { listNodesMethod } from './list-nodes/definition.ts'
import { listSessionsMethod } from './list-sessions/definition.ts'
import { describeSessionMethod } from './describe-session/definition.ts'

/** All methods with their schemas, in the order in which models and clients see them. */
export const DEFINITIONS = [
  listSkillsMethod,
  describeSkillMethod,
  readSkillFileMethod,
  executeSkillMethod,
  runCodeMethod,
  kernelMethod,
  runtimeExecuteMethod,
  runsMethod,
  listRunHistoryMethod,
  getRunRecordMethod,
  runtimeLanguagesMethod,
  createBlobMethod,
  readBlobMethod,
  loadSkillsProtocolGuideMethod,
  createSkillMethod,
  runtimeQueryOutputMethod,
  runtimeWorkflowMethod,
  skillLoadMethod,
  skillSelectDocsMethod,
  skillListDocsMethod,
  skillContextMethod,
  skillRunMethod,
  skillExecMethod,
  skillWriteStdinMethod,
  skillPollSessionMethod,
  skillKillSessionMethod,
  workspaceExecMethod,
  writeStdinMethod,
  killMethod,
  workspaceSaveArtifactMethod,
  workspaceListArtifactsMethod,
  workspaceReadMethod,
  workspaceWriteMethod,
  workspaceReplaceMethod,
  workspaceListMethod,
  workspaceAddFilesMethod,
  inspectSkillMethod,
  searchSkillsMethod,
  readSkillDocumentMethod,
  readBlobDocumentMethod,
  lintSkillMethod,
  countSkillTokensMethod,
  describeSkillToolsMethod,
  checkPolicyMethod,
  describePolicyMethod,
  listAuditRecordsMethod,
  verifyAuditLogMethod,
  checkRuntimeMethod,
  describeConfigurationMethod,
  listNodesMethod,
  listSessionsMethod,
  describeSessionMethod,
] as const

/** Definitions by method name. */
export type Definitions = {
  [Each in (typeof DEFINITIONS)[number] as Each['name']]: Each
}
export type MethodName = keyof Definitions

/** Result of a call; that of `runs` depends on the action. */
export type CallResult<Name extends MethodName, Params> = [Name, Params] extends [
  'runs',
  { action: infer Action extends keyof RunsResults },
]
  ? RunsResults[Action]
  : MethodResult<Definitions[Name]>
