import type { DeclaredLoad } from '../core/skill-context/declared-loads.ts'
import type { LoadRequest } from '../core/skill-context/load-skill.ts'
import type { SessionState } from '../core/skill-context/session-state.ts'
import type { Composed, Conversation } from './compose.ts'
import type { SessionFile, StagedSessionFile } from './files/session-file.ts'
import type { SessionArtifact } from './session-artifacts.ts'
import type { AgentSessionOptions } from './session-options.ts'
import type { ToolAnswer, ToolCall } from './tool-call.ts'
import type { ToolDefinition } from '../core/tool-formats/tool-definition.ts'

/** A skill that cannot be used, a file that could not be copied, or a former name of the tools. */
export interface SessionProblem {
  kind: 'skill' | 'file' | 'tools'
  /** Path of the skill on its host. */
  path?: string
  message: string
}

/** The skills of one agent in one conversation. All memory is in `state`, which is plain data. */
export interface AgentSession {
  readonly id: string
  readonly agent: string
  /** State that the caller stores and passes to the next session as `state`. */
  readonly state: SessionState
  /** Names of the skills whose content requests contain, newest last. */
  readonly loaded: readonly string[]
  /** A session for another agent of the same conversation: shared state, separate loads. */
  forAgent(
    agent: string,
    options?: Partial<Omit<AgentSessionOptions, 'id' | 'state'>>,
  ): AgentSession
  /** Files of the conversation that are in its workspace. */
  readonly files: readonly StagedSessionFile[]
  /** Copies files into the workspace, and reports them to the model with the next request. */
  addFiles(files: readonly SessionFile[]): Promise<readonly StagedSessionFile[]>
  /** Problems for the application: skills, files, and a former name of the tools. */
  problems(): Promise<readonly SessionProblem[]>
  /** The newest version of each artifact of the conversation and of its user. */
  listArtifacts(): Promise<readonly SessionArtifact[]>
  /** Content of an artifact (`artifact://name[@version]`), or of a file of the workspace. */
  readArtifact(ref: string): Promise<Uint8Array>
  /** Starts a turn for a user message; it may load skills without a model's request. */
  beginTurn(options?: { loads?: readonly DeclaredLoad[] }): Promise<void>
  /** The tools to offer to the model. */
  tools(): Promise<readonly ToolDefinition[]>
  /** True if a name is one of these tools. */
  hasTool(name: string): boolean
  /** Runs a tool for a model. Failures are returned as answers. */
  call(call: ToolCall, options?: { signal?: AbortSignal }): Promise<ToolAnswer>
  /** Loads a skill without a model; throws on failure. */
  load(request: LoadRequest): Promise<void>
  /** Removes a skill's content from the following requests. */
  unload(skill: string): Promise<void>
  /** Names of the application's own tools that appear with skills. */
  readonly tiedTools: readonly string[]
  /** The application's own tools that the next request offers. */
  activeTools(own: readonly string[]): string[]
  /**
   * Ends the commands of the conversation, and its sandbox with all processes. The files of its
   * workspace remain; a later command starts a new sandbox.
   */
  end(): Promise<void>
  /** Additions to the next request of a conversation. */
  compose(conversation: Conversation): Promise<Composed>
}
