/// <reference types="node" preserve="true" />
export { createAgentSession, type AgentSession, type SessionProblem } from './session.ts'
export type { AgentSessionOptions } from './session-options.ts'
export type { Placement } from '../core/skill-context/place-parts.ts'
export type { AgentLoads, LoadMode, SessionState } from '../core/skill-context/session-state.ts'
export type { LoadRequest } from '../core/skill-context/load-skill.ts'
export type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
export type { SessionFile, StagedSessionFile } from './files/session-file.ts'
export type {
  DownloadedContent,
  DownloadedFile,
  DownloadRequest,
  FileDownloader,
} from './files/download-file.ts'
export type { SavedSessionArtifact, SessionArtifact } from './session-artifacts.ts'
export { extractCode, type ExtractedCode } from './code/extract-code.ts'
export { runExtractedCode, type RunExtractedOptions } from './code/run-extracted-code.ts'
export { readMcpFiles } from './adapters/mcp.ts'
export type { HostCall, SkillFilter, SkillHost, ToolSession } from './host.ts'
export { localHost, type LocalHostOptions } from './local-host.ts'
export { remoteHost } from './remote-host.ts'
export { PROFILES, resolveTools, type ProfileName, type ToolChoice } from './profiles.ts'
export { formatTools, TOOL_FORMATS, type ToolFormat } from '../core/tool-formats/format-tools.ts'
export type { ToolActivation } from './activation.ts'
export type { DeclaredLoad } from '../core/skill-context/declared-loads.ts'
export {
  renderAvailableSkills,
  renderOverview,
  type OverviewOptions,
} from '../core/skill-context/prompt/overview.ts'
export type { CallValuesFunction, RunToolCall } from './call-values.ts'
export { renderGuidance } from '../core/skill-context/prompt/guidance.ts'
export type { JsonSchema } from '../core/tool-formats/plain-schema.ts'
export { defineTool, type ToolDefinition } from '../core/tool-formats/tool-definition.ts'
export { fromProviderName, toProviderName } from '../core/tool-formats/tool-names.ts'
export type { ToolAnswer, ToolCall } from './tool-call.ts'
export type { AnswerOptions } from './answer-calls.ts'
export type { Composed, Conversation } from './compose.ts'
export {
  neutralSkills,
  type NeutralCall,
  type NeutralMessage,
  type NeutralRequest,
  type NeutralSkills,
} from './adapters/neutral.ts'
