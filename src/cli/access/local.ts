import type { Repository, SkillEntry } from '../../core/skills/repository/repository.ts'
import type { Runtime } from '../../core/runtime.ts'
import type { Context } from '../context.ts'
import { findSkill, findSkillOrFolder } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'
import type { Access, FoundSkill } from './access.ts'

/** The runtime of this machine. Nothing is opened before it is asked for. */
export function localAccess(context: Context, settings: Readonly<Record<string, unknown>>): Access {
  let opened: Promise<Runtime> | undefined
  const runtime = async () => await (opened ??= openRuntime(context, settings))
  const toSkill = (found: Found) => foundSkill(runtime, found)
  return {
    async list() {
      const { repository } = await runtime()
      return { skills: await repository.list(), problems: await repository.problems() }
    },
    skill: async (reference) => toSkill(await findSkill(context, reference)),
    skillOrFolder: async (reference) => toSkill(await findSkillOrFolder(context, reference)),
    async runCode({ mounts, timeout_ms: timeout, ...code }, call) {
      const entries: SkillEntry[] = []
      for (const reference of mounts) {
        const { entry } = await findSkillOrFolder(context, reference)
        if (!entries.some(({ dir }) => dir === entry.dir)) entries.push(entry)
      }
      const { runCodeWith } = await import('../../core/methods/run-code/handler.ts')
      const params = { ...code, entries, limits: { timeout_ms: timeout } }
      return await runCodeWith(await runtime(), params, call)
    },
    async execute(params, call) {
      const { execute } = await import('../../core/programs/execute.ts')
      return await execute(await runtime(), params, call)
    },
    async findOutput(word) {
      if (word.startsWith('runtime-')) return word
      const { findRun } = await import('../store/run-shown.ts')
      return await findRun(await (await runtime()).runs(), word)
    },
    queryOutput: async (params) => await (await runtime()).queryOutput(params),
    async blobs() {
      const { localBlobs } = await import('./local-blobs.ts')
      return localBlobs(await runtime())
    },
  }
}

interface Found {
  repository: Repository
  entry: SkillEntry
}

function foundSkill(runtime: () => Promise<Runtime>, { repository, entry }: Found): FoundSkill {
  return {
    name: entry.name,
    version: entry.version,
    manifest: async () => await repository.manifest(entry),
    async describe() {
      const files = await repository.files(entry)
      const hasMarkdown = files.some((file) => file.path === 'SKILL.md')
      const markdown = hasMarkdown
        ? new TextDecoder().decode((await repository.read(entry, 'SKILL.md')).bytes)
        : undefined
      const manifest = await repository.manifest(entry)
      const versions = await repository.versions(entry.name)
      return { manifest, versions, files, markdown, dir: entry.dir, root: entry.root }
    },
    read: async (path) => await repository.read(entry, path),
    async execute(input, call) {
      const { executeEntry } = await import('../../core/methods/execute-skill/handler.ts')
      return await executeEntry(await runtime(), { entry, ...input }, call)
    },
  }
}
