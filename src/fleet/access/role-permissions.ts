import { listAssets, nameStream } from '../engine/assets.ts'
import type { EngineStream } from '../engine/engine.ts'

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
  /** Streams of which it removes messages. */
  purges: readonly EngineStream[]
}

const STREAMS: readonly EngineStream[] = listAssets({ runsMs: 0, blobsMs: 0, outputsMs: 0 }).map(
  ({ name }) => name,
)

/** Lists what a node may publish and subscribe to. All else is refused by the engine. */
export function listPermissions(
  tenant: string,
  { role, name, publicKey }: NodeKey,
): KeyPermissions {
  const subjects = SUBJECTS[role](name)
  const prefix = (each: string) => `sk.${tenant}.${each}`
  const api =
    role === 'operator'
      ? ['$JS.API.>']
      : [
          ...STREAMS.flatMap((stream) => listReads(nameStream(tenant, stream))),
          ...subjects.purges.map((stream) => `$JS.API.STREAM.PURGE.${nameStream(tenant, stream)}`),
        ]
  const ack = role === 'worker' ? [`$JS.ACK.${nameStream(tenant, 'jobs')}.>`] : []
  return {
    publish: [...subjects.publish.map(prefix), ...api, ...ack, '_INBOX.>'],
    // Answers to this key only: the engine's client of a node has an inbox of its own.
    subscribe: [...subjects.subscribe.map(prefix), `${nameInbox(publicKey)}.>`],
  }
}

/** Prefix of the subjects of answers to a key. */
export function nameInbox(publicKey: string): string {
  return `_INBOX.${publicKey}`
}

const SUBJECTS: Readonly<Record<KeyRole, (name: string) => RoleSubjects>> = {
  front: (name) => ({
    publish: [
      `hb.f.${name}`,
      'w.*.start',
      'w.*.ctl',
      'f.*.ctl',
      ...DATA,
      'j.>',
      's.>',
      'k.catalog.>',
      'k.grants.>',
      'k.sessions.>',
      'k.homes.>',
      'k.keeper.>',
      'k.quota.>',
      `au.${name}.*`,
      'au.epochs.all',
    ],
    subscribe: [`a.${name}.*`, `f.${name}.*`, 'hb.>'],
    purges: ['calls', 'runs', 'jobs', 'data', 'workspaces', 'skills', 'state'],
  }),
  worker: (name) => ({
    publish: [`hb.w.${name}`, 'a.*.*', 'w.*.ask', ...DATA, 'k.homes.>', `au.${name}.*`],
    subscribe: [`w.${name}.*`, 'hb.>'],
    purges: ['data', 'workspaces'],
  }),
  operator: () => ({ publish: ['>'], subscribe: ['hb.>'], purges: [] }),
}

/** Calls, records, and what runs leave. */
const DATA = ['c.>', 'r.>', 'd.>', 'b.>', 'u.>', 'p.>', 'q.>']

function listReads(stream: string): string[] {
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}.>`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.>`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.>`,
    `$JS.API.CONSUMER.DELETE.${stream}.>`,
  ]
}
