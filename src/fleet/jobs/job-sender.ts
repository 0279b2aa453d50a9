import type { DetachedStart, DetachedKind } from '../../core/runs/detached/detached-run.ts'
import { resolveDetachedPrincipal } from '../../core/runs/detached/find-run.ts'
import type { DetachedRequest, DetachedStarter } from '../../core/runs/detached/detached-request.ts'
import { tooManyDetachedError } from '../../core/runs/detached/too-many-detached.ts'
import { resolvePrincipal } from '../../core/runs/describe-request.ts'
import { runIdTakenError } from '../../core/runs/history/open-record.ts'
import { checkRunId, createRunId } from '../../core/runs/history/run-id.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import { refusedParam, SkillsError, toSkillsError } from '../../errors.ts'
import { unknownStartError } from '../front/errors.ts'
import { findPlace } from '../messages/method-places.ts'
import { pickSentCall } from '../messages/call-messages.ts'
import { encodeMessage } from '../messages/encoding.ts'
import { digestCall } from '../messages/fence.ts'
import { PROTOCOL } from '../messages/node-state.ts'
import { isEngineAway } from '../records/repeat-while-away.ts'
import { followJob, type JobFollowing } from './follow-job.ts'
import { publishJob } from './publish-job.ts'
import {
  matchOwnJobs,
  nameQueuedFence,
  parseQueuedFence,
  type JobCall,
  type QueuedFence,
} from './queued-job.ts'
import { encodeJob, type JobCodec } from './store-job.ts'
import type { ExecuteParams } from '../../core/methods/runtime-execute/definition.ts'
import { checkExecuteParams } from '../../core/programs/check-execute-params.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'

export interface JobSenderOptions extends JobFollowing {
  codec: JobCodec
  readonly catalog: { readonly revision: number }
  pool: string
  /** Detached runs of one caller that have not ended. */
  maxPerCaller: number
  /** Time for which a run waits for a worker. */
  jobWaitMs: number
}

const RETRY_AFTER_MS = 5000

/** Starts the detached runs of a front: it queues them for the workers, and follows them. */
export class JobSender {
  #options: JobSenderOptions
  #stopping = new AbortController()

  constructor(options: JobSenderOptions) {
    this.#options = options
  }

  start: DetachedStarter = async (request, call) => {
    const id = call.runId === undefined ? createRunId() : checkRunId(call.runId)
    const named = toNamedCall(request.kind, request.params)
    this.#checkSecrets(request)
    const principal = resolveDetachedPrincipal(call.caller)
    await this.#checkRoom(request, principal)
    const sent = pickSentCall(call)
    const secrets = this.#selectSecrets(call)
    const jobCall = { ...named, sent, catalog: this.#options.catalog.revision, secrets }
    const start: DetachedStart = {
      run_id: id,
      kind: request.kind,
      who: resolvePrincipal(call.caller),
      principal,
      started_at: new Date().toISOString(),
    }
    await this.#queue(start, jobCall, call)
    call.onEvent?.({ type: 'detached' })
    void this.#follow(id, call)
    return { runId: id }
  }

  /** Ends no run. */
  stop(): void {
    this.#stopping.abort()
  }

  /** Arguments of a skill that declares secrets may be secrets as well, and the engine stores them. */
  #checkSecrets({ hasSecrets }: DetachedRequest): void {
    if (!hasSecrets || this.#options.codec.key) return
    throw refusedParam(
      'detach',
      'The skill declares secrets, and this fleet has no key to encrypt queued runs with: its operator sets fleet.key',
    )
  }

  /** Secrets are stored only in a fleet that encrypts them. */
  #selectSecrets({ grants }: RunCall): JobCall['secrets'] {
    const secrets = grants?.secrets
    return this.#options.codec.key && secrets?.size ? Object.fromEntries(secrets) : undefined
  }

