import type { AgentSession, SessionProblem } from './agent-session.ts'
import {
  beginTurn,
  selectLoadsForRequest,
  limitLoadedSkills,
  unloadSkills,
} from '../core/skill-context/change-loads.ts'
import {
  findSkill,
  loadSkill,
  selectDocs,
  type LoadRequest,
} from '../core/skill-context/load-skill.ts'
import {
  DEFAULT_AGENT,
  listLoadedSkills,
  getAgentLoads,
  replaceAgentLoads,
  type AgentLoads,
  type SessionState,
} from '../core/skill-context/session-state.ts'
import { listDocs } from '../core/skill-context/skill-docs.ts'
import type { SkillText } from '../core/skill-context/skill-texts.ts'
import type { Method } from '../core/methods/method.ts'
import { SkillsError } from '../errors.ts'
import { listActiveTools, checkActivations } from './activation.ts'
import { readCallValues } from './call-values.ts'
import {
  composeRequest,
  NO_TEXTS,
  type Composed,
  type ComposedTexts,
  type Conversation,
} from './compose.ts'
import type { SessionFile, StagedSessionFile } from './files/session-file.ts'
import { LoadedTexts } from '../core/skill-context/loaded-texts.ts'
import { applyDeclaredLoads, type DeclaredLoad } from '../core/skill-context/declared-loads.ts'
import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
import type { HostCall, SkillHost } from './host.ts'
import { removeGuide } from '../core/skills/repository/remove-guide.ts'
import { resolveTools } from './profiles.ts'
import {
  listSessionArtifacts,
  readSessionArtifact,
  type SessionArtifact,
} from './session-artifacts.ts'
import { createSessionMask, listSessionProblems } from './session-problems.ts'
import { SessionWorkspace } from './session-workspace.ts'
import { openSharedState, type SharedAgentState } from './shared-state.ts'
import {
  checkDescriptions,
  checkSessionOptions,
  type AgentSessionOptions,
} from './session-options.ts'
import {
  toToolError,
  toToolAnswer,
  parseToolArguments,
  type ToolAnswer,
  type ToolCall,
} from './tool-call.ts'
import { defineTool, type ToolDefinition } from '../core/tool-formats/tool-definition.ts'

export type { AgentSession, SessionProblem } from './agent-session.ts'

/** Creates a session; throws if an option is invalid. */
export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const session = new SkillsAgentSession(options, openSharedState(options))
  if (options.files && options.files.length > 0) session.workspace.rememberFiles(options.files)
  return session
}

interface PerformedCall {
  params: Record<string, unknown>
  call: string
  signal?: AbortSignal
}

class SkillsAgentSession implements AgentSession {
  readonly agent: string
  readonly workspace: SessionWorkspace
  #options: AgentSessionOptions
  #shared: SharedAgentState
  #host: SkillHost
  #methods: ReadonlyMap<string, Method>
  #contents = new LoadedTexts()
  #composed: ComposedTexts = NO_TEXTS

