import type { SkillsClient } from '../client/client.ts'
import type { CallOptions } from '../client/options.ts'
import type { MethodName } from '../core/methods/definitions.ts'
import { METHOD_TABLE } from '../core/methods/table.ts'
import type { CallIo, RuntimeHandle } from './handle.ts'
import { createRemoteBlobs } from './remote-blobs.ts'
import type { RemoteContext } from './remote-context.ts'
import { executeRemotely, runRemotely } from './remote-runs.ts'
import { createRemoteSkills } from './remote-skills.ts'

export interface RemoteHandleOptions {
  /** Converts an error of the client to an error of this program. */
  explain: (thrown: unknown) => unknown
  signal?: AbortSignal
}

/** Creates a handle of a remote runtime. It uses the public protocol only. */
export function createRemoteHandle(
  client: SkillsClient,
  { explain, signal }: RemoteHandleOptions,
): RuntimeHandle {
  const remote: RemoteContext = {
    client,
    signal,
    async explainErrors(work) {
      try {
        return await work
      } catch (thrown) {
        throw signal?.aborted ? thrown : explain(thrown)
      }
    },
  }
  return {
    call: async (name, params, io) => (await callRemote(remote, { name, params, io })) as never,
    async openSession(params, io) {
      const { openRemoteSession } = await import('./remote-session.ts')
      return openRemoteSession(remote, params, io)
    },
    skills: createRemoteSkills(remote),
    blobs: createRemoteBlobs(remote),
  }
}

/** Methods with a client function of their own, which retries reads. */
const CLIENT_FUNCTIONS = {
  list_skills: 'listSkills',
  describe_skill: 'describeSkill',
  read_skill_file: 'readSkillFile',
  create_blob: 'createBlob',
  read_blob: 'readBlob',
  create_skill: 'createSkill',
  list_run_history: 'listRunHistory',
} as const satisfies Partial<Record<MethodName, keyof SkillsClient>>

interface RemoteCall {
  name: MethodName
  params: object
  io: CallIo | undefined
}

async function callRemote(
  remote: RemoteContext,
  { name, params, io = {} }: RemoteCall,
): Promise<unknown> {
  const { client, explainErrors } = remote
  switch (name) {
    case 'execute_skill':
      return await runRemotely(remote, io, (options) =>
        client.executeSkill(params as never, options),
      )
    case 'run_code':
      return await runRemotely(remote, io, (options) => client.runCode(params as never, options))
    case 'runtime.execute':
      return await executeRemotely(remote, io, params as never)
    default: {
      const options = { signal: io.signal ?? remote.signal }
      const hasClientFunction = Object.hasOwn(CLIENT_FUNCTIONS, name)
      if (!hasClientFunction) {
        return await explainErrors<unknown>(callByEffect(client, { name, params }, options))
      }
      const functionName = CLIENT_FUNCTIONS[name as keyof typeof CLIENT_FUNCTIONS]
      return await explainErrors<unknown>(client[functionName](params as never, options))
    }
  }
}

/** Actions of methods with several that change nothing. */
const READ_ACTIONS: ReadonlySet<string> = new Set(['list', 'get', 'logs'])

/** Methods that read more than others, in milliseconds. */
const TIMEOUTS: Partial<Record<MethodName, number>> = {
  check_runtime: 300_000,
  verify_audit_log: 1_800_000,
}

async function callByEffect(
  client: SkillsClient,
  { name, params }: Pick<RemoteCall, 'name' | 'params'>,
  options: CallOptions,
): Promise<unknown> {
  const isRead =
    METHOD_TABLE[name].effect === 'read' ||
    ('action' in params && READ_ACTIONS.has(String(params.action)))
  if (!isRead) return await client.call(name, params, options)
  const timeoutMs = TIMEOUTS[name]
  return await client.read(name, params, {
    ...options,
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}
