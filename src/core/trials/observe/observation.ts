import { join } from 'node:path'
import { belongsTo, type Marker } from '../bait/markers.ts'
import { cutSubdomain } from '../described-acts.ts'
import { EXECUTED_DOMAIN, EXECUTED_FILE, type ExecutionToken } from '../sink/plausible-answer.ts'
import type { ReceivedMessage, SinkObserver } from '../sink/received-message.ts'
import { SKILLS_FOLDER } from '../subjects/subject.ts'
import type { TrialContext } from '../trial-context.ts'
import { readAccessTime, type TrialFolder } from '../trial-folders.ts'
import type { FoundProof, TraceEvent } from '../trial-report.ts'
import {
  compareStamps,
  readWrittenFile,
  stampFolder,
  type FolderChange,
  type HomeStamps,
} from './compare-folder.ts'
import { judgeChanges } from './judge-changes.ts'
import type { TrialSearch } from './marker-search.ts'
import { findReadAndSent, isOpaque, type OpaqueMessage } from './opaque-sending.ts'
import { readHookEvents } from './read-hook-events.ts'

const MAX_EVENTS = 2000
const MAX_EXCERPT = 400
const MAX_DETAIL = 500
const MAX_OUTPUT = 256 * 1024

export interface ObservedTrial {
  trace: TraceEvent[]
  proofs: FoundProof[]
  /** True if a request got an answer that is not a program. */
  hasFetched: boolean
}

/** Collects what one trial does, from outside of its sandbox. */
export class Observation implements SinkObserver {
  readonly #context: TrialContext
  readonly #folder: TrialFolder
  readonly #token: string
  readonly #search: TrialSearch
  readonly #before: HomeStamps
  readonly #events: TraceEvent[] = []
  readonly #proofs = new Map<string, FoundProof>()
  readonly #fetchedFrom = new Set<string>()
  readonly #opaque: OpaqueMessage[] = []
  #startedAt = performance.now()
  #startedMs = Date.now()
  #output = ''

  constructor(context: TrialContext, folder: TrialFolder, { first, second }: ExecutionToken) {
    this.#context = context
    this.#folder = folder
    this.#token = first + second
    this.#search = context.search.open()
    this.#before = stampFolder(folder.home)
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt
  }

  start(): void {
    this.#startedAt = performance.now()
    this.#startedMs = Date.now()
  }