  constructor(options: AgentSessionOptions, shared: SharedAgentState) {
    checkSessionOptions(options)
    checkActivations(options.activations ?? [])
    const { tools = 'knowledge', requireLoaded = true, filter } = options
    this.#options = options
    this.#shared = shared
    this.#host = filter ? options.host.filtered(filter) : options.host
    this.#methods = new Map(resolveTools(tools, { requireLoaded }).map((each) => [each.name, each]))
    checkDescriptions(options.descriptions, this.#methods)
    this.workspace = new SessionWorkspace(
      this.#methods.values(),
      shared.files,
      async (method, params) => await this.#callHost(method, params),
    )
    this.agent = options.agent ?? DEFAULT_AGENT
  }

  get id(): string {
    return this.#shared.id
  }

  get state(): SessionState {
    const { id, state, files } = this.#shared
    const staged = files.state
    return { ...structuredClone(state), id, ...(staged.length > 0 && { files: staged }) }
  }

  get loaded(): readonly string[] {
    return listLoadedSkills(this.#loads)
  }

  get #loads(): AgentLoads {
    return getAgentLoads(this.#shared.state, this.agent)
  }

  set #loads(loads: AgentLoads) {
    this.#shared.state = replaceAgentLoads(this.#shared.state, loads)
  }

  forAgent(
    agent: string,
    options: Partial<Omit<AgentSessionOptions, 'id' | 'state'>> = {},
  ): AgentSession {
    return new SkillsAgentSession({ ...this.#options, ...options, agent }, this.#shared)
  }

  get files(): readonly StagedSessionFile[] {
    return this.#shared.files.staged
  }

  async addFiles(files: readonly SessionFile[]): Promise<StagedSessionFile[]> {
    return await this.workspace.addFiles(files)
  }

  async beginTurn({ loads = [] }: { loads?: readonly DeclaredLoad[] } = {}): Promise<void> {
    this.#shared.files.forgetProblems()
    await this.#runInOrder(async () => {
      const { loadMode = 'turn', maxLoaded } = this.#options
      const { repository } = this.#host
      const limited = limitLoadedSkills(beginTurn(this.#loads, loadMode), maxLoaded)
      const context = { repository, loads: limited, maxLoaded, isOnce: loadMode === 'once' }
      const declared = await applyDeclaredLoads(context, loads)
      for (const { skill, texts } of declared.changes) this.#contents.add(skill, texts)
      this.#loads = declared.loads
    })
  }

  async tools(): Promise<readonly ToolDefinition[]> {
    const names = this.#options.filter
      ? []
      : (await this.#listVisibleSkills()).map((skill) => skill.name)
    const { descriptions = {} } = this.#options
    const [rules, offered] = [this.#host.commandRules, new Set(this.#methods.keys())]
    return [...this.#methods.values()].map((method) => {
      const tool = defineTool(method, { skills: names, rules, offered })
      return { ...tool, description: descriptions[method.name] ?? tool.description }
    })
  }

  hasTool(name: string): boolean {
    return this.#methods.has(name)
  }

  async call(call: ToolCall, options: { signal?: AbortSignal } = {}): Promise<ToolAnswer> {
    const maskPaths = createSessionMask(this.#host)
    let answer: ToolAnswer
    let saved: SessionArtifact[]
    try {
      const method = this.#methods.get(call.name)
      if (!method) {
        throw new SkillsError('usage/invalid', `Unknown tool "${call.name}"`, {
          hint: `Use one of ${[...this.#methods.keys()].join(', ')}`,
        })
      }
      const { params, repairs } = parseToolArguments(method, call.arguments)
      const result = await this.#performTool(method, { params, call: call.id, ...options })
      answer = toToolAnswer(call, method, { result, repairs, maskPaths })
      saved = this.#shared.artifacts.takeSaved(result)
    } catch (thrown) {
      if (options.signal?.aborted) throw thrown
      return toToolError(call, thrown, maskPaths)
    }
    if (saved.length === 0) return answer
    // An error of the application's callback is not an answer for the model.
    for (const artifact of saved) {
      const origin = { agent: this.agent, tool: call.name, call: call.id }
      await this.#options.onArtifact?.({ ...artifact, ...origin })
    }
    return { ...answer, artifacts: saved }
  }

  async problems(): Promise<readonly SessionProblem[]> {
    return await listSessionProblems(this.#host, this.#shared.files, this.#options.tools)
  }

  async listArtifacts(): Promise<readonly SessionArtifact[]> {
    return await listSessionArtifacts(async (...call) => await this.#callHost(...call))
  }

  async readArtifact(ref: string): Promise<Uint8Array> {
    return await readSessionArtifact(async (...call) => await this.#callHost(...call), ref)
  }

  async load(request: LoadRequest): Promise<void> {
    await this.#loadSkillInOrder(request, null)
  }

  async unload(skill: string): Promise<void> {
    await this.#runInOrder(async () => {
      this.#loads = unloadSkills(this.#loads, (name) => name === skill.trim())
    })
  }

  get tiedTools(): readonly string[] {
    return [...new Set((this.#options.activations ?? []).flatMap((each) => each.tools))]
  }

  activeTools(own: readonly string[]): string[] {
    return listActiveTools(own, this.#options.activations ?? [], this.#loads)
  }

  async end(): Promise<void> {
    await this.#host.endSession?.(this.id)
  }

  async compose(conversation: Conversation): Promise<Composed> {
    const notes = await this.workspace.stageFiles(conversation)
    return await this.#runInOrder(async () => {
      const { loadMode = 'turn', maxLoaded } = this.#options
      const limited = limitLoadedSkills(this.#loads, maxLoaded)
      const loads = selectLoadsForRequest(limited, loadMode, conversation.length)
      if (loads !== this.#loads) this.#loads = loads
      await this.#contents.prepare(loads, this.#host.repository)
      const texts = composeRequest(conversation, {
        notes,
        loads,
        skills: this.#options.overview === false ? [] : await this.#listVisibleSkills(),
        tools: [...this.#methods.keys()],
        render: (part) => this.#contents.render(part),
        options: this.#options,
        rules: this.#host.commandRules,
      })
      const earlier = this.#composed
      this.#composed = texts
      return { ...texts, earlier }
    })
  }

  async #listVisibleSkills(): Promise<readonly SkillSummary[]> {
    return removeGuide(await this.#host.skills())
  }

  async #performTool(method: Method, { params, call, signal }: PerformedCall): Promise<unknown> {
    if (method.name === 'skill_load') {
      return `loaded: ${await this.#loadSkillInOrder(params as unknown as LoadRequest, call)}`
    }
    if (method.name === 'skill_select_docs')
      return await this.#selectDocsInOrder(params as never, call)
    if (method.name === 'skill_list_docs') {
      const { entry } = await findSkill(this.#host.repository, String(params['skill']))
      return await listDocs(this.#host.repository, entry)
    }
    await this.workspace.prepareTool(method)
    const { id: session, agent } = this
    const requested = { id: call, name: method.name, arguments: params, session, agent }
    const values = await readCallValues(this.#options, method, requested)
    return await this.#callHost(method, params, { ...values, ...(signal && { signal }) })
  }

  async #callHost(
    method: Method,
    params: object,
    more: Omit<HostCall, 'session' | 'offered'> = {},
  ): Promise<unknown> {
    const { requireLoaded = true } = this.#options
    const session = { id: this.id, agent: this.agent, loads: this.#loads, requireLoaded }
    return await this.#host.call(method, params, { session, offered: this.#methods, ...more })
  }

  async #loadSkillInOrder(request: LoadRequest, call: string | null): Promise<string> {
    return await this.#runInOrder(async () => {
      const { loads, texts } = await loadSkill(
        this.#loadContext(),
        request,
        this.#changeOptions(call),
      )
      return this.#acceptLoads({ loads, texts, skill: request.skill.trim() })
    })
  }

  async #selectDocsInOrder(request: LoadRequest, call: string): Promise<unknown> {
    return await this.#runInOrder(async () => {
      const { loads, texts, result } = await selectDocs(
        this.#loadContext(),
        request,
        this.#changeOptions(call),
      )
      this.#acceptLoads({ loads, texts, skill: result.skill })
      return result
    })
  }

  #loadContext() {
    return { repository: this.#host.repository, loads: this.#loads }
  }

  #changeOptions(call: string | null) {
    const { maxLoaded, loadMode } = this.#options
    return { call, maxLoaded, isOnce: loadMode === 'once' }
  }

  #acceptLoads(done: { loads: AgentLoads; texts: readonly SkillText[]; skill: string }): string {
    this.#contents.add(done.skill, done.texts)
    this.#loads = done.loads
    return done.skill
  }

  async #runInOrder<T>(work: () => Promise<T>): Promise<T> {
    const { queues } = this.#shared
    const turn = (queues.get(this.agent) ?? Promise.resolve()).then(work, work)
    const settled = turn.catch(() => {})
    queues.set(this.agent, settled)
    try {
      return await turn
    } finally {
      if (queues.get(this.agent) === settled) queues.delete(this.agent)
    }
  }
}
