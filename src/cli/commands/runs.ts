import { RUN_STATUSES } from '../../core/record/run-record.ts'
import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Look at the records of runs, and remove them',
  details:
    'Look at the records of runs, and remove them. Every run leaves one, by whatever door it came. Ids may be shortened as long as they are unambiguous.',
  subcommands: {
    ls: {
      summary: 'List runs, the newest first',
      options: [
        {
          flags: '--status <status>',
          description: 'Only runs that ended so',
          choices: RUN_STATUSES,
        },
        { flags: '--skill <skill>', description: 'Only runs of this skill, or name@version' },
        { flags: '--limit <count>', description: 'At most so many (50 unless given)' },
        { flags: '--cursor <text>', description: 'Go on where the page before ended' },
        { flags: '--ids', description: 'Only ids, one a line' },
      ],
      examples: [
        { command: 'skills runs ls', explains: 'When, how long, what and how it ended' },
        {
          command: 'skills runs ls --status failed --limit 5 --json',
          explains: 'The last five failures for a program',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-list.ts')).list(context, call),
    },
    show: {
      summary: 'Show the record of a run',
      arguments: [{ syntax: '<run>', description: 'Id of the run, or its beginning' }],
      examples: [
        {
          command: 'skills runs show 9f2a41',
          explains: 'Request, decision, isolation, limits, times, result',
          notRun: 'it names a run that only some machine has',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-show.ts')).show(context, call),
    },
    logs: {
      summary: 'Print all that a run logged',
      arguments: [{ syntax: '<run>', description: 'Id of the run, or its beginning' }],
      examples: [
        {
          command: 'skills runs logs 9f2a41',
          explains: 'Everything that it printed and logged, secrets taken out',
          notRun: 'it names a run that only some machine has',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-show.ts')).logs(context, call),
    },
    rm: {
      summary: 'Remove records of runs',
      arguments: [{ syntax: '[run...]', description: 'Ids, or their beginnings' }],
      options: [
        { flags: '--expired', description: 'All that have expired or are beyond the quota' },
        { flags: '--all', description: 'All of runs that have ended' },
        { flags: '-y, --yes', description: 'Do not ask before --all' },
      ],
      examples: [
        { command: 'skills runs rm --expired', explains: 'Free the space of old records' },
        { command: 'skills runs rm --all --yes', explains: 'Forget every run' },
      ],
      run: async (context, call) =>
        await (await import('../store/run-remove.ts')).remove(context, call),
    },
  },
}
