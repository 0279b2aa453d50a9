import { randomUUID } from 'node:crypto'
import { readSessionState } from '../core/skill-context/read-session-state.ts'
import { createSessionState, type SessionState } from '../core/skill-context/session-state.ts'
import { SessionFiles } from './files/session-files.ts'
import { SessionArtifacts } from './session-artifacts.ts'
import type { AgentSessionOptions } from './session-options.ts'

/** State that all agents of a conversation share. */
export interface SharedAgentState {
  id: string
  state: SessionState
  files: SessionFiles
  artifacts: SessionArtifacts
  /** Per agent, a queue of load changes: a model may request several at once. */
  queues: Map<string, Promise<unknown>>
}

/** Opens the state of a new conversation, or continues a stored one. */
export function openSharedState(options: AgentSessionOptions): SharedAgentState {
  const stored =
    options.state === undefined ? createSessionState() : readSessionState(options.state)
  const { id, files, ...state } = stored
  return {
    id: options.id ?? id ?? randomUUID(),
    state,
    files: new SessionFiles(options.downloader, files),
    artifacts: new SessionArtifacts(),
    queues: new Map(),
  }
}
