/// <reference types="node" preserve="true" />
export {
  createSkillsApp,
  type SkillsApp,
  type SkillsAppOptions,
  type SkillsRoutes,
} from './mount.ts'
export type { ReloadSources } from './reload/server-parts.ts'
export type { ReloadPart, ReloadPartName, ReloadReport } from './reload/reloader.ts'
export { serve, type RunningServer, type ServeOptions } from './serve.ts'
export { ANONYMOUS, SCOPES, type Caller, type Scope } from './auth/caller.ts'
export { parseTokens, singleToken, type TokenBook } from './auth/tokens.ts'
export { jsonLog, textLog, SILENT_LOG, type RequestLog } from './telemetry/request-log.ts'
