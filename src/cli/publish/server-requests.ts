import type { SkillsClient } from '../../client/client.ts'
import type { PackedFile } from '../../core/packing/packed-file.ts'
import type { PublishCall } from '../../core/publishing/publish-target.ts'
import { SkillsError } from '../../errors.ts'

/** A server, with errors of this program. */
export interface ServerConnection {
  client: SkillsClient
  /** Converts an error of the client to one of this program. */
  explain(thrown: unknown): unknown
}

export async function askServer<Result>(
  server: ServerConnection,
  call: PublishCall,
  answer: Promise<Result>,
): Promise<Result> {
  try {
    return await answer
  } catch (thrown) {
    call.signal.throwIfAborted()
    throw server.explain(thrown)
  }
}

export const readCallOptions = ({ signal, timeoutMs }: PublishCall) => ({ signal, timeoutMs })

/** Versions of a skill; empty if the server has none. */
export async function listServerVersions(
  server: ServerConnection,
  name: string,
  call: PublishCall,
): Promise<readonly string[]> {
  try {
    const params = { name, detail: 'manifest' } as const
    const answer = server.client.describeSkill(params, readCallOptions(call))
    return (await askServer(server, call, answer)).skill.versions
  } catch (thrown) {
    if (thrown instanceof SkillsError && thrown.code === 'skill/not-found') return []
    throw thrown
  }
}

/** Reads all files of a version as any client would. */
export async function readServerFiles(
  server: ServerConnection,
  skill: { name: string; version: string },
  call: PublishCall,
): Promise<PackedFile[]> {
  const { client } = server
  const options = readCallOptions(call)
  const described = await askServer(
    server,
    call,
    client.describeSkill({ ...skill, detail: 'full' }, options),
  )
  const files: PackedFile[] = []
  for (const { path } of described.skill.files ?? []) {
    const file = await askServer(server, call, client.readSkillFile({ ...skill, path }, options))
    const bytes = Buffer.from(file.content, file.encoding ?? 'utf8')
    files.push({ path, isExecutable: false, bytes })
  }
  return files
}
