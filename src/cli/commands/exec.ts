import type { Manifest } from '../../core/skills/manifest/manifest.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine, CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder, findSkill, parseReference } from '../find-skill.ts'
import { buildRunOptions } from '../run/options.ts'
import type { TargetFinder } from '../run/perform-target.ts'

export const command: CommandDefinition = {
  summary: 'Run a skill in a sandbox',
  details: [
    'Run a skill in a sandbox.',
    '',
    "- The sandbox has the skill's files, read-only, and a private /workspace.",
    '- It has no network; --allow-network allows the hosts that the skill',
    '  declares.',
    '- Arguments that the skill does not declare are refused, unless it sets',
    '  additional_inputs or declares no inputs.',
    '- The returned value goes to standard output as JSON, printed text to',
    '  standard error.',
  ].join('\n'),
  arguments: [{ syntax: '[skill]', description: 'Name, name@version, or folder of a skill' }],
  options: buildRunOptions({ arg: 'Pass one argument, parsed by its declared type' }),
  examples: [
    { command: 'skills exec demo.greet --arg name=World', explains: 'Run the newest version' },
    {
      command: `skills exec demo.greet@0.1.0 --args '{"name":"World"}' --timeout 30s`,
      explains: 'Run one version with all arguments and a time limit',
    },
    { command: 'skills exec ./skills/greet', explains: 'Run a local skill folder' },
    {
      command: 'skills exec demo.greet --blob name=skills/greet/SKILL.md --out results --json',
      explains: 'Pass a file as a blob, save created blobs, print JSON',
    },
    {
      command: 'skills exec demo.greet --url http://127.0.0.1:8080 --arg name=World',
      explains: 'Run on a remote runtime',
      notRun: 'it needs a running server',
    },
    {
      command: 'skills exec ./skills/greet --watch',
      explains: 'Run again after every change of the skill',
      notRun: 'it runs until Ctrl-C',
    },
  ],
  async run(context, call) {
    const { performTarget } = await import('../run/perform-target.ts')
    const { reference, call: own } = readReference(call)
    return await performTarget(context, own, createSkillFinder(context, reference))
  },
}

/** Reads the skill; `--keep` may have consumed it as its optional value. */
function readReference(call: CommandLine): { reference: string; call: CommandLine } {
  const [reference] = call.args
  if (reference !== undefined) return { reference, call }
  const { keep } = call.options
  if (typeof keep === 'string') {
    return { reference: keep, call: { ...call, options: { ...call.options, keep: true } } }
  }
  throw new SkillsError('usage/invalid', 'Missing the skill: a name, name@version, or a folder', {
    hint: 'Type "skills list" for names, or "skills exec --help" for examples',
  })
}

/** Without declared inputs, nothing is known about the arguments. */
function isOpenToAdditional({ inputs, runtime }: Manifest): boolean {
  return runtime?.additionalInputs ?? Object.keys(inputs).length === 0
}

function createSkillFinder(context: Context, reference: string): TargetFinder {
  return {
    name: reference,
    async find(handle) {
      const { skills } = handle
      const entry = await findSkill(skills, reference)
      const manifest = await skills.manifest(entry)
      return {
        label: reference,
        skills: [manifest],
        folders: new Map([[manifest.name, entry.dir]]),
        inputs: manifest.inputs,
        isOpen: isOpenToAdditional(manifest),
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