  /** Counts the runs that have not ended. Of fronts that count at once, each may admit one too many. */
  async #checkRoom(request: DetachedRequest, principal: string): Promise<void> {
    const { engine, maxPerCaller } = this.#options
    try {
      const own = await engine.subjects('jobs', matchOwnJobs(principal))
      if (own.length >= maxPerCaller) throw tooManyDetachedError(maxPerCaller)
      const { messages, maxMessages } = await engine.measure('jobs')
      if (messages >= maxMessages) throw fullQueueError(maxMessages)
    } catch (error) {
      if (toSkillsError(error).code === 'run/busy') await request.auditRefusal(error)
      throw error
    }
  }

  /** Writes the first fence, then the job. The keeper repeats the second step if this node dies before it. */
  async #queue(start: DetachedStart, jobCall: JobCall, call: RunCall): Promise<void> {
    const { engine, identity, pool, jobWaitMs, codec } = this.#options
    const { run_id: id } = start
    const { method, params, sent } = jobCall
    const digest = digestCall(method, params, sent)
    const place = findPlace({ name: method }, params, call)
    const fence: QueuedFence = {
      v: PROTOCOL,
      t: 'queued',
      node: identity.name,
      ...start,
      pool,
      labels: place.where === 'worker' ? place.labels : [],
      digest,
      not_after: new Date(Date.parse(start.started_at) + jobWaitMs).toISOString(),
      job: await encodeJob(codec, { run_id: id, digest }, jobCall),
    }
    try {
      // An id of a call whose caller waits for it.
      if (await engine.last('calls', `c.${id}.1`)) await this.#requireSame(fence)
      const made = await engine.create('calls', nameQueuedFence(id), encodeMessage(fence))
      if (!made.isCreated) await this.#requireSame(fence)
      await publishJob(engine, fence)
    } catch (error) {
      throw isEngineAway(error) ? unknownStartError(id) : error
    }
  }

  /** Throws if the id belongs to another call: the same one may be sent again. */
  async #requireSame({ run_id: id, digest, principal }: QueuedFence): Promise<void> {
    const stored = await this.#options.engine.last('calls', nameQueuedFence(id))
    const existing = stored && parseQueuedFence(stored.body)
    if (existing?.digest !== digest || existing.principal !== principal) throw runIdTakenError(id)
  }

  async #follow(id: string, call: RunCall): Promise<void> {
    const signals = [this.#stopping.signal, ...(call.closing ? [call.closing] : [])]
    await followJob(this.#options, {
      id,
      signal: AbortSignal.any(signals),
      onEvent: call.onEvent,
      onEnd: (result) => call.onEvent?.({ type: 'ended', result }),
    })
  }
}

function fullQueueError(most: number): SkillsError {
  return new SkillsError('run/busy', `The fleet has ${most} detached runs, the maximum`, {
    hint: 'Repeat the call later, or add workers',
    data: { max_jobs: most, retry_after_ms: RETRY_AFTER_MS },
  })
}

/** A call by the name of its method. */
interface NamedCall {
  method: string
  params: unknown
}

type JobSkill = Pick<SkillEntry, 'name' | 'version'>

/** Replaces the resolved skills of a detached run by their versions, which every worker finds. */
const CONVERT: Readonly<Record<DetachedKind, (params: never) => NamedCall>> = {
  execute_skill({ entry, ...rest }: { entry: JobSkill }) {
    const { name, version } = entry
    return { method: 'execute_skill', params: { ...rest, name, version } }
  },
  run_code({ entries, ...rest }: { entries: readonly JobSkill[] }) {
    const mounts = entries.map(({ name, version }) => `${name}@${version}`)
    return { method: 'run_code', params: { ...rest, mount_skills: mounts } }
  },
  execute(params: ExecuteParams) {
    checkExecuteParams(params)
    return { method: 'runtime.execute', params }
  },
}

function toNamedCall(kind: DetachedKind, params: unknown): NamedCall {
  return CONVERT[kind](params as never)
}
