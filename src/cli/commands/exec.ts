import { SkillsError } from '../../errors.ts'
import type { CommandLine, CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder, findSkill, parseReference } from '../find-skill.ts'
import { buildRunOptions } from '../run/options.ts'
import type { TargetFinder } from '../run/perform-target.ts'

export const command: CommandDefinition = {
  summary: 'Run a skill in a sandbox',
  details: [
    'Run a skill in a fresh sandbox: its own files read-only, a private /workspace, and nothing else of this machine.',
    'A run has no network; with --allow-network it reaches the hosts that the skill declares, and no other.',
    'What the skill returns goes to standard output as JSON, what it prints to standard error.',
    'Exits with 0, with 1 where the skill failed, with 2 for wrong usage, with 3 where it could not be run, with 130 on Ctrl-C.',
  ].join(' '),
  arguments: [{ syntax: '[skill]', description: 'Name, name@version, or the folder of a skill' }],
  options: buildRunOptions({ arg: 'One argument, read as [inputs] says' }),
  examples: [
    { command: 'skills exec demo.greet --arg name=World', explains: 'The newest version' },
    {
      command: `skills exec demo.greet@0.1.0 --args '{"name":"World"}' --timeout 30s`,
      explains: 'One version, all arguments at once, 30 seconds at most',
    },
    { command: 'skills exec ./skills/greet', explains: 'A skill that is being written' },
    {
      command: 'skills exec demo.greet --blob text=skills/greet/SKILL.md --out results --json',
      explains: 'A file as a blob, blobs saved, everything for a program',
    },
    {
      command: 'skills exec demo.greet --url http://127.0.0.1:8080 --arg name=World',
      explains: 'On a remote runtime, with the same output',
      notRun: 'it needs a runtime that serves',
    },
    {
      command: 'skills exec ./skills/greet --watch',
      explains: 'Run again whenever a file of the skill is saved',
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
  throw new SkillsError('usage/invalid', 'Missing skill: a name, name@version, or a folder', {
    hint: 'Type "skills list" to see the names, "skills exec --help" to see examples',
  })
}

function createSkillFinder(context: Context, reference: string): TargetFinder {
  return {
    name: reference,
    async find(handle) {
      const { skills } = handle
      const manifest = await skills.manifest(await findSkill(skills, reference))
      return {
        label: reference,
        skills: [manifest],
        inputs: manifest.inputs,
        start: async (input, io) =>
          await handle.call('execute_skill', { ...parseReference(reference), ...input }, io),
      }
    },
    listPaths: async () => [await findSkillFolder(context, reference)],
  }
}