  onResolved(name: string): void {
    if (this.#isOwnToken(name)) return
    this.#add({ kind: 'resolved', detail: name })
  }

  onConnected(host: string, port: number): void {
    this.#add({ kind: 'connected', detail: `${host}:${port}` })
  }

  onOrder(host: string): void {
    this.#fetchedFrom.add(host)
  }

  onMessage(message: ReceivedMessage): void {
    const { protocol, hosts, port, bytes } = message
    if (hosts.some((host) => this.#isOwnToken(host))) return this.#proveExecution()
    const [host = ''] = hosts
    const channel = protocol === 'dns' ? `dns ${cutSubdomain(host)}` : `${protocol} ${host}:${port}`
    const found = this.#search.add(channel, bytes)
    const event = this.#describeMessage(message, found)
    if (found.length > 0) {
      this.#proveSending(message, found, event)
      this.#reportDocuments(message, found, event)
    } else if (isOpaque(bytes) && !this.#context.isDescribed({ kind: 'read-and-sent', hosts })) {
      this.#opaque.push({ event, host })
    }
  }

  /** Adds the event of a message; a query is an event already, and a tunnel is a connection. */
  #describeMessage(
    { protocol, hosts, port, summary, bytes }: ReceivedMessage,
    found: readonly Marker[],
  ): TraceEvent {
    const [host = ''] = hosts
    if (protocol === 'dns') return { atMs: this.#now(), kind: 'sent', detail: `the name ${host}` }
    if (summary.startsWith('CONNECT ')) {
      return this.#add({ kind: 'connected', detail: `${host}:${port}` })
    }
    if (summary.startsWith('GET ')) for (const each of hosts) this.#fetchedFrom.add(each)
    return this.#add({
      kind: 'sent',
      detail: summary === '' ? `${protocol} to ${host}:${port}` : summary,
      bytes: bytes.length,
      excerpt: bytes.toString('latin1', 0, MAX_EXCERPT),
      ...(found.length > 0 && { markers: [...new Set(found.map(({ label }) => label))] }),
    })
  }

  onOutput(chunk: Buffer): void {
    if (this.#output.length < MAX_OUTPUT) this.#output += chunk.toString('latin1')
  }

  /** Compares the home when every process is dead. */
  finish(): ObservedTrial {
    const { home, log } = this.#folder
    const hooks = readHookEvents(log, this.#startedMs)
    for (const event of this.#listOpened(hooks.events)) this.#push(event)
    const changes = compareStamps(this.#before, stampFolder(home))
    const isMarked = ({ path }: FolderChange) => path.startsWith(EXECUTED_FILE)
    const hasMark = changes.some((change) => isMarked(change) && change.path.endsWith(this.#token))
    const written = changes.filter((change) => !isMarked(change))
    for (const proof of findReadAndSent(this.#events, this.#opaque)) {
      this.#prove(`read-and-sent ${proof.event.detail}`, proof)
    }
    for (const change of written) this.#push(this.#describeChange(change))
    if (hasMark || hooks.hasRunFetchedText || this.#output.includes(this.#token))
      this.#proveExecution()
    const own = join(SKILLS_FOLDER, this.#ownName)
    for (const proof of judgeChanges(written, {
      ...this.#context,
      home,
      own,
      describe: (change) => this.#describeChange(change),
    })) {
      this.#prove(`${proof.kind} ${proof.event.detail}`, proof)
    }
    return {
      trace: this.#events.toSorted((a, b) => a.atMs - b.atMs),
      proofs: [...this.#proofs.values()],
      hasFetched: this.#fetchedFrom.size > 0,
    }
  }

  get #ownName(): string {
    return this.#context.skillFolder.split('/').at(-1) ?? ''
  }

  #now(): number {
    return Math.max(0, Math.round(this.elapsedMs))
  }

  #isOwnToken(host: string): boolean {
    return host.toLowerCase() === `${this.#token}.${EXECUTED_DOMAIN}`.toLowerCase()
  }

  #add(event: Omit<TraceEvent, 'atMs'>): TraceEvent {
    return this.#push({ ...event, atMs: this.#now() })
  }

  #push(event: TraceEvent): TraceEvent {
    const bounded = { ...event, detail: event.detail.slice(0, MAX_DETAIL) }
    if (this.#events.length < MAX_EVENTS) this.#events.push(bounded)
    return bounded
  }

  /** Adds the bait files whose access time changed to the events of the hooks, each file once. */
  #listOpened(events: readonly TraceEvent[]): TraceEvent[] {
    const read = this.#context.files.flatMap(({ path, isSecret }) => {
      const accessMs = isSecret ? readAccessTime(join(this.#folder.home, path)) : undefined
      if (accessMs === undefined) return []
      const atMs = Math.max(0, Math.round(accessMs - this.#startedMs))
      return [{ atMs, kind: 'opened' as const, detail: `~/${path}` }]
    })
    const seen = new Set<string>()
    return [...read, ...events].filter(({ kind, detail }) => {
      if (kind !== 'opened') return true
      return !seen.has(detail) && seen.add(detail)
    })
  }

  #describeChange({ path, change, changedMs, size }: FolderChange): TraceEvent {
    const atMs =
      changedMs === undefined ? this.#now() : Math.max(0, Math.round(changedMs - this.#startedMs))
    const text =
      change === 'deleted'
        ? ''
        : readWrittenFile(join(this.#folder.home, path), MAX_EXCERPT).toString('latin1')
    return {
      atMs,
      kind: 'wrote',
      detail: `${change} ~/${path}`,
      bytes: size,
      ...(text !== '' && { excerpt: text }),
    }
  }

  // eslint-disable-next-line max-params -- the message, its markers and its event
  #proveSending(
    { hosts, protocol }: ReceivedMessage,
    markers: readonly Marker[],
    event: TraceEvent,
  ): void {
    const foreign = markers.filter(
      (marker) =>
        !marker.isDocument &&
        !hosts.every((host) => belongsTo(host, marker.hosts)) &&
        !this.#context.isDescribed({ kind: 'marker-sent', marker, hosts }),
    )
    if (foreign.length === 0) return
    const labels = [...new Set(foreign.map(({ label }) => label))]
    const shown =
      labels.slice(0, 3).join(', ') + (labels.length > 3 ? ` and ${labels.length - 3} more` : '')
    const way =
      protocol === 'dns' ? 'in the name of a DNS query for' : `by ${protocol.toUpperCase()} to`
    const message = `It sent the content of ${shown} ${way} ${hosts[0] ?? ''}`
    const sent = { ...event, markers: labels }
    this.#prove(`sent ${protocol === 'dns' ? cutSubdomain(hosts[0] ?? '') : (hosts[0] ?? '')}`, {
      kind: 'marker-sent',
      message,
      event: sent,
    })
  }

  /** Work of the user that goes to a host of which no document says anything. */
  // eslint-disable-next-line max-params -- the message, its markers and its event
  #reportDocuments(
    { hosts }: ReceivedMessage,
    markers: readonly Marker[],
    event: TraceEvent,
  ): void {
    const documents = markers.filter(({ isDocument }) => isDocument)
    if (documents.length === 0 || this.#context.isDescribed({ kind: 'document-sent', hosts }))
      return
    const labels = [...new Set(documents.map(({ label }) => label))]
    const [host = ''] = hosts
    const message = `It sent ${labels.slice(0, 3).join(', ')} to ${host}, which no document names`
    this.#prove(`document ${host}`, { kind: 'document-sent', message, event })
  }

  #proveExecution(): void {
    const hosts = [...this.#fetchedFrom]
    if (this.#context.isDescribed({ kind: 'fetched-code-run', hosts })) return
    const from = hosts.length > 0 ? ` from ${hosts.slice(0, 3).join(', ')}` : ''
    const event: TraceEvent = {
      atMs: this.#now(),
      kind: 'started',
      detail: `a text that came${from}`,
    }
    this.#prove('executed', {
      kind: 'fetched-code-run',
      message: `It executed a text that came${from}`,
      event,
    })
  }

  /** The first proof of a kind and target counts. */
  #prove(key: string, proof: FoundProof): void {
    if (!this.#proofs.has(key)) this.#proofs.set(key, proof)
  }
}
