import type { CommandDefinition } from '../command.ts'
import { TRUSTED_ROOT_OPTION } from '../signing/trusted-root-option.ts'

export const command: CommandDefinition = {
  summary: 'Show a skill of a source, without installing it',
  details: [
    'Show a skill of a source, without installing it.',
    '',
    '- A source is what "skills install" takes, or the name of a skill that is',
    '  here.',
    '- Shows its origin, signers, rights, sizes, costs in tokens, lint errors,',
    '  and how it differs from what is installed.',
    '- Nothing of the skill is installed or executed.',
  ].join('\n'),
  arguments: [{ syntax: '<source>', description: 'Folder, archive, address, or name of a skill' }],
  options: [TRUSTED_ROOT_OPTION],
  examples: [
    { command: 'skills info demo.greet', explains: 'Show a skill that is here' },
    {
      command: 'skills info github:acme/skills/greet@v2 --json',
      explains: 'Show a skill of a repository as JSON',
      notRun: 'it needs a server',
    },
  ],
  async run(context, call) {
    const { runInfo } = await import('../info/run-info.ts')
    return await runInfo(context, call)
  },
}
