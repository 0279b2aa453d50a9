import { randomUUID } from 'node:crypto'
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
import { readSessionState } from '../core/skill-context/read-session-state.ts'
import {
  DEFAULT_AGENT,
  createSessionState,
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
import { composeRequest, type Composed, type Conversation } from './compose.ts'
import { LoadedTexts } from '../core/skill-context/loaded-texts.ts'
import { applyDeclaredLoads, type DeclaredLoad } from '../core/skill-context/declared-loads.ts'
import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
import type { SkillHost } from './host.ts'
import { filterVisibleSkills } from '../core/skill-context/prompt/visible-skills.ts'
import { resolveTools } from './profiles.ts'
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
import { defineTool, type ToolDefinition } from './tool-definition.ts'

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
  /** Additions to the next request of a conversation. */
  compose(conversation: Conversation): Promise<Composed>
}

/** Creates a session; throws if an option is invalid. */
export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const state = options.state === undefined ? createSessionState() : readSessionState(options.state)
  return new SkillsAgentSession(options, {
    id: options.id ?? randomUUID(),
    state,
    queues: new Map(),
  })
}

/** State that all agents of a conversation share. */
interface SharedAgentState {
  id: string
  state: SessionState
  /** Per agent, a queue of load changes: a model may request several at once. */
  queues: Map<string, Promise<unknown>>
}

class SkillsAgentSession implements AgentSession {
  readonly agent: string
  #options: AgentSessionOptions
  #shared: SharedAgentState
  #host: SkillHost
  #methods: ReadonlyMap<string, Method>
  #contents = new LoadedTexts()

  constructor(options: AgentSessionOptions, shared: SharedAgentState) {
    checkSessionOptions(options)
    checkActivations(options.activations ?? [])
    const { tools = 'knowledge_only', requireLoaded = true, filter } = options
    this.#options = options
    this.#shared = shared
    this.#host = filter ? options.host.filtered(filter) : options.host
    this.#methods = new Map(resolveTools(tools, { requireLoaded }).map((each) => [each.name, each]))
    checkDescriptions(options.descriptions, this.#methods)
    this.agent = options.agent ?? DEFAULT_AGENT
  }

  get id(): string {
    return this.#shared.id
  }

  get state(): SessionState {
    return structuredClone(this.#shared.state)
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

  async beginTurn({ loads = [] }: { loads?: readonly DeclaredLoad[] } = {}): Promise<void> {
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
    return [...this.#methods.values()].map((method) => {
      const tool = defineTool(method, names)
      return { ...tool, description: descriptions[method.name] ?? tool.description }
    })
  }

  hasTool(name: string): boolean {
    return this.#methods.has(name)
  }

  async call(call: ToolCall, options: { signal?: AbortSignal } = {}): Promise<ToolAnswer> {
    try {
      const method = this.#methods.get(call.name)
      if (!method) {
        throw new SkillsError('usage/invalid', `Unknown tool "${call.name}"`, {
          hint: `Use one of ${[...this.#methods.keys()].join(', ')}`,
        })
      }
      const params = parseToolArguments(method, call.arguments)
      return toToolAnswer(
        call,
        method,
        await this.#performTool(method, { params, call: call.id, ...options }),
      )
    } catch (thrown) {
      if (options.signal?.aborted) throw thrown
      return toToolError(call, thrown)
    }
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

  async compose(conversation: Conversation): Promise<Composed> {
    return await this.#runInOrder(async () => {
      const { loadMode = 'turn', maxLoaded } = this.#options
      const limited = limitLoadedSkills(this.#loads, maxLoaded)
      const loads = selectLoadsForRequest(limited, loadMode, conversation.length)
      if (loads !== this.#loads) this.#loads = loads
      await this.#contents.prepare(loads, this.#host.repository)
      return composeRequest(conversation, {
        loads,
        skills: this.#options.overview === false ? [] : await this.#listVisibleSkills(),
        tools: [...this.#methods.keys()],
        render: (part) => this.#contents.render(part),
        options: this.#options,
      })
    })
  }

  async #listVisibleSkills(): Promise<readonly SkillSummary[]> {
    return filterVisibleSkills(await this.#host.skills(), [...this.#methods.keys()])
  }

  async #performTool(
    method: Method,
    {
      params,
      call,
      signal,
    }: { params: Record<string, unknown>; call: string; signal?: AbortSignal },
  ): Promise<unknown> {
    if (method.name === 'skill_load') {
      return `loaded: ${await this.#loadSkillInOrder(params as unknown as LoadRequest, call)}`
    }
    if (method.name === 'skill_select_docs')
      return await this.#selectDocsInOrder(params as never, call)
    if (method.name === 'skill_list_docs') {
      const { entry } = await findSkill(this.#host.repository, String(params['skill']))
      return await listDocs(this.#host.repository, entry)
    }
    const { requireLoaded = true } = this.#options
    const session = { id: this.id, agent: this.agent, loads: this.#loads, requireLoaded }
    return await this.#host.call(method, params, { session, ...(signal && { signal }) })
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
