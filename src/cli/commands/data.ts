import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Find damaged files in the data directory',
  details: [
    'Find damaged files in the data directory.',
    '',
    'Everything that is stored has a digest: blobs, runs, outputs, the audit log,',
    'sessions and uploaded skills. A damaged blob or output is refused when it is',
    'read.',
  ].join('\n'),
  subcommands: {
    check: {
      summary: 'Verify everything that is stored; change nothing',
      details: [
        'Verify everything that is stored; change nothing.',
        '',
        'Items that a former version stored without a checksum are counted as',
        '"partly checked": their content is verified, but not all of their',
        'description.',
        '',
        'Exit status',
        '  0  nothing is damaged',
        '  1  something is damaged',
      ].join('\n'),
      examples: [
        {
          command: 'skills data check',
          explains: 'Print the count of each area, and what is damaged',
        },
        { command: 'skills data check --json', explains: 'Print the same as JSON' },
      ],
      run: async (context) => await (await import('../store/data-check.ts')).checkData(context),
    },
  },
}
