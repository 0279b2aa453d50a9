import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Remove installed skills',
  details: [
    'Remove installed skills.',
    '',
    '- The folder and its entry in skills.lock are removed in one step.',
    '- A folder with files that were changed is kept, unless --force is passed.',
  ].join('\n'),
  arguments: [{ syntax: '<name...>', description: 'Names of skills in skills.lock' }],
  options: [
    { flags: '-y, --yes', description: 'Ask no question on a terminal' },
    { flags: '--force', description: 'Remove changed files, too' },
    { flags: '-g, --global', description: 'Remove it from ~/.agents/skills' },
  ],
  examples: [
    {
      command: 'skills remove demo.greet',
      explains: 'Remove a skill',
      notRun: 'it needs an installed skill',
    },
  ],
  async run(context, call) {
    const { runRemove } = await import('../install/run-remove.ts')
    return await runRemove(context, call)
  },
}
