import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Find skills in indexes, sites and on this machine',
  details: [
    'Find skills in indexes, sites and on this machine.',
    '',
    '- Sites are listed in "indexes" of the configuration; all are asked at the',
    '  same time.',
    '- A skill must match every word by its name, its tags or its description.',
    '- The exit status is 3 if nothing matches, or if no index could be asked.',
  ].join('\n'),
  arguments: [{ syntax: '<words...>', description: 'Words of names, tags and descriptions' }],
  options: [
    {
      flags: '--index <site>',
      description: 'Ask this site or folder instead of the configured ones (repeatable)',
      isRepeatable: true,
    },
    { flags: '--remote', description: 'Leave out the skills on this machine' },
  ],
  examples: [
    {
      command: 'skills search pdf forms',
      explains: 'Find skills for a task',
      notRun: 'nothing matches in an empty project',
    },
    {
      command: 'skills search --index https://example.com pdf --json',
      explains: 'Ask one site, and print JSON',
      notRun: 'it needs a server',
    },
  ],
  async run(context, call) {
    const { runSearch } = await import('../search/run-search.ts')
    return await runSearch(context, call)
  },
}
