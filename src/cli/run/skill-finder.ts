import { acceptsUndeclared } from '../../core/skills/manifest/find-undeclared-input.ts'
import type { Context } from '../context.ts'
import { findSkillFolder, findSkill, parseReference } from '../find-skill.ts'
import type { DebugMode } from './debug-options.ts'
import type { TargetFinder } from './perform-target.ts'

/** Finds the skill of a command, by name or folder. */
export function createSkillFinder(
  context: Context,
  reference: string,
  debug?: DebugMode,
): TargetFinder {
  return {
    name: reference,
    debug,
    readsInput: debug !== undefined && debug.kind !== 'inspect',
    async find(handle) {
      const { skills } = handle
      const entry = await findSkill(skills, reference)
      const manifest = await skills.manifest(entry)
      return {
        label: reference,
        skills: [manifest],
        folders: new Map([[manifest.name, entry.dir]]),
        inputs: manifest.inputs,
        isOpen: acceptsUndeclared(manifest),
        start: async (input, io) =>
          await handle.call('execute_skill', { ...parseReference(reference), ...input }, io),
        async createJob(runtime, input) {
          const { createSkillJob } = await import('../../core/methods/execute-skill/handler.ts')
          return await createSkillJob(runtime, { ...input, entry })
        },
      }
    },
    listPaths: async () => [await findSkillFolder(context, reference)],
  }
}
