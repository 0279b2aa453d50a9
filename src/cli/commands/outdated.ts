import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'List installed skills whose source has other files',
  details: [
    'List installed skills whose source has other files.',
    '',
    '- Each source of skills.lock is asked. Nothing is changed.',
    '- Sources that cannot be asked are listed with the reason. The exit status',
    '  is 0 nevertheless.',
  ].join('\n'),
  arguments: [
    { syntax: '[names...]', description: 'Names of skills in skills.lock; all by default' },
  ],
  options: [
    { flags: '-g, --global', description: 'Check the skills of your own ~/.agents/skills' },
  ],
  examples: [
    {
      command: 'skills outdated',
      explains: 'List what can be updated',
      notRun: 'it needs an installed skill',
    },
    {
      command: 'skills outdated --json',
      explains: 'Print the list as JSON',
      notRun: 'it needs an installed skill',
    },
  ],
  async run(context, call) {
    const { runOutdated } = await import('../install/run-outdated.ts')
    return await runOutdated(context, call)
  },
}
