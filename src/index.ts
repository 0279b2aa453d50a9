/// <reference types="node" preserve="true" />
export { SkillsError, type ErrorCode } from './errors.ts'
export { createRuntime, type Runtime } from './core/runtime.ts'
export type { RuntimeOptions } from './core/open-services.ts'
export type {
  Executor,
  ExecutorCommand,
  ExecutorExit,
  ExecutorGuarantees,
  ExecutorProcess,
} from './core/sandbox/executor/executor.ts'
export type { SpanTracer, SpanTracerProvider } from './util/spans.ts'
export type { NewWorkspace, WorkspaceHook } from './core/workspaces/preparation/init-workspace.ts'
export { loadConfig, type ConfigRequest, type LoadedConfig } from './core/config/load-config.ts'
export type { Config } from './core/config/config.ts'
export type { Manifest } from './core/skills/manifest/manifest.ts'
export type {
  SkillManifest,
  SkillManifestDependencies,
  SkillManifestRequirements,
  SkillManifestExample,
  SkillManifestInput,
  SkillManifestPermissions,
  SkillManifestRuntime,
} from './core/skills/manifest/skill-manifest.ts'
export type { Repository, SkillEntry } from './core/skills/repository/repository.ts'
export type { ExecuteSkillParams } from './core/methods/execute-skill/definition.ts'
export type { RunCodeParams } from './core/methods/run-code/definition.ts'
export type { ExecuteParams } from './core/methods/runtime-execute/definition.ts'
export type { ExecuteResult } from './core/programs/execute-result.ts'
export type { RunCall, RunCaller, RunEvent, RunGrants } from './core/runs/run-call.ts'
export type { RunError, RunResult } from './core/runs/result.ts'
export type { CreateBlobParams, CreateBlobResult } from './core/methods/create-blob/definition.ts'
export type { ReadBlobParams, ReadBlobResult } from './core/methods/read-blob/definition.ts'
export type { AuditLog } from './core/audit/audit-log.ts'
export type { AuditSource } from './core/audit/audit-source.ts'
export type { AuditRecord } from './core/audit/audit-record.ts'
export { verifyAudit, type AuditReport } from './core/audit/verify-audit.ts'
export type { Policy } from './core/policy/policy.ts'
export type { PolicyRequest } from './core/policy/policy-request.ts'
export { evaluatePolicy } from './core/policy/evaluate-policy.ts'
export type { PolicyVerdict } from './core/policy/verdict.ts'
export type { RunRecord, RunStatus } from './core/runs/history/run-record.ts'
export type { RunPage, RunQuery, RunStore } from './core/runs/history/run-store.ts'
export type { BlobInfo, BlobStore } from './core/storage/blob-store.ts'
export { lintSkills, type LintOptions, type LintResult } from './core/lint/lint.ts'
export { findTargets } from './core/lint/targets.ts'
export type { Finding } from './core/lint/finding.ts'
