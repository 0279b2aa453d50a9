import { KERNEL_LANGUAGES } from '../../core/runs/kernels/kernel-language.ts'
import { SkillsError } from '../../errors.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition, CommandLine } from '../command.ts'
import { buildRunOptions } from '../run/options.ts'
import { createSkillFinder } from '../run/skill-finder.ts'

/** Options of a run that make no sense for a session. */
const OTHER_OPTIONS = ['--out', '--watch', '--keep', ...REMOTE_OPTIONS.map(({ flags }) => flags)]

export const command: CommandDefinition = {
  summary: 'Execute statements in a sandbox: of a kernel, or of a skill',
  startsRuns: true,
  details: [
    'Execute statements in a sandbox, in Python or Node.',
    '',
    'With a skill, in its sandbox and its language:',
    "- The names of the skill's code, `runtime` and the inputs in `args` are",
    '  available, with the permissions and limits of skills exec.',
    '',
    'Without a skill, in a kernel of --language (default: python):',
    '- Variables stay. An error, and an interrupt, keep them.',
    '- --mount makes a skill importable; --url uses a remote runtime.',
    '- .help lists commands: .restart starts again without variables.',
    '',
    '- On a terminal, Ctrl-C interrupts a statement and Ctrl-D ends the session.',
    '- From a pipe, statements are read until its end, without prompts.',
    '',
    'Exit status, without a skill:',
    '- 0: every statement of a pipe succeeded, or a terminal session ended.',
    '- 1: a statement of a pipe failed.',
  ].join('\n'),
  arguments: [{ syntax: '[skill]', description: 'Name, name@version, or folder of a skill' }],
  options: [
    {
      flags: '--language <name>',
      description: 'Set the language of the kernel (default: python)',
      choices: KERNEL_LANGUAGES,
    },
    {
      flags: '--mount <skill>',
      description: 'Make this skill importable in the kernel: name or name@version (repeatable)',
      isRepeatable: true,
    },
    ...buildRunOptions({ arg: 'Pass one argument, parsed by its declared type' }).filter(
      ({ flags }) => !OTHER_OPTIONS.some((each) => flags.startsWith(each)),
    ),
    ...REMOTE_OPTIONS,
  ],
  examples: [
    {
      command: 'skills repl --language node',
      explains: 'Open a session in a kernel of Node',
      notRun: 'it needs a terminal',
    },
    {
      command: "echo '6 * 7' | skills repl",
      explains: 'Execute the statements of a pipe in Python',
      notRun: 'it is a pipe of two programs',
    },
    {
      command: 'skills repl ./skills/greet',
      explains: 'Open a session',
      notRun: 'it needs a terminal',
    },
    {
      command: 'skills repl ./skills/greet --arg name=Ada < statements.py',
      explains: 'Execute the statements of a file',
      notRun: 'it reads a file from standard input',
    },
  ],
  async run(context, call) {
    const [reference] = call.args
    const { rejectJson } = await import('../run/debug-options.ts')
    rejectJson(context, 'skills repl')
    if (reference === undefined) {
      const { runKernelRepl } = await import('../repl/run-kernel-repl.ts')
      return await runKernelRepl(context, call)
    }
    checkSkillOptions(call)
    const { readRemoteTarget, unsupportedByRemoteError } =
      await import('../access/remote-options.ts')
    const target = readRemoteTarget(context, call)
    if (target) throw unsupportedByRemoteError('skills repl needs a local runtime', target)
    const { performTarget } = await import('../run/perform-target.ts')
    const finder = createSkillFinder(context, reference, { kind: 'repl' })
    return await performTarget(context, call, finder)
  },
}

function checkSkillOptions(call: CommandLine): void {
  const option = ['language', 'mount'].find((name) => call.options[name] !== undefined)
  if (option === undefined) return
  throw new SkillsError('usage/invalid', `--${option} is for sessions without a skill`, {
    hint: `Leave out --${option}: the skill has its own language and code`,
  })
}
