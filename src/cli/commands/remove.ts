import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Remove an installed skill',
  details: [
    'Remove an installed skill.',
    '',
    '- The folder and its entry in skills.lock are removed in one step.',
    '- A folder with files that were changed is kept, unless --force is passed.',
  ].join('\n'),
  arguments: [{ syntax: '<name>', description: 'Name of a skill in skills.lock' }],
  options: [
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
