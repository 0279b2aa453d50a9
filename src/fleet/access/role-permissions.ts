import { CATALOG_PATTERN } from '../catalog/catalog-entry.ts'
import { listAssets, nameStream, QUEUE_CONSUMER } from '../engine/assets.ts'
import type { EngineStream } from '../engine/engine.ts'
import { nameEndAckPattern, nameEndAcks } from '../messages/end-ack.ts'
import { POLICY_SUBJECT } from './stored-policy.ts'
import { TOKENS_PATTERN } from './token-entry.ts'

/** Roles of keys. An operator uses the commands of `skills fleet`. */
export const KEY_ROLES = ['front', 'worker', 'operator'] as const
export type KeyRole = (typeof KEY_ROLES)[number]

/** The public key of a node, and its name: the permissions are for this name only. */
export interface NodeKey {
  role: KeyRole
  name: string
  publicKey: string
}

/** Subjects of the engine, with the prefix of the tenant. */
export interface KeyPermissions {
  publish: readonly string[]
  subscribe: readonly string[]
}

/** Subjects of messages between nodes and of stored messages, without the prefix of the tenant. */
interface RoleSubjects {
  publish: readonly string[]
  subscribe: readonly string[]
  /** Streams whose size and positions it reads, as lists need. */
  measures: readonly EngineStream[]
  /** Streams of which it reads messages: all of them, as the engine cannot restrict these reads. */
  reads: readonly EngineStream[]
  /** Streams of which it removes messages. */
  purges: readonly EngineStream[]
}

const STREAMS: readonly EngineStream[] = listAssets({ runsMs: 0, blobsMs: 0, outputsMs: 0 }).map(
  ({ name }) => name,
)

/**
 * Lists what a node may publish and subscribe to. All else is refused by the engine. No node may create a
 * consumer or read directly: both make the engine send the bytes of a stored message to any subject, also
 * to those that the node itself cannot publish to.
 */
export function listPermissions(
  tenant: string,
  { role, name, publicKey }: NodeKey,
): KeyPermissions {
  const { publish, subscribe, measures, reads, purges } = SUBJECTS[role](name)
  const prefix = (each: string) => `sk.${tenant}.${each}`
  const allow = (request: string, streams: readonly EngineStream[]) =>
    streams.map((stream) => `$JS.API.STREAM.${request}.${nameStream(tenant, stream)}`)
  return {
    publish: [
      ...publish.map(prefix),
      ...(role === 'operator' ? ['$JS.API.>'] : []),
      ...allow('INFO', measures),
      ...allow('MSG.GET', reads),
      ...allow('PURGE', purges),
      ...(role === 'worker' ? listQueueRequests(nameStream(tenant, 'jobs')) : []),
      // "allow_responses" instead would allow any subject: a node can send itself a message whose sender
      // waits for an answer there.
      '_INBOX.>',
    ],
    // Answers to this key only: the engine's client of a node has an inbox of its own.
    subscribe: [...subscribe.map(prefix), `${nameInbox(publicKey)}.>`],
  }
}

/** Requests for pulls of jobs, from the one consumer that `skills fleet init` creates. */
function listQueueRequests(stream: string): string[] {
  return [
    `$JS.API.CONSUMER.INFO.${stream}.${QUEUE_CONSUMER}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${QUEUE_CONSUMER}`,
    `$JS.ACK.${stream}.${QUEUE_CONSUMER}.>`,
  ]
}

/** Prefix of the subjects of answers to a key. */
function nameInbox(publicKey: string): string {
  return `_INBOX.${publicKey}`
}

const SUBJECTS: Readonly<Record<KeyRole, (name: string) => RoleSubjects>> = {
  front: (name) => ({
    publish: [
      `hb.f.${name}`,
      'w.*.start',
      'w.*.ctl',
      'f.*.ctl',
      'f.*.http',
      'x.*.*',
      ...DATA,
      'j.>',
      's.>',
      'k.catalog.>',
      'k.grants.>',
      'k.owners.>',
      'k.sessions.>',
      'k.homes.>',
      'k.keeper.>',
      'k.quota.>',
      `au.${name}.*`,
      'au.epochs.all',
    ],
    subscribe: [
      `a.${name}.*`,
      `x.${name}.*`,
      `f.${name}.*`,
      nameEndAcks(name),
      'hb.>',
      CATALOG_PATTERN,
      TOKENS_PATTERN,
    ],
    measures: STREAMS,
    reads: STREAMS,
    purges: ['runs', 'jobs', 'data', 'workspaces', 'skills', 'state'],
  }),
  worker: (name) => ({
    publish: [`hb.w.${name}`, 'a.*.*', 'w.*.ask', ...DATA, 'k.homes.>', `au.${name}.*`],
    subscribe: [`w.${name}.*`, nameEndAckPattern(name), 'hb.>', CATALOG_PATTERN, POLICY_SUBJECT],
    // A worker that starts again reads the end of its former chain in the audit.
    measures: ['data', 'state', 'access', 'audit'],
    reads: ['calls', 'runs', 'data', 'workspaces', 'skills', 'state', 'access', 'audit'],
    purges: ['data', 'workspaces'],
  }),
  operator: () => ({ publish: ['>'], subscribe: ['hb.>'], measures: [], reads: [], purges: [] }),
}

/** Calls, records, and what runs leave. */
const DATA = ['c.>', 'r.>', 'd.>', 'b.>', 'u.>', 'p.>', 'q.>']
