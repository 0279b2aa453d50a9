import { RUN_STATUSES } from '../../core/runs/history/run-record.ts'
import { STREAM_CHOICES } from '../../core/outputs/store/output-store.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
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
        await (await import('../store/run-list.ts')).listRuns(context, call),
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
        await (await import('../store/run-show.ts')).showRun(context, call),
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
        await (await import('../store/run-show.ts')).showRunLogs(context, call),
    },
    query: {
      summary: 'Search what a run printed, or read lines of it',
      details:
        'Search what a run printed, however much it is, or read lines of it. A line with one of the terms matches, whatever its case. Without terms, the lines are shown from the beginning.',
      arguments: [
        {
          syntax: '<run>',
          description: 'Id of the run or its beginning, or the handle of an output',
        },
        { syntax: '[terms...]', description: 'Texts to look for, at most 10' },
      ],
      options: [
        { flags: '-C, --context <lines>', description: 'Lines around each match (3 unless given)' },
        {
          flags: '--max <count>',
          description: 'Excerpts on a page, or lines where there are no terms',
        },
        { flags: '--all', description: 'Every page' },
        {
          flags: '--stream <stream>',
          description: 'Where to look (both unless given)',
          choices: STREAM_CHOICES,
        },
        { flags: '--lines <range>', description: 'Read these lines as they are: 5, 5-10 or 5-' },
        { flags: '--cursor <place>', description: 'Go on where the page before ended' },
        { flags: '--raw', description: 'Leave colours and times of tests in' },
        { flags: '--repo <name>', description: 'Only if the run worked in this repository' },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        {
          command: 'skills runs query 9f2a41 error -C 5',
          explains: 'Lines that say error, with five lines around each',
          notRun: 'it names a run that only some machine has',
        },
        {
          command: 'skills runs query 9f2a41 --stream stderr --lines 1-20',
          explains: 'The first lines of stderr, as they are',
          notRun: 'it names a run that only some machine has',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-query.ts')).queryRunOutput(context, call),
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
        await (await import('../store/run-remove.ts')).removeRuns(context, call),
    },
  },
}
