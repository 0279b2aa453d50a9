import type { CommandDefinition } from '../command.ts'
import { buildRunOptions } from '../run/options.ts'
import { createSkillFinder } from '../run/skill-finder.ts'

/** Options of a run that make no sense for a session. */
const OTHER_OPTIONS = ['--out', '--watch', '--keep', '--url', '--token-file']

export const command: CommandDefinition = {
  summary: 'Execute statements in the sandbox of a skill',
  details: [
    'Execute statements in the sandbox of a skill, in its language: Python or Node.',
    '',
    "- The names of the skill's code, `runtime` and the inputs in `args` are",
    '  available, with the permissions and limits of skills exec.',
    '- On a terminal, Ctrl-C interrupts a statement and Ctrl-D ends the session.',
    '- From a pipe, statements are read until its end, without prompts.',
  ].join('\n'),
  arguments: [{ syntax: '<skill>', description: 'Name, name@version, or folder of a skill' }],
  options: buildRunOptions({ arg: 'Pass one argument, parsed by its declared type' }).filter(
    ({ flags }) => !OTHER_OPTIONS.some((each) => flags.startsWith(each)),
  ),
  examples: [
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
    const [reference = ''] = call.args
    const { readRemoteTarget, unsupportedByRemoteError } =
      await import('../access/remote-options.ts')
    const target = readRemoteTarget(context, call)
    if (target) throw unsupportedByRemoteError('skills repl needs a local runtime', target)
    const { rejectJson } = await import('../run/debug-options.ts')
    rejectJson(context, 'skills repl')
    const { performTarget } = await import('../run/perform-target.ts')
    const finder = createSkillFinder(context, reference, { kind: 'repl' })
    return await performTarget(context, call, finder)
  },
}
