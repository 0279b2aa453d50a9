import { SkillsError } from '../../errors.ts'
import type { CommandLine, CommandDefinition } from '../command.ts'
import { readNamedArguments } from '../run/named-arguments.ts'
import { buildRunOptions } from '../run/options.ts'
import { createSkillFinder } from '../run/skill-finder.ts'

export const command: CommandDefinition = {
  summary: 'Run a skill in a sandbox',
  startsRuns: true,
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
  arguments: [
    { syntax: '[skill]', description: 'Name, name@version, or folder of a skill' },
    {
      syntax: '[inputs...]',
      description: 'Arguments: name=value, or --name value for an input that the skill declares',
    },
  ],
  takesUnknownOptions: true,
  options: [
    ...buildRunOptions({ arg: 'Pass one argument, parsed by its declared type' }),
    {
      flags: '--pdb',
      description: 'Run a Python skill under pdb: at breakpoint(), and after an exception',
    },
    {
      flags: '--inspect [port]',
      description: 'Wait for a debugger of Node on this port of the loopback interface',
    },
  ],
  examples: [
    { command: 'skills exec demo.greet --arg name=World', explains: 'Run the newest version' },
    { command: 'skills exec demo.greet name=World', explains: 'The same, in fewer words' },
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
      command: 'skills exec ./skills/greet --pdb',
      explains: 'Debug a Python skill in this terminal',
      notRun: 'it waits for commands of the debugger',
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
    const { readDebugOptions } = await import('../run/debug-options.ts')
    const debug = readDebugOptions(context, own)
    return await performTarget(context, own, createSkillFinder(context, reference, debug))
  },
}

/** Reads the skill; an option may have consumed it as its optional value. */
function readReference(call: CommandLine): { reference: string; call: CommandLine } {
  const [reference, ...named] = call.args
  if (reference !== undefined && !/^-|^[^/\\]*=/.test(reference)) {
    return { reference, call: { ...call, options: { ...call.options, named } } }
  }
  for (const name of ['keep', 'inspect']) {
    const value = call.options[name]
    if (typeof value !== 'string' || (name === 'inspect' && /^\d*$/.test(value))) continue
    const options = { ...call.options, [name]: true, named: call.args }
    return { reference: value, call: { ...call, options } }
  }
  // An option before the skill can only be a mistake.
  readNamedArguments(call.args)
  throw new SkillsError('usage/invalid', 'Missing the skill: a name, name@version, or a folder', {
    hint: 'Type "skills list" for names, or "skills exec --help" for examples',
  })
}
