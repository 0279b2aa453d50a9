import type { PackedFile } from '../../core/packing/packed-file.ts'
import type { PublishCall } from '../../core/publishing/targets/publish-target.ts'
import type { ServerConnection } from '../../core/publishing/targets/server-target.ts'
import { SkillsError } from '../../errors.ts'
import { openClient } from '../access/open-remote.ts'
import { explainRemoteError } from '../access/remote-errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** Opens a `skills serve` with the token of the command line. */
export function connectServer(context: Context, call: CommandLine, url: string): ServerConnection {
  const target = { url, source: '--to' } as const
  const { client } = openClient(context, call, target)
  const ask = async <Result>({ signal }: PublishCall, answer: Promise<Result>): Promise<Result> => {
    try {
      return await answer
    } catch (thrown) {
      signal.throwIfAborted()
      throw explainRemoteError(thrown, target)
    }
  }
  return {
    async listVersions(name, limits) {
      try {
        const answer = client.describeSkill({ name, detail: 'manifest' }, toOptions(limits))
        return (await ask(limits, answer)).skill.versions
      } catch (thrown) {
        if (thrown instanceof SkillsError && thrown.code === 'skill/not-found') return []
        throw thrown
      }
    },
    async readFiles(skill, limits) {
      const options = toOptions(limits)
      const answer = client.describeSkill({ ...skill, detail: 'full' }, options)
      const files: PackedFile[] = []
      for (const { path } of (await ask(limits, answer)).skill.files ?? []) {
        const file = await ask(limits, client.readSkillFile({ ...skill, path }, options))
        const bytes = Buffer.from(file.content, file.encoding ?? 'utf8')
        files.push({ path, isExecutable: false, bytes })
      }
      return files
    },
    async create(upload, limits) {
      await ask(limits, client.createSkill(upload, toOptions(limits)))
    },
  }
}

const toOptions = ({ signal, timeoutMs }: PublishCall) => ({ signal, timeoutMs })
